// The probabilities of arcs: a table to sort and filter, and tips in the picture.

const thousandths = (count) => written(count / 1000, data.digits);
const probabilities = new Map((data.probabilities ?? []).map(([p, v, share, either]) => [`${p} ${v}`, [share, either]]));

/** Write the tip of an arc: its ends, and its probability if it is known. */
function arcTip(p, v) {
  const known = probabilities.get(`${p} ${v}`);
  const title = `${data.names[p]} → ${data.names[v]}`;
  return known
    ? `${title}\nprobability ${thousandths(known[0])}, in either direction ${thousandths(known[1])}`
    : title;
}

if (data.probabilities) {
  // More rows would make the page slow. The filter finds the others.
  const MOST = 200;
  const list = byId("arc-table");
  const heads = [...list.tHead.rows[0].cells];
  const entries = data.probabilities.map(([p, v, share, either]) => ({
    p,
    v,
    keys: [data.names[p], data.names[v], share, either, data.parents[v].includes(p) ? "yes" : "no"],
  }));
  let ranked = entries;

  const row = ({ p, v, keys }) => {
    const line = make("tr");
    const head = make("th", { scope: "row" });
    const button = make("button", { type: "button" }, data.names[p] || "(no name)");
    button.addEventListener("click", () => {
      byId("network").scrollIntoView();
      choose(p);
      stage.focus({ preventScroll: true });
    });
    head.append(button);
    const [, child, share, either, inside] = keys;
    line.append(head, make("td", {}, child));
    for (const text of [thousandths(share), thousandths(either), inside]) {
      line.append(make("td", {}, text));
    }
    return line;
  };

  const draw = () => {
    const part = byId("arc-filter").value.toLowerCase();
    const fitting = ranked.filter(({ keys }) =>
      keys.slice(0, 2).some((name) => name.toLowerCase().includes(part)));
    list.tBodies[0].replaceChildren(...fitting.slice(0, MOST).map(row));
    const all = part ? `${written(fitting.length)} of ` : "";
    const shown = fitting.length > MOST ? `, first ${MOST} shown` : "";
    byId("arcs-shown").textContent = `${all}${counted(entries.length, "arc")}${shown}`;
  };

  heads.forEach((cell, column) => {
    cell.querySelector("button").addEventListener("click", () => {
      const turn = cell.getAttribute("aria-sort") === "ascending" ? -1 : 1;
      for (const other of heads) other.setAttribute("aria-sort", "none");
      cell.setAttribute("aria-sort", turn === 1 ? "ascending" : "descending");
      ranked = [...entries].sort((a, b) => {
        const [x, y] = [a.keys[column], b.keys[column]];
        return turn * (typeof x === "string" ? order.compare(x, y) : x - y);
      });
      draw();
    });
  });
  byId("arc-filter").addEventListener("input", draw);
  draw();
}
