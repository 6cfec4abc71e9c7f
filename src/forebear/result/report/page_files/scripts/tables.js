// The tables of variables and of arcs: sorting, filtering, and links to the picture.

const order = new Intl.Collator("en", { numeric: true });

/** Call sort(compare) when the reader clicks a column head; keys are those of a row. */
function sortable(table, keysOf, sort) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((cell, column) => {
    cell.querySelector("button").addEventListener("click", () => {
      const turn = cell.getAttribute("aria-sort") === "ascending" ? -1 : 1;
      for (const other of heads) other.setAttribute("aria-sort", "none");
      cell.setAttribute("aria-sort", turn === 1 ? "ascending" : "descending");
      sort((a, b) => {
        const [x, y] = [keysOf(a)[column], keysOf(b)[column]];
        return turn * (typeof x === "string" ? order.compare(x, y) : x < y ? -1 : Number(x > y));
      });
    });
  });
}

/** Call filter(fits) when the reader types; fits tells whether a row with these names is shown. */
function filterable(input, filter) {
  const apply = () => {
    const part = input.value.toLowerCase();
    filter((names) => names.some((name) => name.toLowerCase().includes(part)));
  };
  input.addEventListener("input", apply);
  return apply;
}

function shownOf(fitting, all, noun) {
  return fitting < all ? `${written(fitting)} of ${counted(all, noun)}` : counted(all, noun);
}

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

filterable(byId("filter"), (fits) => {
  rows.forEach((row, v) => { row.hidden = !fits(keys[v].slice(0, 2)); });
  byId("shown").textContent = shownOf(rows.filter((row) => !row.hidden).length, rows.length, "variable");
});

const thousandths = (count) => written(count / 1000, data.digits);
const arcShares = new Map((data.arcShares ?? []).map(([p, v, share, either]) => [`${p} ${v}`, [share, either]]));

/** Describe an arc: its ends, and its strength and probability if they are known. */
function arcText(p, v) {
  const known = arcShares.get(`${p} ${v}`);
  return [
    `${data.names[p]} → ${data.names[v]}`,
    bits(p, v),
    known ? `probability ${thousandths(known[0])}, in either direction ${thousandths(known[1])}` : "",
  ].filter(Boolean).join(", ");
}

if (data.arcShares) {
  // More rows would make the page slow. The filter finds the others.
  const MOST = 200;
  const list = byId("arc-table");
  const entries = data.arcShares.map(([p, v, share, either]) => ({
    p, keys: [data.names[p], data.names[v], share, either, data.parents[v].includes(p) ? "yes" : "no"],
  }));
  let ranked = entries;

  const row = ({ p, keys: [, child, share, either, inside] }) => {
    const line = make("tr");
    const head = make("th", { scope: "row" });
    head.append(make("button", { type: "button", "data-choose": p }, nameOf(p)));
    line.append(head, make("td", {}, child));
    for (const text of [thousandths(share), thousandths(either), inside]) {
      line.append(make("td", {}, text));
    }
    return line;
  };

  const draw = filterable(byId("arc-filter"), (fits) => {
    const fitting = ranked.filter((entry) => fits(entry.keys.slice(0, 2)));
    list.tBodies[0].replaceChildren(...fitting.slice(0, MOST).map(row));
    const limited = fitting.length > MOST ? `, first ${MOST} shown` : "";
    byId("arcs-shown").textContent = `${shownOf(fitting.length, entries.length, "arc")}${limited}`;
  });

  sortable(list, (entry) => entry.keys, (compare) => {
    ranked = [...entries].sort(compare);
    draw();
  });
  draw();
}
