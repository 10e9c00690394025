"""Print descriptors of weakincentives prompts, for the wink MCP server.

Usage: exporter.py MODULE [MODULE:ATTRIBUTE ...] > descriptors.json
MODULE has a mapping or sequence PROMPTS; MODULE:ATTRIBUTE is one Prompt, PromptTemplate,
or such a collection.
"""
import contextlib, dataclasses, importlib, importlib.metadata, json, os, sys


def prompts_of(target):
    module, _, attribute = target.partition(":")
    found = getattr(importlib.import_module(module), attribute or "PROMPTS")
    if hasattr(found, "items"):
        found = list(found.values())
    return list(found) if isinstance(found, (list, tuple, set, frozenset)) else [found]


def schemas_of(tool, versioning):
    container = getattr(tool, "result_container", "object")
    return versioning._params_schema(tool.params_type), versioning._result_schema(tool.result_type, container)


def fields_of(kind):
    return dataclasses.fields(kind) if isinstance(kind, type) and dataclasses.is_dataclass(kind) else ()


def describe(prompt, overrides, versioning):
    template = getattr(prompt, "template", prompt)
    if template is prompt:
        prompt = importlib.import_module("weakincentives.prompt").Prompt(template)
    known = overrides.PromptDescriptor.from_prompt(prompt)
    hashes = {section.path: str(section.content_hash) for section in known.sections}
    contracts = {tool.name: str(tool.contract_hash) for tool in known.tools}
    sections, tools = [], []
    for node in prompt.sections:
        section = node.section
        sections.append({
            "path": list(node.path), "number": node.number, "title": section.title,
            "content_hash": hashes.get(node.path),
            "accepts_overrides": bool(getattr(section, "accepts_overrides", True)),
            "body": section.original_body_template(),
            "placeholders": sorted(section.placeholder_names()),
            "params": sorted(field.name for field in fields_of(getattr(section, "params_type", None))),
        })
        for tool in section.tools():
            params, result = schemas_of(tool, versioning)
            texts = {field.name: field.metadata.get("description") for field in fields_of(tool.params_type)}
            tools.append({
                "name": tool.name, "path": list(node.path), "contract_hash": contracts.get(tool.name),
                "accepts_overrides": tool.accepts_overrides, "description": tool.description,
                "param_descriptions": {name: text for name, text in texts.items() if isinstance(text, str) and text},
                "params_schema": params, "result_schema": result,
            })
    return {"ns": known.ns, "key": known.key, "name": getattr(template, "name", None), "sections": sections, "tools": tools}


def main(targets):
    if not targets:
        raise SystemExit(__doc__)
    sys.path.insert(0, os.getcwd())
    with contextlib.redirect_stdout(sys.stderr):  # what modules print on import is not the export
        from weakincentives.prompt import overrides
        from weakincentives.prompt.overrides import validation, versioning
        prompts = [describe(prompt, overrides, versioning) for target in targets for prompt in prompts_of(target)]
    release = importlib.metadata.version("weakincentives")
    export = {"kind": "wink.descriptors", "version": 1, "library": f"weakincentives {release}",
              "override_format": validation.FORMAT_VERSION, "prompts": prompts}
    json.dump(export, sys.stdout, indent=2, sort_keys=True)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main(sys.argv[1:])
