// The distribution of a variable as bars, one per state; a click on a state supposes it.

/** Write a probability; what is nearly impossible or nearly certain is not written as if it were. */
function percent(p) {
  if (p > 1e-12 && p < 0.0005) return "< 0.1 %";
  if (p >= 0.9995 && p < 1 - 1e-6) return "> 99.9 %";
  return `${written(100 * p, 1)} %`;
}

// More states than this are shortened to the most probable ones, until the reader asks for all.
const STATES_SHOWN = 8;

function stateName(v, s) {
  return model.states[v][s] || "(empty)";
}

/** Make the row of a state; refreshRow fills it, so that bars move instead of being replaced. */
function stateRow(v, s) {
  const row = make("button", { type: "button", class: "state", "data-state": `${v} ${s}` });
  const track = make("span", { class: "track" });
  track.append(...["now", "whisker", "old"].map((kind) => make("i", { class: kind })));
  row.append(
    make("span", { class: "state-name" }, stateName(v, s)), track,
    make("span", { class: "value" }), make("span", { class: "was" }),
  );
  row.addEventListener("click", () => toggleState(v, s));
  return row;
}

function refreshRow(row) {
  const [v, s] = row.dataset.state.split(" ").map(Number);
  const known = after && !after.impossible;
  const now = known ? after.marginals[v][s] : null;
  const old = before && evidence.size ? before.marginals[v][s] : null;
  const error = known && after.errors && !evidence.has(v) ? 2 * after.errors[v][s] : 0;
  row.setAttribute("aria-pressed", String(evidence.get(v) === s));
  const spoken = [
    `${nameOf(v)} = ${stateName(v, s)}:`,
    now === null ? "no answer" : percent(now),
    error ? `plus or minus ${percent(error)}` : "",
    old === null ? "" : `before ${percent(old)}`,
  ];
  row.setAttribute("aria-label", spoken.filter(Boolean).join(" "));
  const part = (kind) => row.querySelector(`.${kind}`);
  part("now").style.width = `${100 * (now ?? 0)}%`;
  part("old").hidden = old === null;
  part("old").style.left = `${100 * (old ?? 0)}%`;
  part("whisker").hidden = !error;
  const low = Math.max(0, now - error);
  part("whisker").style.left = `${100 * low}%`;
  part("whisker").style.width = `${100 * (Math.min(1, now + error) - low)}%`;
  const moved = old !== null && now !== null && Math.abs(now - old) >= 0.0005;
  part("value").textContent = now === null ? "–" : error ? `${written(100 * now, 1)} ± ${written(Math.max(0.1, 100 * error), 1)} %` : percent(now);
  part("was").textContent = moved ? `was ${percent(old)}` : "";
}

function refreshBars(list) {
  list.classList.toggle("given", evidence.has(Number(list.dataset.v)));
  list.classList.toggle("compared", evidence.size > 0);
  for (const row of list.querySelectorAll(".state")) refreshRow(row);
}

/** Make the bars of a variable; of many states, the most probable ones come first alone. */
function stateBars(v) {
  const list = make("div", { class: engine ? "states" : "states estimated", role: "group", "aria-label": `States of ${nameOf(v)}`, "data-v": v });
  const all = model.states[v].map((_, s) => s);
  const p = before?.marginals[v] ?? all;
  const probable = [...all].sort((a, b) => (evidence.get(v) === b) - (evidence.get(v) === a) || p[b] - p[a]);
  const some = all.length > STATES_SHOWN ? probable.slice(0, STATES_SHOWN).sort((a, b) => a - b) : all;
  list.append(...some.map((s) => stateRow(v, s)));
  if (some.length < all.length) {
    const more = make("button", { type: "button", class: "link" }, `Show all ${written(all.length)} states`);
    more.addEventListener("click", () => {
      list.replaceChildren(...all.map((s) => stateRow(v, s)));
      refreshBars(list);
      list.querySelector("button").focus();
    });
    list.append(more);
  }
  refreshBars(list);
  return list;
}
