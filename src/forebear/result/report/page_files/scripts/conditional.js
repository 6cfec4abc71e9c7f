// The table of probabilities of a variable given its parents, as bars. Long tables are filtered by the
// states of the parents and shown in pages.

const ROWS_SHOWN = 8;

/** The states of the parents in a row of the table. */
function configuration(v, row) {
  const states = [];
  for (let k = data.parents[v].length - 1; k >= 0; k--) {
    const size = model.sizes[data.parents[v][k]];
    states[k] = row % size;
    row = Math.floor(row / size);
  }
  return states;
}

function cell(p, name) {
  const found = make("td", { class: "cell", "aria-label": `${name}: ${percent(p)}` });
  const bar = make("i", { "aria-hidden": "true" });
  bar.style.width = `${100 * p}%`;
  found.append(bar, make("span", {}, percent(p)));
  return found;
}

/** Let the reader choose a state of a parent, or any. */
function parentFilter(p, change) {
  const label = make("label", { class: "pick" }, nameOf(p));
  const list = make("select", { "data-parent": p });
  list.append(make("option", { value: "-1" }, "any state"));
  model.states[p].forEach((_, s) => list.append(make("option", { value: s }, stateName(p, s))));
  list.addEventListener("change", change);
  label.append(list);
  return label;
}

function conditionalTable(v) {
  const part = make("div", { class: "conditional" });
  const parents = data.parents[v];
  const width = model.sizes[v];
  const rows = model.tables[v].length / width;
  const region = make("div", { class: "cells", tabindex: "0", role: "region", "aria-label": `Probabilities of ${nameOf(v)} given its parents` });
  const pager = make("div", { class: "pager" });
  const filters = rows > ROWS_SHOWN ? parents.map((p) => parentFilter(p, () => draw(0))) : [];
  if (filters.length) {
    const picks = make("div", { class: "picks" });
    picks.append(...filters);
    part.append(picks);
  }

  function draw(page) {
    const wanted = filters.map((label) => Number(label.querySelector("select").value));
    const fitting = [];
    for (let row = 0; row < rows; row++) {
      const states = configuration(v, row);
      if (wanted.every((s, k) => s < 0 || s === states[k])) fitting.push(row);
    }
    const table = make("table", { class: "given" });
    const head = make("tr");
    parents.forEach((p) => head.append(make("th", { scope: "col" }, nameOf(p))));
    model.states[v].forEach((_, s) => head.append(make("th", { scope: "col", class: "outcome" }, stateName(v, s))));
    table.append(make("thead"), make("tbody"));
    table.tHead.append(head);
    for (const row of fitting.slice(page * ROWS_SHOWN, (page + 1) * ROWS_SHOWN)) {
      const line = make("tr");
      configuration(v, row).forEach((s, k) => line.append(make("th", { scope: "row" }, stateName(parents[k], s))));
      for (let s = 0; s < width; s++) line.append(cell(model.tables[v][row * width + s], stateName(v, s)));
      table.tBodies[0].append(line);
    }
    region.replaceChildren(table);
    const pages = Math.ceil(fitting.length / ROWS_SHOWN);
    pager.hidden = pages < 2;
    const turn = (label, to) => {
      const button = make("button", { type: "button" }, label);
      button.disabled = to < 0 || to >= pages;
      button.addEventListener("click", () => {
        draw(to);
        const again = pager.querySelector(`button:nth-of-type(${to > page ? 2 : 1})`);
        (again.disabled ? region : again).focus({ preventScroll: true });
      });
      return button;
    };
    const first = page * ROWS_SHOWN + 1;
    const last = Math.min(fitting.length, (page + 1) * ROWS_SHOWN);
    pager.replaceChildren(
      turn("Previous", page - 1),
      make("span", { role: "status" }, `Rows ${written(first)} to ${written(last)} of ${written(fitting.length)}`),
      turn("Next", page + 1),
    );
  }
  draw(0);
  part.append(region, pager);
  return part;
}
