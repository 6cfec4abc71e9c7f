// The pictures: the whole network, or groups that open.

const stage = byId("stage");
const children = data.names.map(() => []);
// The arcs in the order of the data, by child and then by parent; bits are null if they are not known.
const arcs = data.parents.flatMap((family, v) => family.map((p) => ({ p, v }))).map((arc, k) => ({
  ...arc, compelled: data.compelled[k], bits: data.strengths ? data.strengths[k] / 1000 : null,
}));
for (const { p, v } of arcs) children[p].push(v);
const degree = data.names.map((_, v) => data.parents[v].length + children[v].length);
const nameOf = (v) => data.names[v] || "(no name)";
const groupOf = new Map(data.groups.flatMap(({ variables }, g) => variables.map((v) => [v, g])));

// What is shown: its kind ("whole", "groups" or "group"), its SVG, and its boxes and arcs.
let shown = null;
const drawn = new Map();
const pictureShown = [];

/** Find the SVG of a picture: the first is on the stage, the others wait in templates. */
function pictureOf(key) {
  if (!drawn.has(key)) {
    const place = stage.dataset.first === key ? stage : byId(`picture-${key}`).content;
    drawn.set(key, place.querySelector("svg"));
  }
  return drawn.get(key);
}

function showPicture(kind, group = null) {
  const key = kind === "group" ? String(group) : kind;
  const svg = pictureOf(key);
  const view = svg.querySelector(".fb-view");
  const boxes = [...view.querySelectorAll(".fb-node")];
  const items = kind === "group" ? data.groups[group].variables : boxes.map((_, k) => k);
  const item = (k) => items[Number(k)];
  shown = {
    kind, group, svg, view, items, room: roomOf(boxes, kind),
    nodes: new Map(boxes.map((box) => [item(box.dataset.v), box])),
    arcs: new Map([...view.querySelectorAll(".fb-arc[data-arc]")].map((arc) => {
      const [u, v] = arc.dataset.arc.split(" ").map(item);
      return [`${u} ${v}`, arc];
    })),
  };
  // In an image the boxes could not be reached by keyboard.
  svg.setAttribute("role", "group");
  boxes.forEach((box, k) => prepareBox(box, items[k], k));
  if (kind === "group") markOutside();
  stage.replaceChildren(svg);
  stage.classList.toggle("grouped", kind === "groups");
  for (const button of document.querySelectorAll("#views [data-view]")) {
    button.setAttribute("aria-pressed", String(button.dataset.view === kind));
  }
  if (byId("opened")) {
    byId("opened").textContent = kind === "group"
      ? `Group ${groupTitle(group)}` : "";
  }
  for (const listener of pictureShown) listener();
  fit();
}

function prepareBox(box, k, place) {
  box.setAttribute("role", "button");
  box.setAttribute("tabindex", place === 0 ? "0" : "-1");
  box.setAttribute("aria-label", shown.kind === "groups" ? `Open the group ${groupTitle(k)}` : nameOf(k));
  box.dataset.item = k;
}

function groupTitle(g) {
  return `${data.groups[g].title} (${counted(data.groups[g].variables.length, "variable")})`;
}

/** Note at every box how many neighbours lie in other groups. */
function markOutside() {
  for (const [v, box] of shown.nodes) {
    if (box.querySelector(".outside")) continue;
    const count = [...data.parents[v], ...children[v]].filter((u) => !shown.nodes.has(u)).length;
    if (!count) continue;
    const rect = box.querySelector("rect");
    const right = Number(rect.getAttribute("x")) + Number(rect.getAttribute("width"));
    box.append(make("text", { class: "outside", x: right + 2, y: 4 }, `+${count}`));
  }
}

for (const button of document.querySelectorAll("#views [data-view]")) {
  button.addEventListener("click", () => {
    showPicture(button.dataset.view);
    if (button.dataset.view === "groups") chooseNone();
    else relight();
  });
}
