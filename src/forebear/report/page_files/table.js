// The table of variables: sorting, filtering, and links to the picture.

const table = byId("table");
const body = table.tBodies[0];
const rows = [...body.rows];
const keys = rows.map((row) => {
  const v = Number(row.dataset.v);
  const [rank, sets, score] = data.choices[v];
  const parents = data.parents[v].map((p) => data.names[p]);
  return [data.names[v], parents.join(", "), rank, sets, score ?? -Infinity, children[v].length];
});
const order = new Intl.Collator("en", { numeric: true });

function markRow(v) {
  body.querySelector(".now")?.classList.remove("now");
  if (v !== null) rows[v].classList.add("now");
}

[...table.tHead.rows[0].cells].forEach((cell, column, cells) => {
  cell.querySelector("button").addEventListener("click", () => {
    const turn = cell.getAttribute("aria-sort") === "ascending" ? -1 : 1;
    for (const other of cells) other.setAttribute("aria-sort", "none");
    cell.setAttribute("aria-sort", turn === 1 ? "ascending" : "descending");
    const compare = (a, b) => {
      const [x, y] = [keys[a][column], keys[b][column]];
      const before = typeof x === "string" ? order.compare(x, y) : x < y ? -1 : Number(x > y);
      return turn * before || a - b;
    };
    body.append(...rows.map((_, v) => v).sort(compare).map((v) => rows[v]));
  });
});

byId("filter").addEventListener("input", (event) => {
  const part = event.target.value.toLowerCase();
  let shown = 0;
  rows.forEach((row, v) => {
    row.hidden = !keys[v].slice(0, 2).some((text) => text.toLowerCase().includes(part));
    if (!row.hidden) shown += 1;
  });
  byId("shown").textContent = part
    ? `${written(shown)} of ${counted(rows.length, "variable")}`
    : counted(rows.length, "variable");
});

body.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  byId("network").scrollIntoView();
  choose(Number(button.closest("tr").dataset.v));
  stage.focus({ preventScroll: true });
});
