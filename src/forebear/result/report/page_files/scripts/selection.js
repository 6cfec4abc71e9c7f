// Selecting a variable highlights its Markov blanket and shows its details in the panel.

const hint = [...byId("details").childNodes];
// More rows of a table of probabilities would make the page slow.
const MOST_ROWS = 200;
let chosen = null;

/** Return the parents, the children and the other parents of the children. */
function blanket(v) {
  const [parent, child] = [data.parents[v], children[v]];
  const spouse = new Set(child.flatMap((c) => data.parents[c]));
  for (const u of [v, ...parent, ...child]) spouse.delete(u);
  return { parent, child, spouse: [...spouse].sort((a, b) => a - b) };
}

function light(element, kind) {
  element.classList.add("lit", kind);
  // The last element is drawn on top.
  element.parentNode.append(element);
}

/** Highlight the Markov blanket of the selected variable. */
function lightBlanket() {
  for (const element of svg.querySelectorAll(".lit")) element.classList.remove("lit", "self", "parent", "child", "spouse");
  stage.classList.toggle("chosen", chosen !== null);
  if (chosen === null) return;
  const kin = blanket(chosen);
  for (const p of kin.parent) light(arcOf.get(`${p} ${chosen}`), "parent");
  for (const c of kin.child) {
    for (const p of data.parents[c]) light(arcOf.get(`${p} ${c}`), p === chosen ? "child" : "spouse");
  }
  for (const kind of ["spouse", "child", "parent"]) kin[kind].forEach((u) => light(boxes[u], kind));
  light(boxes[chosen], "self");
  reveal([chosen, ...kin.parent, ...kin.child, ...kin.spouse]);
}

/** Select a variable, or none. */
function choose(v) {
  chosen = v;
  lightBlanket();
  placeNames();
  byId("clear").disabled = v === null;
  byId("find").value = v === null ? "" : data.names[v];
  byId("details").replaceChildren(...(v === null ? hint : describe(v)));
  byId("details").scrollTop = 0;
  byId("selected").textContent = v === null ? "" : `Selected: ${summaryOf(v)}. The panel beside the picture describes it.`;
  drawVariables();
}

function summaryOf(v) {
  return `${nameOf(v)}: ${counted(data.parents[v].length, "parent")}, ${counted(children[v].length, "child", "children")}`;
}

// The panel.

/** Return the strength of an arc, if it is known. */
function bits(p, v) {
  const strength = data.strengths?.[v][data.parents[v].indexOf(p)];
  return strength === undefined ? "" : `${written(strength / 1000, 2)} bits`;
}

/** Return a list of relatives (parents, children, ...) that can be selected. */
function kinList(kind, title, list, remark) {
  const heading = make("h4");
  heading.append(make("i", { class: kind, "aria-hidden": "true" }), `${title} (${written(list.length)})`);
  const chips = make("ul", { class: "chips" });
  for (const u of list) {
    const item = make("li");
    const button = make("button", { type: "button", class: kind, "data-choose": u }, nameOf(u));
    if (remark(u)) button.append(make("span", { class: "extra" }, remark(u)));
    item.append(button);
    chips.append(item);
  }
  return list.length ? [heading, chips] : [heading];
}

/** Return the states of the parents in a row of the table of a variable. */
function configuration(v, row) {
  const states = [];
  for (const p of [...data.parents[v]].reverse()) {
    states.unshift(row % model.sizes[p]);
    row = Math.floor(row / model.sizes[p]);
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

/** Return the probabilities of a variable given its parents, as a table with bars. */
function conditionalTable(v) {
  const [parents, width] = [data.parents[v], model.sizes[v]];
  const rows = model.tables[v].length / width;
  const table = make("table", { class: "given" });
  const head = table.createTHead().insertRow();
  for (const p of parents) head.append(make("th", { scope: "col" }, nameOf(p)));
  model.states[v].forEach((_, s) => head.append(make("th", { scope: "col", class: "outcome" }, stateName(v, s))));
  const body = table.createTBody();
  for (let row = 0; row < Math.min(rows, MOST_ROWS); row++) {
    const line = body.insertRow();
    configuration(v, row).map((s, k) => stateName(parents[k], s))
      .forEach((name) => line.append(make("th", { scope: "row", title: name }, name)));
    for (let s = 0; s < width; s++) line.append(cell(model.tables[v][row * width + s], stateName(v, s)));
  }
  const region = make("div", { class: "cells", tabindex: "0", role: "region", "aria-label": `Probabilities of ${nameOf(v)} given its parents` });
  region.append(table);
  const left = rows - MOST_ROWS;
  return left > 0 ? [region, make("p", { class: "facts-of small" }, `and ${counted(left, "row")} more`)] : [region];
}

/** Return the elements of the panel about a variable. */
function describe(v) {
  const [rank, sets, score] = data.choices[v];
  const kin = blanket(v);
  const parts = [
    make("h3", {}, nameOf(v)),
    make("p", { class: "facts-of" }, `Rank ${written(rank)} of ${counted(sets, "parent set")}, score ${written(score, 3)}`),
  ];
  if (engine) {
    const about = make("p", { class: "facts-of small" }, "Click a state to observe or set it. The answer is shown under ");
    about.append(make("a", { href: "#what-if" }, "What if"), ".");
    parts.push(make("h4", {}, "Distribution"), stateBars(v), about);
  }
  if (model && kin.parent.length) {
    parts.push(make("h4", {}, `Probabilities given ${kin.parent.length === 1 ? "its parent" : "its parents"}`), ...conditionalTable(v));
  }
  return [
    ...parts,
    ...kinList("parent", "Parents", kin.parent, (u) => bits(u, v)),
    ...kinList("child", "Children", kin.child, (u) => bits(v, u)),
    ...kinList("spouse", "Other parents of the children", kin.spouse, () => ""),
    make("p", { class: "facts-of small" }, "Together, these form its Markov blanket: given their states, no other variable helps to predict it."),
  ];
}

// The element under the pointer is described in a separate line, so that nothing covers the picture.

const hoverHint = byId("hover").textContent;
const thousandths = (count) => written(count / 1000, data.digits);
const arcShares = new Map((data.arcShares ?? []).map(([p, v, ...shares]) => [`${p} ${v}`, shares]));

/** Describe an arc: its variables, and its strength and probability if they are known. */
function arcText(p, v) {
  const shares = arcShares.get(`${p} ${v}`)?.map(thousandths);
  const probability = shares && `probability ${shares[0]}, in either direction ${shares[1]}`;
  return [`${nameOf(p)} → ${nameOf(v)}`, bits(p, v), probability].filter(Boolean).join(", ");
}

const variableAt = (event) => event.target.closest(".fb-node")?.dataset.v;

stage.addEventListener("pointerover", (event) => {
  const v = variableAt(event);
  const arc = event.target.closest(".fb-arc[data-arc]");
  const text = v ? summaryOf(Number(v)) : arc && arcText(...arc.dataset.arc.split(" ").map(Number));
  byId("hover").textContent = text || hoverHint;
  placeNames();
});
stage.addEventListener("pointerleave", () => {
  byId("hover").textContent = hoverHint;
  placeNames();
});
stage.addEventListener("click", (event) => {
  const v = variableAt(event);
  if (v) choose(Number(v));
});
stage.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const actions = {
    ArrowLeft: () => move(-60, 0),
    ArrowRight: () => move(60, 0),
    ArrowUp: () => move(0, -60),
    ArrowDown: () => move(0, 60),
    "+": () => zoom(1.3),
    "=": () => zoom(1.3),
    "-": () => zoom(1 / 1.3),
    0: () => show(full),
  };
  if (!actions[event.key]) return;
  event.preventDefault();
  actions[event.key]();
});

byId("find").addEventListener("input", (event) => {
  const v = data.names.indexOf(event.target.value);
  if (v >= 0 && event.target.value !== "") choose(v);
});
byId("find").addEventListener("keydown", (event) => {
  if (event.key !== "Enter") return;
  const part = event.target.value.toLowerCase();
  const v = data.names.findIndex((name) => name.toLowerCase().includes(part));
  if (part && v >= 0) choose(v);
});
byId("clear").addEventListener("click", () => choose(null));
byId("network").addEventListener("keydown", (event) => { if (event.key === "Escape") choose(null); });
// Names elsewhere on the page also select a variable, and scroll to the picture.
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-choose]");
  if (!button) return;
  byId("network").scrollIntoView();
  choose(Number(button.dataset.choose));
  byId("details").focus({ preventScroll: true });
});
