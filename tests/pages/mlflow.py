"""What the page about MLflow takes for granted: a tracking folder with three experiments."""

import math
from pathlib import Path

FIELDS = "artifact_location: ''\nlifecycle_stage: active\n"


def write(path: Path, text: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(str(text))


for number, data in enumerate(["mnist", "cifar", "svhn"]):
    folder = Path("mlruns") / f"{number + 1}"
    write(folder / "meta.yaml", f"experiment_id: '{number + 1}'\nname: {data}\n{FIELDS}")
    for i in range(25):
        lr, layers, optimizer = 10 ** (-5 + 4 * i / 24), 1 + 5 * i % 8, ("adam", "sgd")[i % 2]
        loss = (math.log10(lr) + 3) ** 2 + 0.1 * layers + 0.1 * number
        run = f"{number}{i:031}"
        about = f"run_id: {run}\nrun_uuid: {run}\nexperiment_id: '{number + 1}'\nstatus: 3\n"
        write(folder / run / "meta.yaml", f"{about}start_time: 1\nend_time: 2\n{FIELDS}")
        for name, value in {"lr": lr, "layers": layers, "optimizer": optimizer}.items():
            write(folder / run / "params" / name, value)
        for name, value in {"dataset": data, "team": "vision"}.items():
            write(folder / run / "tags" / name, value)
        write(folder / run / "metrics" / "val_loss", f"1 {loss} 0\n")
        write(folder / run / "metrics" / "val_acc", f"1 {math.exp(-loss)} 0\n2 0.1 1\n")
