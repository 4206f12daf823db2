"""The report: a table and a CSV file a suite, all figures, and one page with everything."""

from __future__ import annotations

import base64
import html
import io
import math
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tqdm import tqdm

from malibo.bench.figures import FIGURES
from malibo.bench.figures.lines import Results, command
from malibo.bench.figures.style import style
from malibo.bench.metrics import in_natural_order
from malibo.bench.overall import overall_table
from malibo.bench.runs import Run, RunSet, read_runs
from malibo.bench.suites import suites
from malibo.bench.summary import ALL, STEPS, Row, summary, write_csv
from malibo.errors import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Cells = list[list[str]]

DPI = 110  # small files
COLOURS = 64
_SHOWN = {
    "regret": "mean normalised regret",
    "log10_regret": "mean log10 regret",
    "rank": "average rank",
}


def make_report(folder: Path, output: Path, progress: bool = True) -> list[Path]:
    """Write everything that the results of a folder give; returns the files."""
    sets = _read(folder)
    _make_folder(output)
    tables = {name: summary(runs) for name, (_, runs) in sets.items()}
    for name, rows in tables.items():
        write_csv(rows, output / f"{name}.csv")
    results = {name: runs for name, (_, runs) in sets.items()}
    pictures = _draw_all(results, output, progress)
    sections = list(_sections(sets, tables))
    text = output / "README.md"
    text.write_text(_markdown(sections, pictures), encoding="utf-8")
    page = output / "report.html"
    page.write_text(_page(sections, pictures), encoding="utf-8")
    return [text, page, *(output / f"{name}.csv" for name in tables), *pictures.values()]


def _read(folder: Path) -> dict[str, tuple[RunSet, list[Run]]]:
    paths = sorted(folder.glob("*.jsonl"))
    found = {}
    for path in paths:
        run_set, runs = read_runs(path)
        if runs:
            found[run_set.suite] = run_set, runs
    if not found:
        raise InputError(
            f"there are no results in {folder}; run: malibo bench run fcnet --methods malibo,random"
        )
    return found


def _make_folder(output: Path) -> None:
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot write to {output}: {error.strerror}.") from None


def _draw_all(results: Results, output: Path, progress: bool) -> dict[str, Path]:
    """Every figure for which there are results."""
    drawn = {}
    for name in tqdm(FIGURES, "figures", unit="figure", disable=not progress or None):
        try:
            figure = FIGURES[name].draw(results)
        except InputError:
            continue  # no results for this one
        drawn[name] = output / f"{name}.png"
        _save_small(figure, drawn[name])
    return drawn


def _save_small(figure: Figure, path: Path) -> None:
    """As a PNG of few colours: a third of the size, and nobody sees it."""
    from PIL import Image

    buffer = io.BytesIO()
    figure.savefig(buffer, dpi=DPI)
    with Image.open(buffer) as picture:
        picture.convert("RGB").quantize(COLOURS).save(path, optimize=True)


# -- words and tables ----------------------------------------------------------------------


@dataclass(frozen=True)
class Section:
    """What is said of a suite: how its results were made, and its tables, as plain cells."""

    title: str
    commands: list[str]
    tables: dict[str, Cells]


def _sections(
    sets: Mapping[str, tuple[RunSet, list[Run]]], tables: Mapping[str, Sequence[Row]]
) -> Iterator[Section]:
    yield from _together({name: runs for name, (_, runs) in sets.items()})
    for name, (run_set, runs) in sets.items():
        shown = {caption: _table(tables[name], column) for column, caption in _SHOWN.items()}
        yield Section(run_set.suite, list(_commands(run_set, runs)), shown)


def _together(results: Results) -> Iterator[Section]:
    """All suites of tables, if there are several."""
    made_up = {name for name, suite in suites().items() if suite.synthetic}
    real = {name: runs for name, runs in results.items() if name not in made_up}
    cells = overall_table(real, STEPS) if len(real) > 1 else []
    if cells:
        caption = (
            f"average rank over {', '.join(real)}; a star where MALIBO is significantly ahead"
            " (Wilcoxon on the ranks of all runs, Holm's correction, p < 0.05)"
        )
        header, *lines = cells
        named = [[style(name).label, *rest] for name, *rest in lines]
        yield Section("All tables together", [], {caption: [header, *named]})


def _commands(run_set: RunSet, runs: Sequence[Run]) -> Iterator[str]:
    """The commands that make these results: methods with as many seeds go together."""
    seeds: dict[str, set[int]] = {}
    for run in runs:
        seeds.setdefault(run.method, set()).add(run.seed)
    by_number: dict[int, list[str]] = {}
    for method, numbers in seeds.items():
        by_number.setdefault(len(numbers), []).append(method)
    for number, methods in sorted(by_number.items(), reverse=True):
        seeds_and_steps = f"--seeds {number} --steps {run_set.steps}"
        yield f"{command(run_set.suite, methods)} {seeds_and_steps}{_of_a_folder(run_set, runs)}"


def _of_a_folder(run_set: RunSet, runs: Sequence[Run]) -> str:
    """Options of a suite that is not built in: where it is, and which of its tasks were run."""
    if run_set.suite in suites():
        return ""
    tasks = ",".join(in_natural_order({run.task for run in runs}))
    return f" --data DIR --tasks {shlex.quote(tasks)}"


def _table(rows: Sequence[Row], column: str) -> Cells:
    """A header, and a line for each method, the best at the last step first.

    There are no lines as long as no method was run on every task.
    """
    of_all = [row for row in rows if row["task"] == ALL]
    steps = _columns({int(row["step"]) for row in of_all})
    methods = in_natural_order({str(row["method"]) for row in of_all})
    cells = {(str(row["method"]), int(row["step"])): row for row in of_all}
    last = {method: cells[method, steps[-1]] for method in methods}
    lines = [
        [
            style(method).label,
            str(last[method]["seeds"]),
            *(_cell(cells[method, step], column) for step in steps),
        ]
        for method in sorted(methods, key=lambda method: _order(last[method], column))
    ]
    return [["method", "seeds", *(f"step {step}" for step in steps)], *lines]


def _order(row: Row, column: str) -> float:
    """The best first, the unknown last."""
    value = float(row[column])
    return math.inf if math.isnan(value) else value


def _columns(steps: set[int]) -> list[int]:
    """The steps of a table: fewer of the early ones where there are later ones."""
    crowded = {20, 30} if max(steps, default=0) > 30 else set()
    return [step for step in STEPS if step in steps and step not in crowded]


def _cell(row: Row, column: str) -> str:
    """A value, with its standard error where there is one."""
    value, error = float(row[column]), float(row.get(f"{column}_se", math.nan))
    if math.isnan(value):
        return ""
    text = f"{value:.1e}" if column == "regret" else f"{value:.2f}"
    if math.isnan(error):
        return text
    return f"{text} ± {error:.0e}" if column == "regret" else f"{text} ± {error:.2f}"


def _markdown(sections: Sequence[Section], pictures: Mapping[str, Path]) -> str:
    lines = ["# Results", "", *_preface(), ""]
    for section in sections:
        lines += [f"## {section.title}", ""]
        lines += ["```", *section.commands, "```", ""] if section.commands else []
        for caption, (header, *body) in section.tables.items():
            lines += [f"{_sentence(caption)}, the best first:", ""]
            lines += [f"| {' | '.join(header)} |", "|---" * len(header) + "|"]
            lines += [f"| {' | '.join(cells)} |" for cells in body]
            lines.append("")
    lines += ["## Figures", ""]
    for name, path in pictures.items():
        lines += [
            f"`malibo bench figure {name}`: {FIGURES[name].line}",
            "",
            f"![{name}]({path.name})",
            "",
        ]
    return "\n".join(lines)


def _preface() -> list[str]:
    return [
        "Made by `malibo bench report`. Each task is the new one in turn; the past is random"
        " observations of other tasks, and for a seed all methods see the same. ± is one standard"
        " error over seeds, where there are several. Ranks are among all methods of a table, on the"
        " seeds that all of them have. The CSV file of each suite has every task by itself.",
    ]


def _page(sections: Sequence[Section], pictures: Mapping[str, Path]) -> str:
    """One file that needs nothing else: pictures are inside."""
    body = ["<h1>malibo bench</h1>", *(f"<p>{html.escape(line)}</p>" for line in _preface())]
    for section in sections:
        body += [f"<h2>{html.escape(section.title)}</h2>"]
        if section.commands:
            body += [f"<pre>{html.escape(chr(10).join(section.commands))}</pre>"]
        for caption, table in section.tables.items():
            body += [
                f"<h3>{html.escape(caption[0].upper() + caption[1:])}</h3>",
                _html_table(table),
            ]
    body.append("<h2>Figures</h2>")
    for name, path in pictures.items():
        data = base64.b64encode(path.read_bytes()).decode()
        line = html.escape(FIGURES[name].line)
        body.append(
            f'<figure id="{name}"><img alt="{line}" src="data:image/png;base64,{data}">'
            f"<figcaption><code>{name}</code>: {line}</figcaption></figure>"
        )
    return _FRAME.replace("BODY", "\n".join(body))


def _sentence(text: str) -> str:
    """With a capital; the rest stays as it is."""
    return text[:1].upper() + text[1:]


def _html_table(table: Cells) -> str:
    header, *lines = ([html.escape(cell) for cell in cells] for cells in table)
    head = "".join(f"<th>{cell}</th>" for cell in header)
    rows = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>" for cells in lines)
    return f"<div><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"


_FRAME = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>malibo bench</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 62rem; padding: 0 1rem;
  color: #222; background: #fff; }
div { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.85rem; white-space: nowrap; }
th, td { padding: 0.2rem 0.7rem; text-align: right; border-bottom: 1px solid #ddd; }
th:first-child, td:first-child { text-align: left; }
pre { background: #f5f5f5; padding: 0.7rem; overflow-x: auto; font-size: 0.8rem; }
figure { margin: 2rem 0; }
img { max-width: 100%; height: auto; }
figcaption { color: #555; font-size: 0.9rem; }
</style></head><body>
BODY
</body></html>
"""
