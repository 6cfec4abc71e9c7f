// The charts: bars, the score of every chain over time, the likelihood of held-out rows.

const MARGIN = { top: 18, right: 12, bottom: 44, left: 56 };

/** Start a drawing that fills its place: lines at round numbers, the axis below, and its name. */
function chart(place, { low, high, about, name, wholeOnly = false }) {
  const { clientWidth: width, clientHeight: height } = place;
  const svg = make("svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" });
  place.replaceChildren(svg);
  const marks = ticks(low, high, about).filter(({ at }) => !wholeOnly || Number.isInteger(at));
  const label = ({ at, digits }) => written(at, digits);
  const left = Math.max(MARGIN.left, 18 + 7.2 * Math.max(...marks.map((mark) => label(mark).length)));
  const area = { left, right: width - MARGIN.right, top: MARGIN.top, bottom: height - MARGIN.bottom };
  const y = (value) => area.bottom - ((value - low) / (high - low)) * (area.bottom - area.top);
  for (const mark of marks) {
    svg.append(
      make("line", { class: "grid", x1: area.left, x2: area.right, y1: y(mark.at), y2: y(mark.at) }),
      make("text", { x: area.left - 10, y: y(mark.at) + 4, "text-anchor": "end" }, label(mark)),
    );
  }
  svg.append(
    make("line", { class: "axis", x1: area.left, x2: area.right, y1: area.bottom, y2: area.bottom }),
    make("text", { x: area.left, y: area.bottom + 38 }, name),
  );
  const below = (x, text) => svg.append(make("text", { x, y: area.bottom + 18, "text-anchor": "middle" }, text));
  return { svg, area, y, below };
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
  const most = Math.max(1, ...bars.map(([, count]) => count));
  const { svg, area, y, below } = chart(place, { low: 0, high: most, about: 4, name, wholeOnly: true });
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
    if (k % every === 0) below(x + step / 2, label);
  });
}

/** Draw the log-likelihood of held-out rows over the limit on parents, with standard errors. */
function drawHeldOut(place, trials) {
  const ends = trials.flatMap(([, value, error]) => [value - error, value + error]);
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  const pad = Math.max(0.06 * (high - low), 1e-3 * Math.abs(high), 1e-3);
  const { svg, area, y, below } = chart(place, { low: low - pad, high: high + pad, about: 4, name: "Limit on parents" });
  const step = (area.right - area.left) / trials.length;
  const x = (k) => area.left + step * (k + 0.5);
  const best = Math.max(...trials.map(([, value]) => value));
  svg.append(make("path", { class: "curve winner", d: `M${trials.map(([, value], k) => `${x(k)} ${y(value)}`).join("L")}` }));
  trials.forEach(([label, value, error], k) => {
    const [top, bottom] = [y(value + error), y(value - error)];
    svg.append(
      make("path", { class: "error", d: `M${x(k)} ${top}V${bottom}M${x(k) - 5} ${top}h10M${x(k) - 5} ${bottom}h10` }),
      make("circle", { class: value === best ? "spot marked" : "spot", cx: x(k), cy: y(value), r: 5 }),
    );
    below(x(k), label);
  });
}

/** The improvements of every chain, in order. */
function curves() {
  const found = new Map();
  for (const [chain, seconds, score] of data.trace) {
    if (!found.has(chain)) found.set(chain, []);
    found.get(chain).push([seconds, score]);
  }
  // The winner is drawn last, on top.
  return [...found].sort(([a], [b]) => (a === data.winner) - (b === data.winner) || a - b);
}

function timeScale(first, last, log, area) {
  const low = log ? first : 0;
  const warp = log ? Math.log10 : (t) => t;
  const span = warp(last) - warp(low) || 1;
  const width = area.right - area.left;
  return {
    low,
    place: (t) => area.left + ((warp(Math.max(t, low)) - warp(low)) / span) * width,
    time: (x) => {
      const at = warp(low) + ((x - area.left) / width) * span;
      return log ? 10 ** at : at;
    },
  };
}

function timeTicks(low, last, log, about) {
  if (!log) return ticks(0, last, about);
  const found = [];
  for (let k = Math.floor(Math.log10(low)); k <= Math.log10(last); k++) {
    for (const m of last / low > 300 ? [1] : [1, 2, 5]) {
      const at = m * 10 ** k;
      if (at >= low * 0.999 && at <= last * 1.001) found.push({ at, digits: Math.max(0, -k) });
    }
  }
  return found;
}

/** The score that a chain had reached at a time, if any. */
function scoreAt(steps, time) {
  let found = null;
  for (const [seconds, score] of steps) {
    if (seconds > time) break;
    found = score;
  }
  return found;
}

function drawScores(place, log) {
  const all = curves();
  const scores = data.trace.map(([, , score]) => score);
  const high = Math.max(...scores, data.bound ?? -Infinity);
  const low = Math.min(...scores);
  const pad = (high - low) * 0.06 || Math.abs(high) * 1e-4 || 1;
  const { svg, area, y, below } = chart(place, { low: low - pad, high: high + pad, about: 5, name: "Seconds" });
  const first = Math.max(1e-4, Math.min(...data.trace.map(([, seconds]) => seconds)));
  const last = Math.max(data.seconds, first * 1.5, ...data.trace.map(([, seconds]) => seconds));
  const x = timeScale(first, last, log, area);
  for (const { at, digits } of timeTicks(x.low, last, log, (area.right - area.left) / 90)) {
    below(x.place(at), written(at, digits));
  }
  if (data.bound !== null) {
    svg.append(
      make("line", { class: "bound", x1: area.left, x2: area.right, y1: y(data.bound), y2: y(data.bound) }),
      make("text", { class: "bound-name", x: area.right, y: y(data.bound) - 6, "text-anchor": "end" }, "bound"),
    );
  }
  for (const [chain, steps] of all) {
    const path = steps.map(([seconds, score], k) => (k ? `H${x.place(seconds)}V${y(score)}` : `M${x.place(seconds)} ${y(score)}`));
    const kind = chain === data.winner ? "curve winner" : "curve";
    svg.append(make("path", { class: kind, d: `${path.join("")}H${area.right}`, "data-chain": chain }));
  }
  follow(svg, area, x, all);
}

/** Show the scores at the time under the pointer. */
function follow(svg, area, x, all) {
  const cross = make("line", { class: "cross", y1: area.top, y2: area.bottom, visibility: "hidden" });
  svg.append(cross);
  svg.addEventListener("pointermove", (event) => {
    const at = event.clientX - svg.getBoundingClientRect().left;
    if (at < area.left || at > area.right) return;
    cross.setAttribute("x1", at);
    cross.setAttribute("x2", at);
    cross.setAttribute("visibility", "visible");
    const time = x.time(at);
    const reached = all
      .map(([chain, steps]) => [chain, scoreAt(steps, time)])
      .filter(([, score]) => score !== null)
      .sort((a, b) => b[1] - a[1]);
    const lines = reached.slice(0, 6).map(([chain, score]) => `Chain ${chain}: ${written(score, 3)}`);
    if (reached.length > 6) lines.push(`and ${reached.length - 6} more`);
    showTip([`${time.toPrecision(3)} s`, ...lines].join("\n"), event);
  });
  svg.addEventListener("pointerleave", () => {
    cross.setAttribute("visibility", "hidden");
    hideTip();
  });
}

// Every chart is drawn once its size is known, and again when it changes.

{
  const bars = [
    // The best rank is highlighted; no degree is better than another.
    ["rank-chart", data.ranks, "Rank", 0],
    ["parents-chart", data.parent_counts, "Parents", null],
    ["children-chart", data.child_counts, "Children", null],
  ];
  const drawers = new Map();
  const redraw = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      // A hidden page has no size.
      if (target.clientWidth) drawers.get(target)();
    }
  });
  for (const [id, counts, name, marked] of bars) {
    if (counts.length) drawers.set(byId(id), () => drawBars(byId(id), counts, name, marked));
  }
  if (byId("held-out-chart")) drawers.set(byId("held-out-chart"), () => drawHeldOut(byId("held-out-chart"), data.heldOut));
  const place = byId("score-chart");
  if (place && data.trace.length) {
    const times = data.trace.map(([, seconds]) => seconds);
    // Most improvements come early, and only a logarithmic axis shows them.
    byId("log-time").checked = Math.min(...times) < data.seconds / 20;
    const draw = () => drawScores(place, byId("log-time").checked);
    byId("log-time").addEventListener("change", draw);
    drawers.set(place, draw);
  }
  drawers.forEach((_, target) => redraw.observe(target));
}
