// The tables of variables and of arcs, which can be sorted and filtered.

const collator = new Intl.Collator("en", { numeric: true });

/**
 * Fill a table and return the function that redraws it. An entry has the variable that its first
 * cell selects, the values of its cells for sorting, and their texts, of which the first two are
 * filtered.
 */
function listTable(id, entries, noun) {
  const table = byId(id);
  const heads = [...table.tHead.rows[0].cells];
  const input = byId(`${id}-filter`);

  function row({ v, texts }) {
    const line = make("tr", v === chosen ? { class: "now" } : {});
    const head = make("th", { scope: "row" });
    head.append(make("button", { type: "button", "data-choose": v }, texts[0] || "(no name)"));
    line.append(head, ...texts.slice(1).map((text) => make("td", {}, text)));
    return line;
  }

  function draw() {
    const part = input.value.toLowerCase();
    const fitting = entries.filter(({ texts }) => texts.slice(0, 2).some((text) => text.toLowerCase().includes(part)));
    // The filter finds the others.
    table.tBodies[0].replaceChildren(...fitting.slice(0, MOST_ROWS).map(row));
    byId(`${id}-shown`).textContent = [
      fitting.length < entries.length ? `${written(fitting.length)} of ` : "",
      counted(entries.length, noun),
      fitting.length > MOST_ROWS ? `, first ${MOST_ROWS} shown` : "",
    ].join("");
  }

  input.addEventListener("input", draw);
  heads.forEach((cell, column) => {
    cell.querySelector("button").addEventListener("click", () => {
      const turn = cell.getAttribute("aria-sort") === "ascending" ? -1 : 1;
      for (const other of heads) other.setAttribute("aria-sort", "none");
      cell.setAttribute("aria-sort", turn === 1 ? "ascending" : "descending");
      entries.sort(({ keys: a }, { keys: b }) => turn * (typeof a[column] === "string"
        ? collator.compare(a[column], b[column]) : a[column] - b[column]));
      draw();
    });
  });
  draw();
  return draw;
}

const drawVariables = listTable("variable-table", data.names.map((name, v) => {
  const [rank, sets, score] = data.choices[v];
  const parents = data.parents[v].map((p) => data.names[p]).join(", ");
  const count = children[v].length;
  return {
    v, keys: [name, parents, rank, sets, score ?? -Number.MAX_VALUE, count],
    texts: [name, parents, written(rank), written(sets), written(score, 3), written(count)],
  };
}), "variable");

if (data.arcShares || data.margins) {
  const margins = new Map((data.margins ?? []).map(([p, v, margin, text]) => [`${p} ${v}`, [margin, text]]));
  listTable("arc-table", (data.arcShares ?? data.margins).map(([p, v, share, either]) => {
    const ends = [data.names[p], data.names[v]];
    const keys = [...ends], texts = [...ends];
    if (data.arcShares) {
      keys.push(share, either);
      texts.push(thousandths(share), thousandths(either));
    }
    if (data.margins) {
      const [margin, text] = margins.get(`${p} ${v}`) ?? [-1, ""];
      keys.push(margin);
      texts.push(text);
    }
    if (data.arcShares) {
      const inside = data.parents[v].includes(p) ? "yes" : "no";
      keys.push(inside);
      texts.push(inside);
    }
    return { v: p, keys, texts };
  }), "arc");
}
