// The picture of the network: moving, zooming, and names that can be read.

const stage = byId("stage");
const svg = stage.querySelector("svg");
const boxes = [];
for (const node of svg.querySelectorAll(".fb-node")) boxes[Number(node.dataset.v)] = node;
const arcOf = new Map([...svg.querySelectorAll(".fb-arc[data-arc]")].map((arc) => [arc.dataset.arc, arc]));
const full = { x: 0, y: 0, width: Number(svg.getAttribute("width")), height: Number(svg.getAttribute("height")) };
const CLOSEST = 4;
const LEAST_PIXELS = 10.5;
const FONT_UNITS = 12.5;
// The scale above which names are legible inside their boxes.
const LEGIBLE = LEAST_PIXELS / FONT_UNITS;

// The visible part of the picture.
let seen = { ...full };

/** Pixels per unit of the picture. */
function scale() {
  return Math.min(stage.clientWidth / seen.width, stage.clientHeight / seen.height) || 1;
}

function look(to) {
  seen = to;
  svg.setAttribute("viewBox", `${seen.x} ${seen.y} ${seen.width} ${seen.height}`);
  placeNames();
}

/** Show a part of the picture, without zooming in too far. */
function show({ x, y, width, height }) {
  const zoomed = Math.min(stage.clientWidth / width, stage.clientHeight / height, 1.25) || 1;
  const size = { width: stage.clientWidth / zoomed, height: stage.clientHeight / zoomed };
  look({ x: x + (width - size.width) / 2, y: y + (height - size.height) / 2, ...size });
}

/** Zoom about a point of the stage, given as fractions of its size. */
function zoom(factor, at = { x: 0.5, y: 0.5 }) {
  const now = scale();
  const least = Math.min(1, stage.clientWidth / full.width, stage.clientHeight / full.height) / 2;
  const change = Math.min(CLOSEST, Math.max(least, now * factor)) / now;
  const size = { width: seen.width / change, height: seen.height / change };
  look({ x: seen.x + at.x * (seen.width - size.width), y: seen.y + at.y * (seen.height - size.height), ...size });
}

function move(dx, dy) {
  look({ ...seen, x: seen.x + dx / scale(), y: seen.y + dy / scale() });
}

/** The middle and the size of a box, in units of the picture. */
function placeOf(v) {
  const [own, shift] = [boxes[v], svg.querySelector(".fb-view")].map((element) => element.transform.baseVal[0].matrix);
  const [width, height] = ["width", "height"].map((name) => boxes[v].querySelector("rect")[name].baseVal.value);
  return { x: own.e + shift.e, y: own.f + shift.f, width, height };
}

/** Bring boxes into view, unless they are legible already. */
function reveal(variables) {
  const places = variables.map(placeOf);
  const [xs, ys] = [places.map(({ x }) => x), places.map(({ y }) => y)];
  const [left, right, top, bottom] = [Math.min(...xs) - 90, Math.max(...xs) + 90, Math.min(...ys) - 50, Math.max(...ys) + 50];
  const inside = left >= seen.x && right <= seen.x + seen.width && top >= seen.y && bottom <= seen.y + seen.height;
  if (!inside || scale() < LEGIBLE) show({ x: left, y: top, width: right - left, height: bottom - top });
}

// Names. When zoomed out, names are drawn beside their boxes at a readable size: first the selected
// variables, then hubs, as many as fit without covering a box or another name.

const NAME_PIXELS = 12;
// More names than this do not fit on a stage.
const MOST_NAMES = 300;
// The variables with the most neighbors are named even if the name covers boxes.
const HUBS_NAMED = 12;
const [POINTED, LIT] = [1e8, 1e7];
let placing = 0;

function placeNames() {
  const far = scale() < LEGIBLE;
  stage.classList.toggle("far", far);
  cancelAnimationFrame(placing);
  if (far) placing = requestAnimationFrame(placeFarNames);
}

/** Return the priority of a name: variables under the pointer or selected, then by neighbors. */
function urgency(v) {
  if (boxes[v].matches(":hover, .self")) return POINTED;
  return boxes[v].matches(".lit") ? LIT : degree[v];
}

/** Return whether an area on the stage overlaps no occupied area except its own. */
function isFree(area, taken, own = null) {
  return taken.every((other) => other === own || area.right <= other.left || area.left >= other.right
    || area.bottom <= other.top || area.top >= other.bottom);
}

/** An area on the stage around its middle. */
function around(x, y, width, height) {
  return { x, y, left: x - width / 2, right: x + width / 2, top: y - height / 2, bottom: y + height / 2 };
}

function isVisible({ left, right, top, bottom }) {
  return right > 0 && left < stage.clientWidth && bottom > 0 && top < stage.clientHeight;
}

function placeFarNames() {
  const zoomed = scale();
  const larger = NAME_PIXELS / FONT_UNITS / zoomed;
  stage.style.setProperty("--name-scale", larger);
  const entries = boxes.map((node, v) => {
    const { x, y, width, height } = placeOf(v);
    const own = around((x - seen.x) * zoomed, (y - seen.y) * zoomed, width * zoomed, height * zoomed);
    return { node, own, wide: (width - 16) * larger * zoomed, urgent: urgency(v) };
  }).sort((a, b) => b.urgent - a.urgent);
  const areas = entries.map(({ own }) => own).filter(isVisible);
  const names = [];
  entries.forEach(({ node, own, wide, urgent }, rank) => {
    // A name is placed below, above, right or left of its box.
    const drop = NAME_PIXELS / 2 + 2;
    const spots = [[own.x, own.bottom + drop], [own.x, own.top - drop], [own.right + wide / 2 + 3, own.y], [own.left - wide / 2 - 3, own.y]]
      .map(([x, y]) => around(x, y, wide, NAME_PIXELS));
    const whole = ({ left, right, top, bottom }) => left >= 0 && right <= stage.clientWidth && top >= 0 && bottom <= stage.clientHeight;
    const places = isVisible(own) && names.length < MOST_NAMES ? spots.filter((place) => urgent >= POINTED || whole(place)) : [];
    const spot = places.find((place) => isFree(place, names) && isFree(place, areas, own))
      ?? (rank < HUBS_NAMED || urgent >= LIT ? places.find((place) => isFree(place, names)) : null)
      // The variable under the pointer is always named.
      ?? (urgent >= POINTED ? places[0] : null);
    node.classList.toggle("named", Boolean(spot));
    if (!spot) return;
    names.push(spot);
    node.style.setProperty("--name-x", `${(spot.x - own.x) / zoomed}px`);
    node.style.setProperty("--name-y", `${(spot.y - own.y) / zoomed}px`);
  });
}

{
  let [held, moved] = [null, 0];
  stage.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    [held, moved] = [event, 0];
  });
  stage.addEventListener("pointermove", (event) => {
    if (event.pointerId !== held?.pointerId) return;
    const [dx, dy] = [held.clientX - event.clientX, held.clientY - event.clientY];
    moved += Math.hypot(dx, dy);
    held = event;
    if (moved <= 4) return;
    // Capturing the pointer at once would prevent clicks on boxes.
    stage.setPointerCapture(event.pointerId);
    move(dx, dy);
  });
  for (const end of ["pointerup", "pointercancel"]) window.addEventListener(end, () => { held = null; });
  // A drag is not a click.
  stage.addEventListener("click", (event) => { if (moved > 4) event.stopImmediatePropagation(); }, true);
}

stage.addEventListener("wheel", (event) => {
  // Scrolling zooms only after a click, so that the page can be scrolled past the picture.
  if (!event.ctrlKey && !event.metaKey && document.activeElement !== stage) return;
  event.preventDefault();
  const { left, top, width, height } = stage.getBoundingClientRect();
  zoom(Math.exp(-Math.max(-60, Math.min(60, event.deltaY)) / 250), {
    x: (event.clientX - left) / width, y: (event.clientY - top) / height,
  });
}, { passive: false });

byId("zoom-in").addEventListener("click", () => zoom(1.3));
byId("zoom-out").addEventListener("click", () => zoom(1 / 1.3));
byId("fit").addEventListener("click", () => show(full));
new ResizeObserver(() => show(full)).observe(stage);

byId("save-svg").addEventListener("click", () => {
  const copy = svg.cloneNode(true);
  copy.setAttribute("viewBox", `0 0 ${full.width} ${full.height}`);
  for (const element of copy.querySelectorAll(".fb-node, .fb-arc")) {
    element.classList.remove("lit", "self", "parent", "child", "spouse", "named", "given");
    element.removeAttribute("style");
  }
  const content = new XMLSerializer().serializeToString(copy);
  const link = make("a", { href: URL.createObjectURL(new Blob([content], { type: "image/svg+xml" })), download: "network.svg" });
  link.click();
  URL.revokeObjectURL(link.href);
});
