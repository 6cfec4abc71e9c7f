// Choosing a variable: its Markov blanket lights up, and the panel describes it.

let chosen = null;

/** Return the parents, the children and the other parents of the children. */
function blanket(v) {
  const parent = new Set(data.parents[v]);
  const child = new Set(children[v]);
  const spouse = new Set(children[v].flatMap((c) => data.parents[c]));
  for (const u of [v, ...parent, ...child]) spouse.delete(u);
  return { parent: [...parent], child: [...child], spouse: [...spouse].sort((a, b) => a - b) };
}

function light(element, kind) {
  if (!element) return;
  element.classList.add("lit", kind);
  const focused = document.activeElement === element;
  element.parentNode.append(element);
  // Moving an element takes the focus from it.
  if (focused) element.focus({ preventScroll: true });
}

function unlight(svg) {
  for (const element of svg.querySelectorAll(".lit")) {
    element.classList.remove("lit", "self", "parent", "child", "spouse");
  }
}

/** Light up the blanket of the chosen variable in the picture that is shown. */
function relight() {
  unlight(shown.svg);
  const there = chosen !== null && shown.kind !== "groups" && shown.nodes.has(chosen);
  stage.classList.toggle("chosen", there);
  if (!there) return;
  const v = chosen;
  const kin = blanket(v);
  for (const p of kin.parent) light(shown.arcs.get(`${p} ${v}`), "parent");
  for (const c of kin.child) {
    for (const s of data.parents[c]) if (s !== v) light(shown.arcs.get(`${s} ${c}`), "spouse");
    light(shown.arcs.get(`${v} ${c}`), "child");
  }
  for (const kind of ["spouse", "child", "parent"]) kin[kind].forEach((u) => light(shown.nodes.get(u), kind));
  light(shown.nodes.get(v), "self");
  reveal([v, ...kin.parent, ...kin.child, ...kin.spouse].filter((u) => shown.nodes.has(u)));
  placeNames();
}

function choose(v) {
  chosen = v;
  if (shown.kind === "groups" || !shown.nodes.has(v)) showPicture("group", groupOf.get(v));
  relight();
  byId("clear").disabled = false;
  byId("find").value = data.names[v];
  describe(v);
  byId("selected").textContent = `Selected: ${summaryOf(v)}. The panel beside the picture describes it.`;
  markRow(v);
}

function chooseNone() {
  chosen = null;
  relight();
  byId("clear").disabled = true;
  byId("find").value = "";
  describeNone();
  byId("selected").textContent = "";
  markRow(null);
  placeNames();
}

/** Choose a variable from elsewhere on the page, and go to the picture. */
function visit(v) {
  byId("network").scrollIntoView();
  choose(v);
  byId("details").focus({ preventScroll: true });
}

function openItem(item) {
  if (shown.kind === "groups") {
    showPicture("group", item);
    hoverLine("");
    shown.nodes.get(shown.items[0]).focus({ preventScroll: true });
  } else choose(item);
}

/** Move the focus to the nearest box in a direction. */
function step(from, dx, dy) {
  const here = centre(from);
  let best = null;
  for (const item of shown.nodes.keys()) {
    if (item === from) continue;
    const { x, y } = centre(item);
    const along = (x - here.x) * dx + (y - here.y) * dy;
    const aside = Math.abs((x - here.x) * dy - (y - here.y) * dx);
    // What lies further aside than ahead is in another direction.
    if (along <= 0 || aside > 2 * along) continue;
    const far = along + 2 * aside;
    if (!best || far < best.far) best = { item, far };
  }
  if (!best) return;
  shown.nodes.get(from).setAttribute("tabindex", "-1");
  const node = shown.nodes.get(best.item);
  node.setAttribute("tabindex", "0");
  node.focus({ preventScroll: true });
  const { x, y } = centre(best.item);
  const near = x > box.x + 40 && x < box.x + box.width - 40 && y > box.y + 30 && y < box.y + box.height - 30;
  if (!near) glide({ ...box, x: x - box.width / 2, y: y - box.height / 2 });
}

const itemOf = (event) => {
  const node = event.target.closest?.(".fb-node");
  return node && stage.contains(node) ? Number(node.dataset.item) : null;
};

stage.addEventListener("click", (event) => {
  const item = itemOf(event);
  if (item !== null) openItem(item);
});

stage.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const item = itemOf(event);
  const go = (dx, dy) => (item === null ? move(60 * dx, 60 * dy) : step(item, dx, dy));
  const actions = {
    ArrowLeft: () => go(-1, 0),
    ArrowRight: () => go(1, 0),
    ArrowUp: () => go(0, -1),
    ArrowDown: () => go(0, 1),
    "+": () => zoom(1.3),
    "=": () => zoom(1.3),
    "-": () => zoom(1 / 1.3),
    0: fit,
    Escape: chooseNone,
    ...(item === null ? {} : { Enter: () => openItem(item), " ": () => openItem(item) }),
  };
  if (!(event.key in actions)) return;
  event.preventDefault();
  actions[event.key]();
});

// What is under the pointer is described in a line of its own, so that nothing covers the picture.
const hoverHint = byId("hover").textContent;

function hoverLine(text) {
  byId("hover").textContent = text || hoverHint;
}

function pointAt(event) {
  const arc = event.target.closest?.(".fb-arc[data-arc]");
  const item = itemOf(event);
  if (item === null && arc) {
    const [u, v] = arc.dataset.arc.split(" ").map((k) => shown.items[Number(k)]);
    return hoverLine(shown.kind === "groups" ? linkText(u, v) : arcText(u, v));
  }
  if (item === null) return hoverLine("");
  if (shown.kind === "groups") return hoverLine(`Group ${groupTitle(item)}. Click to open it.`);
  return hoverLine(summaryOf(item));
}

function summaryOf(v) {
  return `${nameOf(v)}: ${counted(data.parents[v].length, "parent")}, ${counted(children[v].length, "child", "children")}`;
}

function linkText(g, h) {
  const [, , count] = data.links.find(([one, other]) => one === g && other === h);
  return `${data.groups[g].title} and ${data.groups[h].title}: ${counted(count, "arc")}`;
}

for (const kind of ["pointerover", "focusin"]) {
  stage.addEventListener(kind, (event) => {
    pointAt(event);
    placeNames();
  });
}
stage.addEventListener("pointerleave", () => {
  hoverLine("");
  placeNames();
});

byId("find").addEventListener("input", (event) => {
  const v = data.names.indexOf(event.target.value);
  if (v >= 0 && event.target.value !== "") choose(v);
});
byId("find").addEventListener("keydown", (event) => {
  if (event.key === "Escape") return chooseNone();
  if (event.key !== "Enter") return;
  const part = event.target.value.toLowerCase();
  const v = data.names.findIndex((name) => name.toLowerCase().includes(part));
  if (part && v >= 0) choose(v);
});
byId("clear").addEventListener("click", chooseNone);
byId("details").addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  chooseNone();
  byId("details").focus({ preventScroll: true });
});
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-choose], [data-open]");
  if (button?.dataset.choose) visit(Number(button.dataset.choose));
  if (button?.dataset.open) showPicture("group", Number(button.dataset.open));
});
