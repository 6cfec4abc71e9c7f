// Tables that are sorted by a click on a column.

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
