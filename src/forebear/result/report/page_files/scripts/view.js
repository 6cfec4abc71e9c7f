// Moving and zooming of the picture on the stage.

const CLOSEST = 4;

let full = { x: 0, y: 0, width: 1, height: 1 };
let box = { ...full };

/** Pixels per unit of the picture. */
function scale() {
  return Math.min(stage.clientWidth / box.width, stage.clientHeight / box.height) || 1;
}

function look(to) {
  box = to;
  shown.svg.setAttribute("viewBox", `${box.x} ${box.y} ${box.width} ${box.height}`);
  placeNames();
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
  full = { x: 0, y: 0, width: Number(shown.svg.getAttribute("width")), height: Number(shown.svg.getAttribute("height")) };
  look(shaped(full));
}

/** The place of a box in units of the picture. */
function centre(item) {
  const shift = shown.view.transform.baseVal[0].matrix;
  const own = shown.nodes.get(item).transform.baseVal[0].matrix;
  return { x: own.e + shift.e, y: own.f + shift.f };
}

/** Bring boxes into view, unless they are legible already. */
function reveal(items) {
  const places = items.map(centre);
  const xs = places.map(({ x }) => x);
  const ys = places.map(({ y }) => y);
  const margin = { x: 90, y: 50 };
  const around = {
    x: Math.min(...xs) - margin.x,
    y: Math.min(...ys) - margin.y,
    width: Math.max(...xs) - Math.min(...xs) + 2 * margin.x,
    height: Math.max(...ys) - Math.min(...ys) + 2 * margin.y,
  };
  const inside = around.x >= box.x && around.x + around.width <= box.x + box.width
    && around.y >= box.y && around.y + around.height <= box.y + box.height;
  if (!inside || scale() < legible()) glide(shaped(around));
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
    // Capturing the pointer at once would keep the click from the box.
    if (moved > 4) stage.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, event);
    if (width) zoom(spread() / width);
    else if (moved > 4) move(before.clientX - event.clientX, before.clientY - event.clientY);
  });
  for (const end of ["pointerup", "pointercancel"]) {
    window.addEventListener(end, (event) => pointers.delete(event.pointerId));
  }
  // A drag is no click.
  stage.addEventListener("click", (event) => { if (moved > 4) event.stopImmediatePropagation(); }, true);
}

stage.addEventListener("wheel", (event) => {
  // Scrolling zooms only after a click, so that the page can be scrolled past the picture.
  if (!event.ctrlKey && !event.metaKey && !stage.contains(document.activeElement)) return;
  event.preventDefault();
  const around = stage.getBoundingClientRect();
  zoom(Math.exp(-Math.max(-60, Math.min(60, event.deltaY)) / 250), {
    x: (event.clientX - around.left) / around.width,
    y: (event.clientY - around.top) / around.height,
  });
}, { passive: false });

byId("zoom-in").addEventListener("click", () => zoom(1.3));
byId("zoom-out").addEventListener("click", () => zoom(1 / 1.3));
byId("fit").addEventListener("click", () => fit());

new ResizeObserver(() => {
  // A hidden page has no size.
  if (!stage.clientWidth || !shown) return;
  const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  const zoomed = Math.min(stage.clientWidth / box.width, stage.clientHeight / box.height);
  const seen = { width: stage.clientWidth / zoomed, height: stage.clientHeight / zoomed };
  look({ x: middle.x - seen.width / 2, y: middle.y - seen.height / 2, ...seen });
}).observe(stage);
