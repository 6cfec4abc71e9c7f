// Charts of bars, and what all charts share.

const MARGIN = { top: 18, right: 12, bottom: 44, left: 56 };

/** Start an empty drawing that fills its place. */
function canvas(place, margin) {
  const { clientWidth: width, clientHeight: height } = place;
  const svg = make("svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" });
  place.replaceChildren(svg);
  const area = {
    left: margin.left,
    right: width - margin.right,
    top: margin.top,
    bottom: height - margin.bottom,
  };
  return { svg, area };
}

/** Choose round numbers within a range. */
function ticks(low, high, about) {
  const rough = (high - low) / about || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((k) => k * power).find((s) => s >= rough);
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k <= high / step + 1e-9; k++) {
    // Adding 0 turns -0 into 0.
    found.push({ at: k * step + 0, digits: Math.max(0, -Math.floor(Math.log10(step) + 1e-9)) });
  }
  return found;
}

function drawBars(place, bars, name, marked) {
  const { svg, area } = canvas(place, MARGIN);
  const most = Math.max(1, ...bars.map(([, count]) => count));
  const y = (count) => area.bottom - (count / most) * (area.bottom - area.top);
  for (const { at } of ticks(0, most, 4).filter((tick) => Number.isInteger(tick.at))) {
    svg.append(
      make("line", { class: "grid", x1: area.left, x2: area.right, y1: y(at), y2: y(at) }),
      make("text", { x: area.left - 10, y: y(at) + 4, "text-anchor": "end" }, written(at)),
    );
  }
  const step = Math.min(110, (area.right - area.left) / bars.length);
  // If labels would overlap, some are left out; the tips have all of them.
  const longest = Math.max(...bars.map(([label]) => label.length)) * 7 + 8;
  const every = Math.ceil(longest / step);
  bars.forEach(([label, count], k) => {
    const x = area.left + k * step;
    const width = Math.max(1, step * 0.72);
    const hit = make("rect", { class: "hit", x, y: area.top, width: step, height: area.bottom - area.top });
    hit.addEventListener("pointermove", (event) =>
      showTip(`${name} ${label}: ${counted(count, "variable")}`, event));
    hit.addEventListener("pointerleave", hideTip);
    const bar = make("rect", {
      class: k === marked ? "bar marked" : "bar",
      x: x + (step - width) / 2, y: y(count), width, height: area.bottom - y(count),
      rx: Math.min(3, width / 2), "pointer-events": "none",
    });
    svg.append(hit, bar);
    if (count && step > 30) {
      svg.append(make("text", { class: "amount", x: x + step / 2, y: y(count) - 5 }, written(count)));
    }
    if (k % every === 0) {
      svg.append(make("text", { x: x + step / 2, y: area.bottom + 18, "text-anchor": "middle" }, label));
    }
  });
  svg.append(
    make("line", { class: "axis", x1: area.left, x2: area.right, y1: area.bottom, y2: area.bottom }),
    make("text", { x: area.left, y: area.bottom + 38 }, name),
  );
}
