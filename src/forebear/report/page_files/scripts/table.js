// The table of variables: sorting, filtering, and links to the picture.

const body = byId("table").tBodies[0];
const rows = [...body.rows];
const keys = rows.map((row) => {
  const v = Number(row.dataset.v);
  const [rank, sets, score] = data.choices[v];
  const parents = data.parents[v].map((p) => data.names[p]);
  return [data.names[v], parents.join(", "), rank, sets, score ?? -Infinity, children[v].length];
});

function markRow(v) {
  body.querySelector(".now")?.classList.remove("now");
  if (v !== null) rows[v].classList.add("now");
}

sortable(byId("table"), (v) => keys[v], (compare) => {
  body.append(...rows.map((_, v) => v).sort((a, b) => compare(a, b) || a - b).map((v) => rows[v]));
});

byId("filter").addEventListener("input", (event) => {
  const part = event.target.value.toLowerCase();
  let fitting = 0;
  rows.forEach((row, v) => {
    row.hidden = !keys[v].slice(0, 2).some((text) => text.toLowerCase().includes(part));
    if (!row.hidden) fitting += 1;
  });
  byId("shown").textContent = part
    ? `${written(fitting)} of ${counted(rows.length, "variable")}`
    : counted(rows.length, "variable");
});
