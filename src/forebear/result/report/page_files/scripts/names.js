// Names in the picture. In boxes that would be too small they are enlarged as far as the boxes allow.
// From further away they stand beside their boxes at a readable size: first those that are selected,
// then hubs, as many as fit without covering a box or another name.

const NAME_PIXELS = 12;
const LEAST_PIXELS = 10.5;
const FONT_UNITS = { whole: 12.5, group: 12.5, groups: 15.5 };
// More names than this do not fit on a stage.
const MOST_NAMES = 300;
// The busiest variables are named even where a name can only stand over boxes. Groups are listed
// beside the picture as well.
const HUBS_NAMED = 12;

/** How much the names of a picture can grow within their boxes. */
function roomOf(nodes, kind) {
  // A box of a group has a second line, which does not grow.
  if (kind === "groups") return 1;
  let room = 1.6;
  for (const node of nodes) {
    const width = Number(node.querySelector("rect").getAttribute("width"));
    room = Math.min(room, (width - 4) / Math.max(14, width - 20));
  }
  return room;
}

/** The scale from which on names are read inside their boxes. */
function legible() {
  return LEAST_PIXELS / FONT_UNITS[shown.kind] / shown.room;
}

let placing = 0;

function placeNames() {
  const zoomed = scale();
  const far = zoomed < legible();
  stage.classList.toggle("far", far);
  stage.style.setProperty("--inside-scale", far ? 1 : Math.max(1, LEAST_PIXELS / FONT_UNITS[shown.kind] / zoomed));
  cancelAnimationFrame(placing);
  if (far) placing = requestAnimationFrame(placeFarNames);
}

/** How much a name matters: what the reader points at or selected, then by neighbours. */
function urgency(item, node) {
  if (node.matches(":hover, :focus")) return 1e9;
  if (node.classList.contains("self")) return 1e8;
  if (node.classList.contains("lit")) return 1e7;
  return shown.kind === "groups" ? data.groups[item].variables.length : degree[item];
}

/** Whether an area on the stage covers none of those that are taken, but for its own. */
function isFree(area, taken, own = null) {
  return taken.every((other) => other === own || area.right <= other.left || area.left >= other.right
    || area.bottom <= other.top || area.top >= other.bottom);
}

/** Where a name can stand: below, above, right or left of its box. */
function spots(own, wide) {
  const [middle, centreY] = [(own.left + own.right) / 2, (own.top + own.bottom) / 2];
  const at = (x, y) => ({ x, y, left: x - wide / 2, right: x + wide / 2, top: y - NAME_PIXELS / 2, bottom: y + NAME_PIXELS / 2 });
  const drop = NAME_PIXELS / 2 + 2;
  return [
    at(middle, own.bottom + drop), at(middle, own.top - drop),
    at(own.right + wide / 2 + 3, centreY), at(own.left - wide / 2 - 3, centreY),
  ];
}

function placeFarNames() {
  const zoomed = scale();
  const larger = NAME_PIXELS / FONT_UNITS[shown.kind] / zoomed;
  stage.style.setProperty("--name-scale", larger);
  const names = [];
  const entries = [...shown.nodes].map(([item, node]) => {
    const { x, y } = centre(item);
    const [width, height] = ["width", "height"].map((name) => Number(node.querySelector("rect").getAttribute(name)));
    const [px, py] = [(x - box.x) * zoomed, (y - box.y) * zoomed];
    const half = { x: (width * zoomed) / 2, y: (height * zoomed) / 2 };
    const own = { left: px - half.x, right: px + half.x, top: py - half.y, bottom: py + half.y };
    const visible = own.right > 0 && own.left < stage.clientWidth && own.bottom > 0 && own.top < stage.clientHeight;
    return { item, node, own, px, py, visible, wide: (width - 16) * larger * zoomed, urgent: urgency(item, node) };
  });
  entries.sort((a, b) => b.urgent - a.urgent || a.item - b.item);
  const boxes = entries.filter(({ visible }) => visible).map(({ own }) => own);
  entries.forEach(({ node, own, px, py, visible, wide, urgent }, rank) => {
    const whole = ({ left, right, top, bottom }) =>
      left >= 0 && right <= stage.clientWidth && top >= 0 && bottom <= stage.clientHeight;
    const places = visible && names.length < MOST_NAMES ? spots(own, wide).filter((place) => urgent >= 1e8 || whole(place)) : [];
    const spot = places.find((place) => isFree(place, names) && isFree(place, boxes, own))
      ?? ((rank < HUBS_NAMED && shown.kind !== "groups") || urgent >= 1e7 ? places.find((place) => isFree(place, names)) : null)
      // What the reader points at is always named.
      ?? (urgent >= 1e8 ? places[0] : null);
    node.classList.toggle("named", Boolean(spot));
    if (!spot) return;
    names.push(spot);
    node.style.setProperty("--name-x", `${(spot.x - px) / zoomed}px`);
    // The baseline of a name lies a little below its middle; in the box of a group it lies above.
    const lower = shown.kind === "groups" ? 9 * larger : 0;
    node.style.setProperty("--name-y", `${(spot.y - py) / zoomed + lower}px`);
  });
}
