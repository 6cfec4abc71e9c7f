// The section "What if": states to click, the evidence, and the variables that change.

const CARDS_SHOWN = 12;

function stateName(v, s) {
  return model.states[v][s] || "(empty)";
}

/** Return whether a click on a state sets it by intervention. */
const forcing = () => byId("mode-set").checked;

/** Return the bars of a variable, one per state; a click on a state observes or sets it. */
function stateBars(v) {
  const list = make("div", { class: data.tree ? "states" : "states estimated", role: "group", "aria-label": `States of ${nameOf(v)}`, "data-v": v });
  model.states[v].forEach((_, s) => {
    const row = make("button", { type: "button", class: "state" });
    const track = make("span", { class: "track" });
    track.append(...["now", "error", "old"].map((kind) => make("i", { class: kind })));
    row.append(make("span", { class: "state-name" }, stateName(v, s)), track, make("span", { class: "value" }), make("span", { class: "was" }));
    row.addEventListener("click", () => toggleState(v, s, forcing()));
    list.append(row);
  });
  refreshBars(list);
  return list;
}

/** Format a probability with its error, which is rounded up if it would be shown as 0. */
function estimate(p, error) {
  return `${written(100 * p, 1)} ± ${written(Math.max(0.1, 100 * error), 1)} %`;
}

/** Update the bars of a variable to the current answer. */
function refreshBars(list) {
  const v = Number(list.dataset.v);
  list.classList.toggle("given", evidence.has(v));
  list.classList.toggle("compared", evidence.size > 0);
  [...list.children].forEach((row, s) => {
    const now = after.impossible ? null : after.marginals[v][s];
    const old = before.marginals[v][s];
    const error = now === null ? 0 : errorOf(after, v, s);
    const part = (kind) => row.querySelector(`.${kind}`);
    row.setAttribute("aria-pressed", String(evidence.get(v) === s));
    const value = now === null ? "–" : error ? estimate(now, error) : percent(now);
    row.setAttribute("aria-label", `${nameOf(v)} = ${stateName(v, s)}: ${now === null ? "no answer" : value}`
      + (evidence.size ? ` before ${percent(old)}` : ""));
    part("now").style.width = `${100 * (now ?? 0)}%`;
    part("old").hidden = !evidence.size;
    part("old").style.left = `${100 * old}%`;
    part("error").hidden = !error;
    const low = Math.max(0, now - error);
    part("error").style.left = `${100 * low}%`;
    part("error").style.width = `${100 * (Math.min(1, now + error) - low)}%`;
    part("value").textContent = value;
    part("was").textContent = Math.abs(changeOf(v, s)) >= 0.0005 ? `was ${percent(old)}` : "";
  });
}

const observed = () => [...evidence].filter(([v]) => !forced.has(v)).map(([v, s]) => `${nameOf(v)} = ${stateName(v, s)}`);
const settings = () => [...evidence].filter(([v]) => forced.has(v)).map(([v, s]) => `${nameOf(v)} set to ${stateName(v, s)}`);
const joined = (texts) => (texts.length < 2 ? texts.join("") : `${texts.slice(0, -1).join(", ")} and ${texts.at(-1)}`);

function answerText() {
  const sampled = after.samples && `${written(after.samples)} samples`;
  if (!evidence.size) return `No state is set. The bars show how often every state occurs${sampled ? `, estimated from ${sampled}` : ""}.`;
  const listed = joined([...settings(), ...observed()]);
  if (after.impossible && sampled) return `None of ${sampled} agrees with ${listed}: together they are impossible or very rare. Clear one of them.`;
  if (after.impossible) return `This cannot happen: ${listed} together have the probability 0. Clear one of them.`;
  const p = Math.exp(after.logProbability);
  const chance = p >= 0.0005 ? percent(p) : `10^${written(after.logProbability / Math.LN10, 1)}`;
  const rough = after.effective < 200 ? ` The effective sample size is only ${written(after.effective)}, so this is rough.` : "";
  const set = settings().length ? `With ${joined(settings())}` : "";
  const seen = observed().length ? `given ${joined(observed())}, which has ${sampled ? "about " : ""}the probability ${chance}` : "";
  const start = [set, seen].filter(Boolean).join(", and ");
  return `${start[0].toUpperCase()}${start.slice(1)}: the variables that change most come first.${rough}`;
}

/** Show the evidence; a click on a state clears it. */
function evidenceChips() {
  return [...evidence].map(([v, s]) => {
    const text = `${nameOf(v)} ${forced.has(v) ? "set to" : "="} ${stateName(v, s)}`;
    const item = make("li");
    const button = make("button", { type: "button", class: "evidence", "aria-label": `Clear ${text}` }, text);
    button.append(make("span", { "aria-hidden": "true" }, "×"));
    button.addEventListener("click", () => toggleState(v, s, forced.has(v)));
    item.append(button);
    return item;
  });
}

const cards = new Map();

/** Return the card of a variable with the current answer; create it if necessary. */
function card({ v, shift }) {
  if (!cards.has(v)) {
    const made = make("article", { "aria-label": nameOf(v) });
    const head = make("h3");
    head.append(make("button", { type: "button", class: "name", "data-choose": v }, nameOf(v)), make("span", { class: "moved" }));
    made.append(head, stateBars(v));
    cards.set(v, made);
  }
  const found = cards.get(v);
  found.className = evidence.has(v) ? "card set" : "card";
  found.querySelector(".moved").textContent = evidence.has(v) ? (forced.has(v) ? "set" : "observed") : shift >= 0.0005 ? `changed by ${percent(shift)}` : "";
  refreshBars(found.querySelector(".states"));
  return found;
}

/** Show the evidence variables first, then those that change most, then hubs. */
function drawCards() {
  const part = byId("what-if-filter").value.toLowerCase();
  const given = [...evidence.keys()];
  const ranked = data.names.map((name, v) => ({ v, name, set: given.indexOf(v), shift: shiftOf(v) }))
    .filter(({ name }) => name.toLowerCase().includes(part))
    .sort((a, b) => (a.set < 0) - (b.set < 0) || a.set - b.set || b.shift - a.shift || degree[b.v] - degree[a.v] || a.v - b.v);
  const wanted = ranked.slice(0, CARDS_SHOWN).map(card);
  const left = ranked.length - wanted.length;
  byId("more-cards").textContent = left ? `${counted(left, "further variable")}: find ${left === 1 ? "it" : "them"} with the filter.` : "";
  // Moving an element removes its focus, and ends a click that has begun.
  const place = byId("cards");
  if (wanted.length === place.children.length && wanted.every((one, k) => one === place.children[k])) return;
  const focused = place.contains(document.activeElement) ? document.activeElement : null;
  place.replaceChildren(...wanted);
  if (focused?.isConnected) focused.focus({ preventScroll: true });
}

/** Show the answer in the section, in the panel, and by the colors of the picture. */
function showAnswer() {
  byId("answer").textContent = answerText();
  byId("answer").classList.toggle("wrong", after.impossible);
  byId("evidence").replaceChildren(...evidenceChips());
  byId("clear-evidence").disabled = !evidence.size;
  drawCards();
  const list = byId("details").querySelector(".states");
  if (list) refreshBars(list);
  boxes.forEach((node, v) => {
    node.classList.toggle("given", evidence.has(v));
    node.style.setProperty("--shift", evidence.has(v) ? 0 : Math.min(1, 2 * shiftOf(v)));
  });
}

if (engine) {
  byId("what-if-filter").addEventListener("input", drawCards);
  byId("clear-evidence").addEventListener("click", () => {
    evidence.clear();
    forced.clear();
    answer();
  });
  showAnswer();
}
