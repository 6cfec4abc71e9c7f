// Every chart is drawn once its size is known, and again when it changes.

{
  const bars = [
    // The best rank is highlighted; no degree is better than another.
    ["rank-chart", data.ranks, "Rank", 0],
    ["parents-chart", data.parentCounts, "Parents", null],
    ["children-chart", data.childCounts, "Children", null],
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
