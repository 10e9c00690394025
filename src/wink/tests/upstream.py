"""The Python side of the interop loop: one sample prompt, driven by the published library.

    upstream.py describe|write|seed|read [--root OVERRIDES_DIR] [--variant base|edited]

Prints one JSON object. `edited` is the prompt after a developer changed a section and a tool in
code, so that overrides made for `base` are stale.
"""

import argparse
import json
import logging
import sys
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

from weakincentives.prompt import MarkdownSection, Prompt, PromptTemplate, Tool
from weakincentives.prompt import overrides
from weakincentives.prompt.overrides.validation import FORMAT_VERSION
from weakincentives.serde import schema


@dataclass
class Reader:
    name: str = "Ada"


@dataclass
class Query:
    query: str = field(metadata={"description": "Words to look for."})
    limit: int = field(default=5, metadata={"description": "How many hits to return."})


@dataclass
class Hit:
    path: str
    score: float


def create(kind, **arguments):
    """Newer releases construct through `create`, older ones by calling the class."""
    return getattr(kind, "create", kind)(**arguments)


def sample(variant="base"):
    edited = variant == "edited"
    search = create(Tool[Query, Hit], name="search_docs", handler=None,
                    description="Search the docs." if edited else "Search the docs index.")
    hits = create(Tool[Query, list[Hit]], name="list_hits", handler=None, description="List every hit.")
    audit = create(Tool[Query, Hit], name="audit", handler=None, description="Write an audit record.",
                   accepts_overrides=False)
    system = "You review code for $name.\nBe brief — naïve praise is noise.\n"
    style = MarkdownSection[Reader](title="Style", key="style", template="Use plain words.")
    sections = [
        MarkdownSection[Reader](title="System", key="system", default_params=Reader(), children=[style],
                                template=system + "Stay polite.\n" if edited else system,
                                tools=[search, hits]),
        MarkdownSection[Reader](title="Policy", key="policy", template="Never reveal secrets.",
                                tools=[audit], accepts_overrides=False),
    ]
    return Prompt(create(PromptTemplate, ns="demo.app", key="code-review", name="review", sections=sections))


PROMPTS = {"demo.app/code-review": sample()}


def store(root):
    return overrides.LocalPromptOverridesStore(root_path=Path(root), overrides_relative_path=Path())


def describe(prompt, _root):
    known = overrides.PromptDescriptor.from_prompt(prompt)
    hashes = {section.path: str(section.content_hash) for section in known.sections}
    contracts = {tool.name: str(tool.contract_hash) for tool in known.tools}
    sections, tools = [], []
    for node in prompt.sections:
        section = node.section
        sections.append({
            "path": list(node.path), "number": node.number, "title": section.title,
            "content_hash": hashes.get(node.path), "accepts_overrides": section.accepts_overrides,
            "body": section.original_body_template(), "placeholders": sorted(section.placeholder_names()),
        })
        for tool in section.tools():
            result = schema(tool.result_type, extra="ignore")
            if tool.result_container == "array":
                result = {"title": f"{tool.result_type.__name__}List", "type": "array", "items": result}
            tools.append({
                "name": tool.name, "path": list(node.path), "contract_hash": contracts.get(tool.name),
                "accepts_overrides": tool.accepts_overrides, "description": tool.description,
                "param_descriptions": {
                    name: entry.metadata["description"]
                    for name, entry in tool.params_type.__dataclass_fields__.items()
                    if entry.metadata.get("description")
                },
                "params_schema": schema(tool.params_type, extra="forbid"), "result_schema": result,
            })
    return {"kind": "wink.descriptors", "version": 1, "override_format": FORMAT_VERSION,
            "library": f"weakincentives {version('weakincentives')}",
            "prompts": [{"ns": known.ns, "key": known.key, "name": "review",
                         "sections": sections, "tools": tools}]}


def write(prompt, root):
    known = overrides.PromptDescriptor.from_prompt(prompt)
    texts = {("system",): "Review for $name — “quotes”, tab\there, \U0001f980.\n",
             ("system", "style"): "Short sentences."}
    sections = {
        section.path: overrides.SectionOverride(
            expected_hash=section.content_hash, body=texts[section.path],
            **({"path": section.path} if FORMAT_VERSION >= 2 else {}))
        for section in known.sections
    }
    contract = next(tool.contract_hash for tool in known.tools if tool.name == "search_docs")
    tool = overrides.ToolOverride(name="search_docs", expected_contract_hash=contract,
                                  description="Search docs; prefer exact phrases.",
                                  param_descriptions={"query": "Exact phrase, 1-5 words."})
    store(root).upsert(known, overrides.PromptOverride(
        ns=known.ns, prompt_key=known.key, tag="latest", sections=sections,
        tool_overrides={"search_docs": tool}))
    return {"written": True}


def seed(prompt, root):
    store(root).seed(prompt, tag="latest")
    return {"seeded": True}


def read(prompt, root):
    known = overrides.PromptDescriptor.from_prompt(prompt)
    found = store(root).resolve(known, tag="latest")
    file = Path(root, known.ns, known.key, "latest.json")
    stored = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    sections = {"/".join(path): entry for path, entry in (found.sections if found else {}).items()}
    tools = dict(found.tool_overrides) if found else {}
    bound = Prompt(prompt.template, overrides_store=store(root), overrides_tag="latest")
    bound.bind(Reader(name="Ada"))
    rendered = bound.render()
    return {
        "file_present": file.exists(),
        "sections_applied": sorted(sections),
        "sections_ignored": sorted(set(stored.get("sections") or {}) - set(sections)),
        "tools_applied": sorted(tools),
        "tools_ignored": sorted(set(stored.get("tools") or {}) - set(tools)),
        "bodies": {path: entry.body for path, entry in sections.items()},
        "tool_descriptions": {tool.name: tool.description for tool in rendered.tools},
        "rendered_text": rendered.text,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command", choices=["describe", "write", "seed", "read"])
    parser.add_argument("--root", default=".")
    parser.add_argument("--variant", choices=["base", "edited"], default="base")
    arguments = parser.parse_args()
    logging.disable(logging.CRITICAL)
    answer = globals()[arguments.command](sample(arguments.variant), arguments.root)
    json.dump(answer, sys.stdout, indent=2, sort_keys=True)


if __name__ == "__main__":
    main()
