// The chart of the score of every chain over time.

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
  const yTicks = ticks(low - pad, high + pad, 5);
  const label = (tick) => written(tick.at, tick.digits);
  const left = 18 + 7.2 * Math.max(...yTicks.map((tick) => label(tick).length));
  const { svg, area } = canvas(place, { ...MARGIN, left });
  const first = Math.max(1e-4, Math.min(...data.trace.map(([, seconds]) => seconds)));
  const last = Math.max(data.seconds, first * 1.5, ...data.trace.map(([, seconds]) => seconds));
  const x = timeScale(first, last, log, area);
  const y = (score) => area.bottom - ((score - low + pad) / (high - low + 2 * pad)) * (area.bottom - area.top);
  for (const tick of yTicks) {
    svg.append(
      make("line", { class: "grid", x1: area.left, x2: area.right, y1: y(tick.at), y2: y(tick.at) }),
      make("text", { x: area.left - 10, y: y(tick.at) + 4, "text-anchor": "end" }, label(tick)),
    );
  }
  for (const tick of timeTicks(x.low, last, log, (area.right - area.left) / 90)) {
    svg.append(make("text", { x: x.place(tick.at), y: area.bottom + 18, "text-anchor": "middle" }, label(tick)));
  }
  svg.append(
    make("line", { class: "axis", x1: area.left, x2: area.right, y1: area.bottom, y2: area.bottom }),
    make("text", { x: area.left, y: area.bottom + 38 }, "Seconds"),
  );
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
