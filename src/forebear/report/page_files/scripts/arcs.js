// The probabilities of arcs: a table to sort and filter, and the line about an arc.

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

  const draw = () => {
    const part = byId("arc-filter").value.toLowerCase();
    const fitting = ranked.filter((entry) =>
      entry.keys.slice(0, 2).some((name) => name.toLowerCase().includes(part)));
    list.tBodies[0].replaceChildren(...fitting.slice(0, MOST).map(row));
    const all = part ? `${written(fitting.length)} of ` : "";
    const limited = fitting.length > MOST ? `, first ${MOST} shown` : "";
    byId("arcs-shown").textContent = `${all}${counted(entries.length, "arc")}${limited}`;
  };

  sortable(list, (entry) => entry.keys, (compare) => {
    ranked = [...entries].sort(compare);
    draw();
  });
  byId("arc-filter").addEventListener("input", draw);
  draw();
}
