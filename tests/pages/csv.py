"""What the page about tables takes for granted: tables as they come, and one with odd rows."""

import math
from pathlib import Path

HEADER = "dataset,run_id,lr,batch,optimizer,momentum,seed,runtime,val_loss"


def row(task: int, i: int) -> str:
    lr, batch = 10 ** (-5 + 4 * ((i * 3 + task) % 90) / 89), (16, 32, 64, 128)[i % 4]
    optimizer, momentum = (
        ("sgd", f"{0.1 + 0.82 * (i * 7 % 30) / 29:.2f}") if i % 2 else ("adam", "")
    )
    loss = (math.log10(lr) + 3) ** 2 + batch / 100 + 0.1 * task
    time = 60 + i * 11 % 7
    return (
        f"data {task},r{task}{i:02},{lr:.6g},{batch},{optimizer},{momentum},{i % 3},{time},{loss}"
    )


def write(name: str, rows: list[str], header: str = HEADER) -> None:
    Path(name).write_text("\n".join([header, *rows]) + "\n")


rows = [row(task, i) for task in range(3) for i in range(30)]
write("runs.csv", rows)
write("more.csv", [row(task, i) for task in range(3, 5) for i in range(30)])
write("odd.csv", [*rows[:50], rows[50].rsplit(",", 1)[0] + ",oops", *rows[51:]])

exported = []
for number in range(90):
    task, i = number % 3, number // 3
    lr = 10 ** (-5 + 4 * i / 29)
    state, split = ("crashed" if i == 9 else "finished"), ("val" if number % 9 else "test")
    loss = (math.log10(lr) + 3) ** 2 + task
    exported.append(f"fair-sun-{number},{state},me,{number},{split},data {task},{lr:.6g},{loss}")
write("wandb.csv", exported, "Name,State,User,_step,split,dataset,learning_rate,val_loss")
