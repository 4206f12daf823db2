"""The pages of the documentation as programs: their code blocks, and a run of all in order.

What becomes of a block depends on its first line:

    ```python                    runs, in one namespace with the other blocks of the page
    ```python title="train.py"   is saved under that name; so are blocks of other languages
    ```bash                      runs by ``bash -euo pipefail``; set-up lines are left out
    ```text                      right after one that runs: its lines are among what that printed,
                                 but for numbers and spaces; "..." stands for any lines
    anything else                is not run

``tests/pages/`` has what a page takes for granted: files and functions of the reader's own.
"""

from __future__ import annotations

import os
import re
import shlex
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
SETUPS = Path(__file__).parent / "pages"
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]

_FENCE = re.compile(r"^(?P<indent> *)```(?P<language>\w*) *(?P<options>.*)$")
_TITLE = re.compile(r'title="([^"]+)"')
_SETS_UP = re.compile(r"^(pip install|make) ")  # done once, by the reader; not by a test
_INCLUDED = "--8<--"  # a file that is put in its place when the site is built

_START = r"""
import re as _re
import subprocess as _subprocess
import sys as _sys
from pathlib import Path as _Path

# bash forgets how jobs ended that are waited for all together
_WAIT = '_workers=(); wait() { for pid in "${_workers[@]}"; do builtin wait "$pid"; done; }'


def _shell(text):
    noted = _re.sub(r"(?<!&)&$", "& _workers+=($!)", text, flags=_re.MULTILINE)
    command = ["bash", "-euo", "pipefail", "-c", f"{_WAIT}\n{noted}"]
    done = _subprocess.run(command, stdout=_subprocess.PIPE, text=True)
    print(done.stdout)
    if done.returncode:
        _sys.exit(f"{text} ended with {done.returncode}")
    return done.stdout


def _shape(line):
    return _re.sub(r"\s+", " ", _re.sub(r"[-+]?\d[\d.,]*(e[-+]?\d+)?", "#", line)).strip()


def _shows(printed, shown):
    lines = iter(map(_shape, printed.splitlines()))
    for line in map(_shape, shown.splitlines()):
        if line not in ("", "...") and line not in lines:
            _sys.exit(f"the page shows {line!r}, which was not printed (there):\n{printed}")


"""


@dataclass(frozen=True)
class Block:
    """A code block: its language, its title (or nothing), its text, and the line it begins at."""

    language: str
    title: str
    text: str
    line: int

    @property
    def runs(self) -> bool:
        """Whether it is executed or saved when its page is run."""
        return bool(self.program)

    @property
    def program(self) -> str:
        """Python that does what a reader does with the block; empty for one that is not run."""
        if self.text.startswith(_INCLUDED):
            return ""
        if self.title:
            return f"_Path({self.title!r}).write_text({self.text!r})\n"
        if self.language == "python":
            return self.text
        commands = "".join(line for line in self.lines if not _SETS_UP.match(line))
        return f"_printed = _shell({commands!r})\n" if self.prints and commands.strip() else ""

    @property
    def prints(self) -> bool:
        """Whether what it prints can be shown by the block that follows."""
        return self.language == "bash" and not self.title

    @property
    def lines(self) -> list[str]:
        """Its lines, with their ends."""
        return self.text.splitlines(keepends=True)


def blocks(page: Path) -> Iterator[Block]:
    """The code blocks of a page."""
    lines = iter(enumerate(page.read_text(encoding="utf-8").splitlines(), start=1))
    for number, line in lines:
        if fence := _FENCE.match(line):
            title = _TITLE.search(fence["options"])
            inside: list[str] = []
            for _, text in lines:
                if text == f"{fence['indent']}```":
                    break
                inside.append(text.removeprefix(fence["indent"]) + "\n")
            else:
                raise ValueError(f"{page}: the code block of line {number} is not closed")
            yield Block(fence["language"], title[1] if title else "", "".join(inside), number)


def script(page: Path) -> str:
    """One program out of all blocks of a page, after what the page takes for granted."""
    setup = SETUPS / f"{name(page)}.py"
    parts = [_START, setup.read_text(encoding="utf-8") if setup.is_file() else ""]
    before = None
    for block in blocks(page):
        if block.runs:
            parts.append(f"# {page.name}, line {block.line}\n{block.program}")
        elif block.language == "text" and before is not None and before.prints:
            parts.append(f"# {page.name}, line {block.line}\n_shows(_printed, {block.text!r})")
        before = block
    return _at_home("\n\n".join(parts))


def _at_home(text: str) -> str:
    """A page's text with this machine in place of somebody's own database and its server."""
    for there, here in {
        "postgresql+psycopg://user:password@db.example.org/tuning": "sqlite:///tuning.db",
        "db.example.org": "localhost",
        "0.0.0.0": "localhost",
        "port=13000": f"port={_free_port()}",
    }.items():
        text = text.replace(there, here)
    return text


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("localhost", 0))
        return int(listener.getsockname()[1])


def name(page: Path) -> str:
    """The name of a page's setup: ``when_not`` for when-not.md."""
    return page.stem.lower().replace("-", "_")


def run(page: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run all blocks of a page in an empty folder, warnings as errors."""
    commands = folder / "bin"
    commands.mkdir()
    _command(commands / "python", "")
    _command(commands / "malibo", "-c 'from malibo.cli import main; main(prog_name=\"malibo\")'")
    _command(commands / "optuna", "-m optuna.cli")
    work = folder / "work"
    work.mkdir()
    (folder / "page.py").write_text(script(page), encoding="utf-8")
    environment = {
        **os.environ,
        "PATH": f"{commands}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(work),  # where a reader's own modules are
        "MALIBO_CACHE": str(folder / "cache"),
        "MPLBACKEND": "agg",
    }
    return subprocess.run(
        [sys.executable, "-W", "error", str(folder / "page.py")],
        capture_output=True,
        text=True,
        cwd=work,
        env=environment,
        check=False,
        timeout=600,
    )


def _command(path: Path, arguments: str) -> None:
    """A command of this interpreter, under a name that pages use."""
    path.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {arguments} "$@"\n')
    path.chmod(0o755)
