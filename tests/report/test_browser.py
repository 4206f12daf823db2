"""The page in a real browser, on a phone and on a desktop.

``MALIBO_NEED_BROWSER=1`` makes a browser that is not there an error in place of a skip.
"""

from __future__ import annotations

import csv
import json
import os
import shutil
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from malibo import MetaModel
from malibo.report import facts_of, report_page
from report.examples import NASTY, many_trials, tuning_of

_NAMES = ("chromium", "chromium-browser", "google-chrome")
_TRIALS = 30
WIDTHS = pytest.mark.parametrize("width", [390, 1280])

Facts = dict[str, Any]
Opener = Callable[..., Any]


def missing(reason: str) -> None:
    """Skip, or fail where a browser is said to be there."""
    if os.environ.get("MALIBO_NEED_BROWSER"):
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium without a window."""
    path = next(filter(None, map(shutil.which, _NAMES)), None)
    if path is None:
        missing(f"none of {', '.join(_NAMES)} is there")
    try:
        playwright = import_module("playwright.sync_api")
    except ImportError:
        missing("the package playwright is not installed")
    with playwright.sync_playwright() as engine:
        found = engine.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture(scope="module")
def shown_facts(model: MetaModel) -> Facts:
    """Of thirty trials with nasty names; values are above zero, and there are twelve tasks."""
    facts = facts_of(tuning_of(model, many_trials(model, _TRIALS), name=NASTY))
    facts["trials"][6]["note"] = '=HYPERLINK("http://x")\n, "quoted"'
    facts["trials"][0]["config"]["optimizer"] = NASTY
    item = {"mean": 0.2, "low": -0.4, "high": 0.7, "nearest": 0.1}
    facts["similarities"] = [{"task": f"{NASTY} {i}" * 2, **item} for i in range(12)]
    facts["most_like"] = {"task": None, "certainty": "open"}
    return facts


@pytest.fixture
def opened(browser: Any, shown_facts: Facts, tmp_path: Path) -> Iterator[Opener]:
    """Opens the page at a width; at the end nothing was logged, asked for or loaded."""
    path = tmp_path / "report.html"
    path.write_text(report_page(shown_facts), encoding="utf-8")
    unwanted: list[str] = []
    contexts = []

    def open_page(width: int, **options: Any) -> Any:
        context = browser.new_context(viewport={"width": width, "height": 800}, **options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(5000)
        page.on("console", lambda message: unwanted.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: unwanted.append(f"error: {error}"))
        page.on("dialog", lambda dialog: unwanted.append(f"dialog: {dialog.message}"))
        page.on("request", lambda request: _note(request.url, unwanted))
        page.goto(path.as_uri())
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert unwanted == []


def _note(url: str, unwanted: list[str]) -> None:
    if not url.startswith(("file://", "blob:")):
        unwanted.append(f"request: {url}")


def rows(page: Any) -> list[int]:
    """Numbers of the trials in the table, in the order shown."""
    found = page.evaluate(
        "[...document.querySelectorAll('#trials tbody tr')].filter(row => !row.hidden)"
        ".map(row => Number(row.dataset.trial))"
    )
    return [int(number) for number in found]


@pytest.mark.parametrize(("width", "scheme"), [(390, "light"), (1280, "dark")])
def test_the_page_fits_its_window_and_can_be_seen(
    opened: Opener, tmp_path: Path, width: int, scheme: str
) -> None:
    page = opened(width, color_scheme=scheme)
    assert page.title().startswith("<script>alert(1)</script>")
    assert page.locator("h1").inner_text().startswith("<script>alert(1)</script>")
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == (
        "rgb(20, 22, 26)" if scheme == "dark" else "rgb(251, 251, 250)"
    )
    page.screenshot(path=tmp_path / "page.png", full_page=True)
    assert (tmp_path / "page.png").stat().st_size > 50_000


@WIDTHS
def test_the_controls_of_the_history(opened: Opener, width: int) -> None:
    page = opened(width)
    linear, log = (page.locator(f"[data-scale={kind}]") for kind in ("linear", "log"))
    assert (linear.is_visible(), log.is_visible()) == (True, False)
    page.get_by_label("Logarithmic scale").check()
    assert (linear.is_visible(), log.is_visible()) == (False, True)
    page.get_by_label("Logarithmic scale").uncheck()
    random = linear.locator(".expected")
    assert random.is_visible()
    page.get_by_label("Random search (estimate)").uncheck()
    assert not random.is_visible()
    assert not page.locator(".legend .expectation").is_visible()


@WIDTHS
def test_a_trial_is_chosen_by_pointer_and_by_keys(
    opened: Opener, shown_facts: Facts, width: int
) -> None:
    page = opened(width)
    chosen = page.locator("#chosen strong")
    assert chosen.inner_text() == f"Trial {shown_facts['best']['number']}"
    dot = page.locator("[data-scale=linear] [data-trial='12']")
    dot.scroll_into_view_if_needed()
    box = dot.bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    assert chosen.inner_text() == "Trial 12"
    page.locator("#history-plots").focus()
    page.keyboard.press("ArrowRight")
    assert chosen.inner_text() == "Trial 13"
    assert "chosen-dot" in page.locator("[data-scale=linear] [data-trial='13']").get_attribute(
        "class"
    )
    page.keyboard.press("End")
    page.keyboard.press("ArrowRight")
    assert chosen.inner_text() == f"Trial {_TRIALS - 1}"
    page.keyboard.press("Home")
    assert chosen.inner_text() == "Trial 0"
    text = page.locator("#chosen").inner_text()
    assert "<script>alert(1)</script>" in text
    assert "from: past" in text


def test_the_best_configuration_is_copied_as_json(opened: Opener, shown_facts: Facts) -> None:
    page = opened(1280, permissions=["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy as JSON").click()
    page.get_by_text("Copied.").wait_for()
    assert (
        json.loads(page.evaluate("navigator.clipboard.readText()")) == shown_facts["best"]["config"]
    )


def test_where_the_clipboard_is_closed_it_is_copied_in_the_old_way(opened: Opener) -> None:
    page = opened(1280)
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(Error()); }")
    page.get_by_role("button", name="Copy as JSON").click()
    page.get_by_text("Copied.").wait_for()
    assert page.locator("textarea").count() == 0


@WIDTHS
def test_all_tasks_and_any_parameter_can_be_shown(
    opened: Opener, shown_facts: Facts, width: int
) -> None:
    page = opened(width)
    visible = page.locator("#tasks tbody tr:visible")
    assert visible.count() == 10
    page.get_by_role("button", name="Show all 12").click()
    assert visible.count() == 12
    page.get_by_role("button", name="Show the first 10").click()
    assert visible.count() == 10
    for index, item in enumerate(shown_facts["importances"]):
        page.get_by_role("combobox", name="Value by").select_option(label=item["name"])
        shown = page.locator("#scatters [data-parameter]:visible")
        assert shown.count() == 1
        assert shown.get_attribute("data-parameter") == str(index)


@WIDTHS
def test_the_table_is_sorted_by_its_titles(opened: Opener, shown_facts: Facts, width: int) -> None:
    page = opened(width)
    assert rows(page) == list(range(_TRIALS))
    valued = [t for t in shown_facts["trials"] if t["value"] is not None]
    failed = [t["number"] for t in shown_facts["trials"] if t["value"] is None]
    upwards = [t["number"] for t in sorted(valued, key=lambda t: t["value"])]
    title = page.get_by_role("button", name="value", exact=True)
    title.click()
    assert rows(page)[: len(valued)] == upwards
    assert sorted(rows(page)[len(valued) :]) == failed
    title.click()
    assert rows(page)[: len(valued)] == upwards[::-1]
    assert sorted(rows(page)[len(valued) :]) == failed  # still last
    assert page.locator("th[aria-sort]").count() == 1
    page.get_by_role("button", name="layers", exact=True).click()
    layers = [shown_facts["trials"][number]["config"]["layers"] for number in rows(page)]
    assert layers == sorted(layers)


def test_the_table_is_filtered(opened: Opener) -> None:
    page = opened(390)
    failed = [number for number in range(_TRIALS) if number % 7 == 6]
    page.get_by_label("Status").select_option("failed")
    assert rows(page) == failed
    assert page.locator("#shown").inner_text() == f"{len(failed)} of {_TRIALS} shown"
    page.get_by_label("Source").select_option("meta-model")
    assert rows(page) == [number for number in failed if number % 5 == 1]
    page.get_by_label("Status").select_option("")
    assert rows(page) == list(range(1, _TRIALS, 5))


def test_the_trials_are_saved_as_csv_without_formulas(
    opened: Opener, shown_facts: Facts, tmp_path: Path
) -> None:
    page = opened(1280)
    with page.expect_download() as download:
        page.get_by_role("button", name="Download CSV").click()
    assert download.value.suggested_filename == "trials.csv"
    download.value.save_as(tmp_path / "trials.csv")
    with (tmp_path / "trials.csv").open(encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    assert len(lines) == _TRIALS
    assert lines[6]["note"] == "'" + shown_facts["trials"][6]["note"]
    assert lines[6]["value"] == ""
    assert [float(line["lr"]) for line in lines] == [
        t["config"]["lr"] for t in shown_facts["trials"]
    ]
    assert lines[0]["optimizer"] == NASTY


def test_only_what_is_of_use_on_paper_is_printed(opened: Opener) -> None:
    page = opened(800, color_scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    assert page.locator(".controls:visible").count() == 0
    assert page.locator("#trials tbody tr:visible").count() == _TRIALS
    white = page.evaluate("getComputedStyle(document.querySelector('section')).backgroundColor")
    assert white == "rgb(255, 255, 255)"


def test_without_scripts_everything_but_the_controls_is_there(opened: Opener) -> None:
    page = opened(390, java_script_enabled=False)
    assert page.locator("#trials tbody tr:visible").count() == _TRIALS
    assert page.locator("#tasks tbody tr:visible").count() == 12
    assert page.locator(".controls:visible").count() == 0
