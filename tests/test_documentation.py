"""The code that people copy runs, what pages name exists, and the site is built of itself alone."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import runpy
import shlex
import subprocess
import sys
import textwrap
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType

import click
import pytest

from documentation import DOCS, PAGES, ROOT, blocks, run
from malibo.cli import main

if sys.version_info >= (3, 11):
    import tomllib

EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
ALONE = {"ray_tune.py"}  # runs in a process of its own, in tests/integrations/test_ray.py
TEXTS = [*PAGES, ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md"]


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


# -- code --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path", [path for path in EXAMPLES if path.name not in ALONE], ids=lambda path: path.name
)
def test_example_runs_and_prints_its_best(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(path), run_name="__main__")
    assert "best: (" in capsys.readouterr().out


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_example_is_shown_on_the_page_of_examples(path: Path) -> None:
    shown = (DOCS / "how-to" / "examples.md").read_text()
    assert f'--8<-- "examples/{path.name}"' in shown


@pytest.mark.parametrize(
    "page", [page for page in PAGES if any(block.runs for block in blocks(page))], ids=relative
)
def test_blocks_of_a_page_run_in_their_order(page: Path, tmp_path: Path) -> None:
    done = run(page, tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_block_that_fails_fails_its_page(tmp_path: Path) -> None:
    failing = [
        "```python\n1 / 0\n```\n",
        "```bash\nfalse | true\n```\n",
        "```bash\nfalse &\ntrue &\nwait\n```\n",
        "```bash\necho best 0.31\n```\n\n```text\nworst 0.31\n```\n",
        "```bash\necho one\necho two\n```\n\n```text\ntwo\none\n```\n",
    ]
    for number, block in enumerate(failing):
        page = tmp_path / "page.md"
        page.write_text(f"# Title\n\n{block}")
        folder = tmp_path / str(number)
        folder.mkdir()
        assert run(page, folder).returncode == 1


def test_what_a_page_shows_may_differ_in_numbers_and_in_what_it_leaves_out(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "```bash\necho 'best   0.31 of 12'; echo x; echo done\n```\n\n"
        "```text\nbest 4e-05 of 3\n...\ndone\n```\n"
    )
    folder = tmp_path / "folder"
    folder.mkdir()
    done = run(page, folder)
    assert done.returncode == 0, done.stderr


def test_block_with_a_title_is_saved_and_the_next_one_finds_it(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        '```python title="train.py"\nprint(7 * 6)\n```\n\n```bash\npip install nothing\n'
        "python train.py > out.txt\n```\n\n```python\nprint(open('out.txt').read())\n```\n"
    )
    folder = tmp_path / "folder"
    folder.mkdir()
    done = run(page, folder)
    assert done.stdout.strip() == "42", done.stderr


@pytest.mark.parametrize("page", PAGES, ids=relative)
def test_json_on_a_page_can_be_read(page: Path) -> None:
    for block in blocks(page):
        if block.language == "json":
            json.loads(block.text)


# -- what pages name ---------------------------------------------------------------------------


@pytest.mark.skipif(sys.version_info < (3, 11), reason="tomllib came with Python 3.11")
def test_extras_that_pages_name_exist() -> None:
    known = set(
        tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    )
    named = {
        extra
        for text in TEXTS
        for extras in re.findall(r'(?:"\.|"malibo)\[([\w,]+)\]"', text.read_text())
        for extra in extras.split(",")
    }
    assert {"table", "optuna"} <= named <= known


def test_make_targets_that_pages_name_exist() -> None:
    known = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))
    named = {
        target
        for text in TEXTS
        for target in re.findall(r"(?:^|`)make ([\w-]+)", text.read_text(), flags=re.MULTILINE)
    }
    assert {"demo", "test", "docs"} <= named <= known


def shown_commands() -> list[str]:
    """Lines of all code blocks that begin with ``malibo``, whether they are run or not."""
    return [
        line.split("  #")[0].strip()
        for page in PAGES
        for block in blocks(page)
        for line in block.text.replace("\\\n", " ").splitlines()
        if line.startswith("malibo ")
    ]


@pytest.mark.parametrize("line", sorted(set(shown_commands())))
def test_shown_command_has_the_options_that_it_is_given(line: str) -> None:
    command: click.Command = main
    context = click.Context(command)
    arguments = shlex.split(re.split(r"[|>;&]", line)[0])[1:]
    while isinstance(command, click.Group) and arguments and not arguments[0].startswith("-"):
        found = command.get_command(context, arguments[0])
        assert found is not None, f"there is no command {arguments[0]!r}"
        command, arguments = found, arguments[1:]
    command.make_parser(context).parse_args(arguments)


@pytest.mark.parametrize("path", TEXTS, ids=relative)
def test_links_lead_to_files_and_headings_that_exist(path: Path) -> None:
    text = path.read_text()
    assert "@@" not in text, "a place was not filled in"
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if "://" in link:
            continue
        file, _, anchor = link.partition("#")
        target = path.parent / file if file else path
        assert target.exists(), link
        if anchor and target.name != "command-line.md":  # its headings are made by the build
            assert anchor in headings(target), link


def headings(path: Path) -> set[str]:
    """Anchors of a page's headings, as GitHub and MkDocs make them."""
    prose = re.sub(r"^```.*?^```", "", path.read_text(), flags=re.MULTILINE | re.DOTALL)
    found = re.findall(r"^#+ (.*)$", prose, flags=re.MULTILINE)
    return {re.sub(r"[^\w\s-]", "", title).strip().lower().replace(" ", "-") for title in found}


# -- the site ----------------------------------------------------------------------------------


def module(name: str) -> ModuleType:
    """A file that the build of the site uses."""
    spec = importlib.util.spec_from_file_location(f"docs_{name}", DOCS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def test_site_is_built_without_a_warning_and_of_itself_alone(tmp_path: Path) -> None:
    pytest.importorskip("material")
    site = tmp_path / "site"
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(site)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=ROOT, env=environment, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    for page in PAGES[1:]:
        name = "index" if page.name == "README.md" else page.stem
        assert (site / page.relative_to(DOCS).with_name(f"{name}.html")).is_file()
    assert elsewhere(site) == []
    reference = (site / "reference" / "optimizer.html").read_text()
    assert 'id="malibo.Malibo.ask"' in reference
    assert "Usage: malibo tune" in (site / "reference" / "command-line.html").read_text()


def elsewhere(site: Path) -> list[str]:
    """What the pages of a site would load from the network."""
    found = []
    for page in site.rglob("*.html"):
        assets = Assets()
        assets.feed(page.read_text(encoding="utf-8"))
        found += [f"{page.name}: {url}" for url in assets.urls if re.match(r"(https?:)?//", url)]
    for style in site.rglob("*.css"):
        urls = re.findall(r"(?:@import|url\()\s*['\"]?([^'\")\s]+)", style.read_text())
        found += [f"{style.name}: {url}" for url in urls if re.match(r"(https?:)?//", url)]
    return found


class Assets(HTMLParser):
    """Collects what a browser loads by itself; links that a reader may follow do not count."""

    def __init__(self) -> None:
        super().__init__()
        self.urls: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = {"link": ("href",), "a": (), "form": ()}.get(tag, ("src", "srcset", "data"))
        self.urls += [value for name, value in attrs if name in names and value]


def test_assets_from_elsewhere_are_found(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(
        '<a href="https://fine.org">x</a><img src="local.png"><script src="//cdn.org/x.js">'
        '</script><link rel="stylesheet" href="https://fonts.org/a.css">'
    )
    (tmp_path / "style.css").write_text("@import 'https://fonts.org/b.css'; a { b: url(c.png) }")
    assert sorted(elsewhere(tmp_path)) == [
        "page.html: //cdn.org/x.js",
        "page.html: https://fonts.org/a.css",
        "style.css: https://fonts.org/b.css",
    ]


def test_command_line_page_has_the_help_of_every_command() -> None:
    hooks = module("hooks")
    texts = dict(hooks.help_texts())
    assert {f"malibo {name}" for name in main.list_commands(click.Context(main))} <= set(texts)
    assert "malibo bench run" in texts
    page = hooks.command_line()
    for path, text in texts.items():
        assert f"# {path}\n" in page
        assert text.startswith(f"Usage: {path}")
        assert text in page


def test_changelog_page_has_the_changelog_and_its_links() -> None:
    page = module("hooks").changelog()
    assert "## Unreleased" in page
    assert "](results/" in page
    assert "](docs/" not in page


def test_columns_of_docstrings_become_lists() -> None:
    with_lists = module("docstrings").with_lists
    text = """\
        What.

        seed      a number,
                  or none
        low, high both
        one, two
                  each

        End of it, and more."""
    assert with_lists(textwrap.dedent(text)).splitlines() == [
        *("What.", "", "", "`seed`", ":   a number,", "    or none"),
        *("", "`low, high`", ":   both", "", "`one, two`", ":   each"),
        *("", "End of it, and more."),
    ]
    assert with_lists("Nothing to do. Two sentences.") == "Nothing to do. Two sentences."
