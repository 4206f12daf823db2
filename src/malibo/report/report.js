"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const get = (id) => document.getElementById(id);
  const [NUMBER, STATUS, VALUE, SOURCE, TRUST, SECONDS, FIRST] = [0, 1, 2, 3, 4, 5, 6];
  const trials = new Map(data.trials.map((trial) => [trial[NUMBER], trial]));
  document.documentElement.classList.add("ready");

  const on = (id, event, act) => {
    const element = get(id);
    if (element) element.addEventListener(event, () => act(element));
  };
  const make = (name, text, kind) => {
    const element = document.createElement(name);
    if (text !== undefined) element.textContent = text;
    if (kind) element.className = kind;
    return element;
  };

  // -- numbers as the page writes them -------------------------------------------------------

  const short = (value, digits) => {
    if (typeof value !== "number") return String(value);
    if (Number.isInteger(value) && Math.abs(value) < 1e15) return String(value);
    const size = Math.abs(value);
    const text = size >= 1e-4 && size < 1e6
      ? String(Number(value.toPrecision(digits)))
      : value.toExponential(digits - 1).replace(/\.?0+e/, "e");
    return text.replace("e+", "e");
  };

  // -- best configuration --------------------------------------------------------------------

  const copyBySelection = (text) => {
    const area = make("textarea", text);
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  };
  on("copy", "click", async () => {
    const text = JSON.stringify(data.best, null, 2);
    let done = true;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      done = copyBySelection(text);
    }
    get("copied").textContent = done ? "Copied." : "The browser does not allow it.";
  });

  // -- history -------------------------------------------------------------------------------

  const plots = get("history-plots");
  const circles = () =>
    plots ? [...plots.querySelectorAll("[data-scale]:not([hidden]) [data-trial]")] : [];

  const describe = (number) => {
    const trial = trials.get(number);
    const panel = get("chosen");
    const title = make("p", undefined, "chosen-title");
    title.append(make("strong", `Trial ${number}`));
    const value = trial[VALUE] === null ? trial[STATUS] : short(trial[VALUE], 6);
    title.append(` · ${value} · from: ${trial[SOURCE]}`);
    if (trial[TRUST] !== null) title.append(` · trust ${trial[TRUST].toFixed(2)}`);
    const list = make("dl");
    data.names.forEach((name, index) => {
      if (trial[FIRST + index] === null) return;
      const pair = make("div");
      pair.append(make("dt", name), make("dd", short(trial[FIRST + index], 4)));
      list.append(pair);
    });
    panel.replaceChildren(title, list);
    const note = trial[trial.length - 1];
    if (note) panel.append(make("p", note, "note"));
  };
  let chosen = null;
  const choose = (number) => {
    chosen = number;
    for (const circle of plots.querySelectorAll("[data-trial]")) {
      circle.classList.toggle("chosen-dot", Number(circle.dataset.trial) === number);
    }
    describe(number);
  };
  const nearest = (event) => {
    let best = null;
    let least = 40 * 40;
    for (const circle of circles()) {
      const box = circle.getBoundingClientRect();
      const dx = box.x + box.width / 2 - event.clientX;
      const dy = box.y + box.height / 2 - event.clientY;
      if (dx * dx + dy * dy < least) {
        least = dx * dx + dy * dy;
        best = Number(circle.dataset.trial);
      }
    }
    if (best !== null && best !== chosen) choose(best);
  };
  const step = (event) => {
    const numbers = circles().map((circle) => Number(circle.dataset.trial));
    const at = numbers.indexOf(chosen);
    const targets = {
      ArrowLeft: at - 1,
      ArrowRight: at + 1,
      Home: 0,
      End: numbers.length - 1,
    };
    if (!(event.key in targets)) return;
    event.preventDefault();
    choose(numbers[Math.min(Math.max(targets[event.key], 0), numbers.length - 1)]);
  };
  if (plots) {
    plots.addEventListener("pointermove", nearest);
    plots.addEventListener("pointerdown", nearest);
    plots.addEventListener("keydown", step);
    if (data.best_number !== null) choose(data.best_number);
  }
  on("log-scale", "change", (box) => {
    for (const view of plots.querySelectorAll("[data-scale]")) {
      view.hidden = (view.dataset.scale === "log") !== box.checked;
    }
  });
  on("show-random", "change", (box) => {
    get("history").classList.toggle("without-random", !box.checked);
  });

  // -- tasks and parameters ------------------------------------------------------------------

  on("all-tasks", "click", (button) => {
    const all = get("tasks").classList.toggle("all");
    button.textContent = all ? button.dataset.less : button.dataset.more;
    button.setAttribute("aria-expanded", String(all));
  });
  on("parameter", "change", (select) => {
    for (const view of get("scatters").querySelectorAll("[data-parameter]")) {
      view.hidden = view.dataset.parameter !== select.value;
    }
  });

  // -- the table -----------------------------------------------------------------------------

  const table = get("trials");
  const rows = [...table.tBodies[0].rows];
  const trialOf = (row) => trials.get(Number(row.dataset.trial));
  const compare = (a, b) => {
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    if (typeof a === "number" && typeof b === "number") return a - b;
    return String(a).localeCompare(String(b), undefined, { numeric: true });
  };
  const sortBy = (column, down) => {
    rows.sort((one, other) => {
      const [a, b] = [trialOf(one)[column], trialOf(other)[column]];
      const order = compare(a, b);
      return down && a !== null && b !== null ? -order : order;
    });
    table.tBodies[0].append(...rows);
  };
  for (const button of table.tHead.querySelectorAll("button")) {
    button.addEventListener("click", () => {
      const title = button.closest("th");
      const down = title.getAttribute("aria-sort") === "ascending";
      for (const other of table.tHead.querySelectorAll("th")) other.removeAttribute("aria-sort");
      title.setAttribute("aria-sort", down ? "descending" : "ascending");
      sortBy(Number(button.dataset.column), down);
    });
  }
  const filter = () => {
    const [status, source] = [get("filter-status").value, get("filter-source").value];
    let count = 0;
    for (const row of rows) {
      const trial = trialOf(row);
      const fits = (!status || trial[STATUS] === status) && (!source || trial[SOURCE] === source);
      row.hidden = !fits;
      count += Number(fits);
    }
    get("shown").textContent = `${count} of ${rows.length} shown`;
  };
  on("filter-status", "change", filter);
  on("filter-source", "change", filter);
  filter();

  // A text that a spreadsheet would take for a formula gets an apostrophe in front.
  const cell = (value) => {
    if (value === null) return "";
    if (typeof value === "number") return String(value);
    const safe = String(value).replace(/^(?=[=+\-@\t\r])/, "'");
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  on("download", "click", () => {
    const titles = ["trial", "status", "value", "source", "trust", "seconds", ...data.names, "note"];
    const lines = [titles, ...data.trials].map((line) => [...line].map(cell).join(","));
    const blob = new Blob([lines.join("\r\n"), "\r\n"], { type: "text/csv" });
    const link = make("a");
    link.href = URL.createObjectURL(blob);
    link.download = "trials.csv";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  });
})();
