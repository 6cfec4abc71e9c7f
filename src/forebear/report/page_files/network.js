// The picture of the network: moving, zooming, choosing a variable.

const stage = byId("stage");
const picture = stage.querySelector("svg");
const view = picture.querySelector(".fb-view");
const nodes = [...view.querySelectorAll(".fb-node")];
const arcs = new Map([...view.querySelectorAll(".fb-arc")].map((arc) => [arc.dataset.arc, arc]));
const children = data.names.map(() => []);
data.parents.forEach((family, v) => family.forEach((p) => children[p].push(v)));

// At a smaller scale (pixels per unit) labels are too small to read. They are left out, and
// those of the selected variable and its Markov blanket are drawn larger.
const FAR = 0.5;
const LEGIBLE = 0.8;
const CLOSEST = 4;

const whole = picture.viewBox.baseVal;
const full = { x: 0, y: 0, width: whole.width, height: whole.height };
let box = { ...full };

/** Pixels per unit of the picture. */
function scale() {
  return Math.min(stage.clientWidth / box.width, stage.clientHeight / box.height) || 1;
}

function look(to) {
  box = to;
  picture.setAttribute("viewBox", `${box.x} ${box.y} ${box.width} ${box.height}`);
  stage.classList.toggle("far", scale() < FAR);
  stage.style.setProperty("--lit-scale", Math.max(1, LEGIBLE / scale()));
}

let gliding = 0;

/** Move the view to another place, in a quarter of a second. */
function glide(to) {
  cancelAnimationFrame(gliding);
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return look(to);
  const from = { ...box };
  let start = null;
  const step = (now) => {
    start ??= now;
    const share = Math.min(1, (now - start) / 250);
    const eased = share * share * (3 - 2 * share);
    const between = (name) => from[name] + eased * (to[name] - from[name]);
    look({ x: between("x"), y: between("y"), width: between("width"), height: between("height") });
    if (share < 1) gliding = requestAnimationFrame(step);
  };
  gliding = requestAnimationFrame(step);
}

/** Give a box the shape of the stage, without zooming in too far. */
function shaped({ x, y, width, height }) {
  const zoomed = Math.min(stage.clientWidth / width, stage.clientHeight / height, 1.25) || 1;
  const seen = { width: stage.clientWidth / zoomed, height: stage.clientHeight / zoomed };
  return { x: x + (width - seen.width) / 2, y: y + (height - seen.height) / 2, ...seen };
}

/** Zoom about a point of the stage, given as fractions of its size. */
function zoom(factor, at = { x: 0.5, y: 0.5 }) {
  const now = scale();
  const least = Math.min(1, stage.clientWidth / full.width, stage.clientHeight / full.height) / 2;
  const change = Math.min(CLOSEST, Math.max(least, now * factor)) / now;
  const fixed = { x: box.x + at.x * box.width, y: box.y + at.y * box.height };
  const width = box.width / change;
  const height = box.height / change;
  cancelAnimationFrame(gliding);
  look({ x: fixed.x - at.x * width, y: fixed.y - at.y * height, width, height });
}

function move(dx, dy) {
  cancelAnimationFrame(gliding);
  look({ ...box, x: box.x + dx / scale(), y: box.y + dy / scale() });
}

function fit() {
  cancelAnimationFrame(gliding);
  look(shaped(full));
}

/** Bring nodes into view, unless they are legible already. */
function reveal(list) {
  const shift = view.transform.baseVal[0].matrix;
  const places = list.map((v) => nodes[v].transform.baseVal[0].matrix);
  const xs = places.map((m) => m.e + shift.e);
  const ys = places.map((m) => m.f + shift.f);
  const margin = { x: 90, y: 50 };
  const around = {
    x: Math.min(...xs) - margin.x,
    y: Math.min(...ys) - margin.y,
    width: Math.max(...xs) - Math.min(...xs) + 2 * margin.x,
    height: Math.max(...ys) - Math.min(...ys) + 2 * margin.y,
  };
  const inside = around.x >= box.x && around.x + around.width <= box.x + box.width
    && around.y >= box.y && around.y + around.height <= box.y + box.height;
  if (!inside || scale() < LEGIBLE) glide(shaped(around));
}

function light(element, kind) {
  element.classList.add("lit", kind);
  element.parentNode.append(element);
}

function unlight() {
  for (const element of view.querySelectorAll(".lit")) {
    element.classList.remove("lit", "self", "parent", "child", "spouse");
  }
}

/** Return the parents, the children and the other parents of the children. */
function blanket(v) {
  const parent = new Set(data.parents[v]);
  const child = new Set(children[v]);
  const spouse = new Set(children[v].flatMap((c) => data.parents[c]));
  for (const u of [v, ...parent, ...child]) spouse.delete(u);
  return { parent: [...parent], child: [...child], spouse: [...spouse].sort((a, b) => a - b) };
}

function choose(v) {
  unlight();
  const kin = blanket(v);
  for (const p of kin.parent) light(arcs.get(`${p} ${v}`), "parent");
  for (const c of kin.child) {
    for (const s of data.parents[c]) {
      if (s !== v) light(arcs.get(`${s} ${c}`), "spouse");
    }
    light(arcs.get(`${v} ${c}`), "child");
  }
  for (const kind of ["spouse", "child", "parent"]) kin[kind].forEach((u) => light(nodes[u], kind));
  light(nodes[v], "self");
  stage.classList.add("chosen");
  byId("clear").disabled = false;
  byId("find").value = data.names[v];
  describe(v, kin);
  markRow(v);
  reveal([v, ...kin.parent, ...kin.child, ...kin.spouse]);
}

const hint = [...byId("details").childNodes];

function chooseNone() {
  unlight();
  stage.classList.remove("chosen");
  byId("clear").disabled = true;
  byId("find").value = "";
  byId("details").replaceChildren(...hint);
  markRow(null);
}

function describe(v, kin) {
  const [rank, sets, score] = data.choices[v];
  const parts = [
    make("h3", {}, data.names[v] || "(no name)"),
    make("p", { class: "facts-of" },
      `Rank ${written(rank)} of ${counted(sets, "parent set")}, score ${written(score, 3)}`),
  ];
  const titles = { parent: "Parents", child: "Children", spouse: "Other parents of the children" };
  for (const [kind, title] of Object.entries(titles)) {
    const heading = make("h4", {}, "");
    heading.append(make("i", { class: kind, "aria-hidden": "true" }), `${title} (${kin[kind].length})`);
    const list = make("ul", { class: "chips" });
    for (const u of kin[kind]) {
      const item = make("li");
      const button = make("button", { type: "button", class: kind }, data.names[u] || "(no name)");
      button.addEventListener("click", () => choose(u));
      item.append(button);
      list.append(item);
    }
    parts.push(heading, list);
  }
  byId("details").replaceChildren(...parts);
}

{
  const pointers = new Map();
  let moved = 0;
  const spread = () => {
    const [a, b] = [...pointers.values()];
    return Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
  };
  stage.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    if (pointers.size === 0) moved = 0;
    pointers.set(event.pointerId, event);
  });
  stage.addEventListener("pointermove", (event) => {
    const before = pointers.get(event.pointerId);
    if (!before) return;
    const width = pointers.size === 2 ? spread() : 0;
    moved += Math.hypot(event.clientX - before.clientX, event.clientY - before.clientY);
    // Capturing the pointer at once would keep the click from the node.
    if (moved > 4) stage.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, event);
    if (width) zoom(spread() / width);
    else if (moved > 4) move(before.clientX - event.clientX, before.clientY - event.clientY);
  });
  for (const end of ["pointerup", "pointercancel"]) {
    window.addEventListener(end, (event) => pointers.delete(event.pointerId));
  }
  stage.addEventListener("click", (event) => {
    const node = event.target.closest(".fb-node");
    if (node && moved <= 4) choose(Number(node.dataset.v));
  });
}

stage.addEventListener("wheel", (event) => {
  // Scrolling zooms only after a click, so that the page can be scrolled past the picture.
  if (!event.ctrlKey && !event.metaKey && document.activeElement !== stage) return;
  event.preventDefault();
  const around = stage.getBoundingClientRect();
  zoom(Math.exp(-Math.max(-60, Math.min(60, event.deltaY)) / 250), {
    x: (event.clientX - around.left) / around.width,
    y: (event.clientY - around.top) / around.height,
  });
}, { passive: false });

stage.addEventListener("keydown", (event) => {
  const actions = {
    ArrowLeft: () => move(-60, 0),
    ArrowRight: () => move(60, 0),
    ArrowUp: () => move(0, -60),
    ArrowDown: () => move(0, 60),
    "+": () => zoom(1.3),
    "=": () => zoom(1.3),
    "-": () => zoom(1 / 1.3),
    0: fit,
    Escape: chooseNone,
  };
  if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in actions)) return;
  event.preventDefault();
  actions[event.key]();
});

stage.addEventListener("pointerover", (event) => {
  const arc = event.target.closest(".stage .fb-arc[data-arc]");
  if (arc) return showTip(arcTip(...arc.dataset.arc.split(" ").map(Number)), event);
  const node = event.target.closest(".fb-node");
  if (!node) return hideTip();
  const v = Number(node.dataset.v);
  const counts = `${counted(data.parents[v].length, "parent")}, ${counted(children[v].length, "child", "children")}`;
  showTip(`${data.names[v]}\n${counts}`, event);
});
stage.addEventListener("pointerleave", hideTip);

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
byId("zoom-in").addEventListener("click", () => zoom(1.3));
byId("zoom-out").addEventListener("click", () => zoom(1 / 1.3));
byId("fit").addEventListener("click", fit);
byId("clear").addEventListener("click", chooseNone);

byId("save-svg").addEventListener("click", () => {
  const copy = picture.cloneNode(true);
  copy.setAttribute("viewBox", `0 0 ${full.width} ${full.height}`);
  for (const lit of copy.querySelectorAll(".lit")) {
    lit.classList.remove("lit", "self", "parent", "child", "spouse");
  }
  save(new XMLSerializer().serializeToString(copy), "image/svg+xml", "network.svg");
});

byId("save-csv").addEventListener("click", () => {
  const quoted = (name) => (/[",\n\r]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name);
  const rows = [];
  let k = 0;
  data.parents.forEach((family, v) => family.forEach((p) => {
    const direction = data.compelled[k++] ? "compelled" : "reversible";
    rows.push([quoted(data.names[p]), quoted(data.names[v]), direction].join(","));
  }));
  save(["parent,child,direction", ...rows, ""].join("\n"), "text/csv", "arcs.csv");
});

fit();
new ResizeObserver(() => {
  // A hidden page has no size.
  if (!stage.clientWidth) return;
  const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  const zoomed = Math.min(stage.clientWidth / box.width, stage.clientHeight / box.height);
  const seen = { width: stage.clientWidth / zoomed, height: stage.clientHeight / zoomed };
  look({ x: middle.x - seen.width / 2, y: middle.y - seen.height / 2, ...seen });
}).observe(stage);
