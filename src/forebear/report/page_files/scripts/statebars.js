// The distribution of a variable as bars, one per state; a click on a state supposes it.

function percent(p) {
  if (p > 0 && p < 0.0005) return "< 0.1 %";
  return `${written(100 * p, 1)} %`;
}

// More states than this are shortened to the most probable ones, until the reader asks for all.
const STATES_SHOWN = 8;

function stateName(v, s) {
  return model.states[v][s] || "(empty)";
}

function stateRow(v, s) {
  const set = evidence.get(v) === s;
  const known = after && !after.impossible;
  const now = known ? after.marginals[v][s] : null;
  const old = before && evidence.size ? before.marginals[v][s] : null;
  const error = known && after.errors && !evidence.has(v) ? 2 * after.errors[v][s] : 0;
  const row = make("button", { type: "button", class: "state", "aria-pressed": String(set), "data-state": `${v} ${s}` });
  const spoken = [
    `${nameOf(v)} = ${stateName(v, s)}:`,
    now === null ? "no answer" : percent(now),
    error ? `plus or minus ${percent(error)}` : "",
    old === null ? "" : `before ${percent(old)}`,
  ];
  row.setAttribute("aria-label", spoken.filter(Boolean).join(" "));
  const track = make("span", { class: "track" });
  if (now !== null) {
    const bar = make("i", { class: "now" });
    bar.style.width = `${100 * now}%`;
    track.append(bar);
  }
  if (old !== null) {
    const mark = make("i", { class: "old" });
    mark.style.left = `${100 * old}%`;
    track.append(mark);
  }
  if (error) {
    const whisker = make("i", { class: "whisker" });
    const low = Math.max(0, now - error);
    whisker.style.left = `${100 * low}%`;
    whisker.style.width = `${100 * (Math.min(1, now + error) - low)}%`;
    track.append(whisker);
  }
  const moved = old !== null && now !== null && Math.abs(now - old) >= 0.0005;
  row.append(
    make("span", { class: "state-name" }, stateName(v, s)),
    track,
    make("span", { class: "value" }, now === null ? "–" : error ? `${written(100 * now, 1)} ± ${percent(error)}` : percent(now)),
    make("span", { class: "was" }, moved ? `was ${percent(old)}` : ""),
  );
  row.addEventListener("click", () => toggleState(v, s));
  return row;
}

/** Make the bars of a variable; a long list is shortened. */
function stateBars(v, all = false) {
  const kinds = ["states", evidence.has(v) ? "given" : "", evidence.size ? "compared" : "", engine ? "" : "estimated"];
  const list = make("div", { class: kinds.filter(Boolean).join(" "), role: "group", "aria-label": `States of ${nameOf(v)}` });
  const order = model.states[v].map((_, s) => s);
  const shortened = !all && order.length > STATES_SHOWN;
  let some = order;
  if (shortened) {
    const p = after && !after.impossible ? after.marginals[v] : before?.marginals[v] ?? [];
    const first = [...order].sort((a, b) => (evidence.get(v) === b) - (evidence.get(v) === a) || p[b] - p[a]);
    some = first.slice(0, STATES_SHOWN).sort((a, b) => a - b);
  }
  list.append(...some.map((s) => stateRow(v, s)));
  if (shortened) {
    const more = make("button", { type: "button", class: "link" }, `Show all ${written(order.length)} states`);
    more.addEventListener("click", () => {
      const whole = stateBars(v, true);
      list.replaceWith(whole);
      whole.querySelector("button").focus();
    });
    list.append(more);
  }
  return list;
}

/** Redraw a part of the page without losing the focus on a state. */
function keepingFocus(place, redraw) {
  const key = place.contains(document.activeElement) ? document.activeElement.dataset.state : null;
  redraw();
  if (key) place.querySelector(`[data-state="${key}"]`)?.focus({ preventScroll: true });
}
