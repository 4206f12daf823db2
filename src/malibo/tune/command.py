"""The command of a trial: a command line whose placeholders become values.

{lr}       the value of the parameter lr
{trial}    the number of the trial
{config}   the whole configuration as JSON
{args}     all active parameters, as ``--name value`` each; a word of its own
{result}   the path of a file to which the objective may be written
{{, }}     braces as such

A parameter of one of these names goes first. A word with a parameter that is inactive is left out,
and with it the flag before it (``--momentum {momentum}``), unless the word has a ``=`` and so
a name of its own (``--momentum={momentum}``, ``model.momentum={momentum}``).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from malibo.errors import InputError, nearest
from malibo.space import Config, Space
from malibo.space.parameters import Fixed

_PARTS = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")
_OWN = ("trial", "config", "args", "result")


class CommandError(InputError):
    """A command that cannot be run, or whose placeholders are unknown."""


@dataclass(frozen=True)
class Word:
    """One word of a command line: text and names of placeholders in turn, text first."""

    pieces: tuple[str, ...]

    @classmethod
    def parse(cls, text: str, known: Sequence[str]) -> Word:
        """A word as the user wrote it; every placeholder must be known."""
        pieces, start = [""], 0
        for match in _PARTS.finditer(text):
            pieces[-1] += text[start : match.start()]
            start = match.end()
            if match.group() in ("{{", "}}"):
                pieces[-1] += match.group()[0]
            else:
                pieces += [_checked(match, text, known), ""]
        pieces[-1] += text[start:]
        return cls(tuple(pieces))

    @property
    def names(self) -> tuple[str, ...]:
        """Its placeholders."""
        return self.pieces[1::2]

    @property
    def text(self) -> str:
        """What stands around its placeholders."""
        return "".join(self.pieces[::2])

    @property
    def is_flag(self) -> bool:
        """Whether it is an option without a value: ``--lr`` or ``-l``."""
        return not self.names and bool(re.fullmatch(r"--?[A-Za-z][^=]*", self.text))

    def filled(self, values: Mapping[str, str]) -> str:
        """With values in place of the placeholders."""
        pieces = [values[piece] if i % 2 else piece for i, piece in enumerate(self.pieces)]
        return "".join(pieces)


def _checked(match: re.Match[str], text: str, known: Sequence[str]) -> str:
    name = match.group(1)
    if name is None:
        raise CommandError(f"a brace stands alone in {text!r}; write {{{{ or }}}} for a brace.")
    if name not in known:
        raise CommandError(
            f"unknown placeholder {{{name}}} in {text!r}; known are {', '.join(known)}."
            f"{nearest(name, known)} Write {{{{ and }}}} for braces as such."
        )
    return name


class Command:
    """A command line with placeholders, for the configurations of a space."""

    def __init__(self, words: Sequence[str], space: Space) -> None:
        if not words:
            raise CommandError("there is no command; give it after --, as in: -- python train.py")
        known = list(dict.fromkeys([*space, *_OWN]))
        self.words = tuple(Word.parse(word, known) for word in words)
        self._space = space
        self._used = {name for word in self.words for name in word.names}
        for word in self.words:
            if self._is_special("args", word) and word.pieces != ("", "args", ""):
                raise CommandError("{args} stands for several words, so it must be a word alone.")

    def _is_special(self, name: str, word: Word) -> bool:
        return name in word.names and name not in self._space

    @property
    def unused(self) -> list[str]:
        """Parameters that the command line does not hand over."""
        if any(name in self._used and name not in self._space for name in ("args", "config")):
            return []
        varied = [name for name in self._space if not isinstance(self._space[name], Fixed)]
        return [name for name in varied if name not in self._used]

    def arguments(self, config: Config, trial: int, result: str) -> list[str]:
        """The words with the values of a trial."""
        values = {"trial": str(trial), "config": json.dumps(config), "result": result}
        values |= {name: argument(value) for name, value in config.items()}
        inactive = {name for name in self._space if name not in config}
        filled: list[str] = []
        flag_before = False
        for word in self.words:
            if inactive.intersection(word.names):
                if flag_before and "=" not in word.text:
                    filled.pop()
                flag_before = False
                continue
            flag_before = word.is_flag
            filled += _pairs(config) if self._is_special("args", word) else [word.filled(values)]
        return filled


def argument(value: Any) -> str:
    """A value on a command line: numbers so that no digit is lost."""
    return repr(value) if isinstance(value, float) else str(value)


def _pairs(config: Config) -> list[str]:
    """``--name value`` each, but ``--name=-0.1``: a minus may be taken for an option."""
    words: list[str] = []
    for name, value in config.items():
        text = argument(value)
        words += [f"--{name}={text}"] if text.startswith("-") else [f"--{name}", text]
    return words
