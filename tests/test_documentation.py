"""The code that people copy: every example and every Python block of the README runs."""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
ALONE = {"ray_tune.py"}  # runs in a process of its own, in tests/integrations/test_ray.py


@pytest.mark.parametrize(
    "path", [path for path in EXAMPLES if path.name not in ALONE], ids=lambda path: path.name
)
def test_example_runs_and_prints_its_best(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(path), run_name="__main__")
    assert "best: (" in capsys.readouterr().out


#: The studies and the objective that the README takes for granted.
PAST_STUDIES = """
def objective(trial):
    return (trial.suggest_float("x", -5, 5) - 1) ** 2

import optuna as _optuna
_optuna.logging.set_verbosity(_optuna.logging.ERROR)
for _i in range(2):
    _study = _optuna.create_study(storage="sqlite:///past.db", study_name=f"study {_i}")
    _study.optimize(objective, n_trials=20)

"""


def test_readme_blocks_run_in_their_order(tmp_path: Path) -> None:
    text = (ROOT / "README.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    assert blocks
    script = tmp_path / "readme.py"
    script.write_text(_runs_csv(tmp_path) + PAST_STUDIES + "\n\n".join(blocks))
    command = [sys.executable, "-W", "error", str(script)]
    environment = {**os.environ, "MALIBO_CACHE": str(tmp_path / "cache")}
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=tmp_path, check=False, env=environment
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "tuning.malibo").is_file()


def _runs_csv(folder: Path) -> str:
    """The file and the function that the README takes for granted."""
    rows = ["dataset,lr,layers,optimizer,momentum,val_loss"]
    for task in range(3):
        for i in range(30):
            lr, layers = 10 ** (-5 + 4 * i / 29), 1 + i % 8
            optimizer, momentum = ("sgd", f"{0.03 * i:.2f}") if i % 2 else ("adam", "")
            loss = (i - 15 - task) ** 2 / 100 + layers / 10
            rows.append(f"data {task},{lr:.8g},{layers},{optimizer},{momentum},{loss}")
    (folder / "runs.csv").write_text("\n".join(rows))
    return "def train_and_validate(lr, **others):\n    return (lr - 0.01) ** 2\n\n\n"


def test_readme_and_changelog_name_only_files_that_exist() -> None:
    for name in (
        "README.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "docs/design.md",
        "docs/scaling.md",
    ):
        text = (ROOT / name).read_text()
        assert "@@" not in text, f"{name} has a place that was not filled in"
        for link in re.findall(r"\]\(([^)#]+)\)", text):
            if "://" not in link:
                assert ((ROOT / name).parent / link).exists(), f"{name}: {link}"
