"""The three tools of examples/echo, without a protocol."""

import asyncio
from typing import Annotated, Literal

from pydantic import BaseModel, Field

Style = Literal["plain", "upper", "lower"]


class Echoed(BaseModel):
    text: str
    length: int
    style: Style
    tags: list[str]
    note: str | None = None


class Sum(BaseModel):
    sum: int


class Waited(BaseModel):
    waited: int


def echo(
    text: Annotated[str, Field(min_length=1)],
    style: Style = "plain",
    times: Annotated[int, Field(ge=1, le=5)] = 1,
    tags: Annotated[list[str], Field(max_length=8)] = [],
    reverse: bool = False,
    note: str | None = None,
) -> Echoed:
    """Says a text again, in the style and as often as asked."""
    said = text * times
    said = said.upper() if style == "upper" else said.lower() if style == "lower" else said
    said = said[::-1] if reverse else said
    return Echoed(text=said, length=len(said), style=style, tags=tags, note=note)


def add(numbers: Annotated[list[int], Field(min_length=1, max_length=100)]) -> Sum:
    """Adds whole numbers and answers with their sum."""
    return Sum(sum=sum(numbers))


async def wait(steps: Annotated[int, Field(ge=0, le=600)]) -> Waited:
    """Waits in steps of a tenth of a second."""
    await asyncio.sleep(steps / 10)
    return Waited(waited=steps)
