// The section What if: the states that are set, a sentence on the answer, and the variables that move.

const CARDS_SHOWN = 12;

if (model) {
  let most = CARDS_SHOWN;
  const sentence = byId("answer");

  const settings = () => [...evidence].map(([v, s]) => `${nameOf(v)} = ${stateName(v, s)}`);

  function listed(texts) {
    return texts.length < 2 ? texts.join("") : `${texts.slice(0, -1).join(", ")} and ${texts.at(-1)}`;
  }

  function chance(logProbability) {
    const p = Math.exp(logProbability);
    return p >= 0.0005 ? percent(p) : `10^${written(logProbability / Math.LN10, 1)}`;
  }

  function answerText() {
    if (pending) return "Sampling …";
    if (after.impossible) {
      return after.exact
        ? `This cannot happen: the network gives ${listed(settings())} together the probability 0. Clear one of them.`
        : `None of ${written(after.samples)} samples agrees with ${listed(settings())}: together they are impossible or very rare. Clear one of them.`;
    }
    if (!evidence.size) return "No state is set. The bars show how often every state occurs.";
    const rough = !after.exact && after.effective < 200
      ? ` The samples are worth only ${written(Math.round(after.effective))} independent ones, so this is rough.` : "";
    const about = after.exact ? "has" : "has about";
    return `Given ${listed(settings())}, which ${about} the probability ${chance(after.logProbability)}: the variables that move most come first.${rough}`;
  }

  function chips() {
    const list = [...evidence].map(([v, s]) => {
      const item = make("li");
      const button = make("button", { type: "button", class: "evidence", "aria-label": `Clear ${nameOf(v)} = ${stateName(v, s)}` },
        `${nameOf(v)} = ${stateName(v, s)}`);
      button.append(make("span", { "aria-hidden": "true" }, "×"));
      button.addEventListener("click", () => toggleState(v, s));
      item.append(button);
      return item;
    });
    byId("evidence").replaceChildren(...list);
    byId("clear-evidence").disabled = !evidence.size;
  }

  /** Those that are set come first, then those that move most, then hubs. */
  function ranked() {
    const part = byId("what-if-filter").value.toLowerCase();
    const rank = data.names.map((name, v) => ({ v, name, set: [...evidence.keys()].indexOf(v), shift: shiftOf(v) }));
    return rank.filter(({ name }) => name.toLowerCase().includes(part)).sort((a, b) =>
      (a.set < 0) - (b.set < 0) || a.set - b.set || b.shift - a.shift || degree[b.v] - degree[a.v] || a.v - b.v);
  }

  const cards = new Map();

  /** Find or make the card of a variable, with the present answer. */
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
    found.querySelector(".moved").textContent = evidence.has(v) ? "set" : shift >= 0.0005 ? `moved by ${percent(shift)}` : "";
    refreshBars(found.querySelector(".states"));
    return found;
  }

  function drawCards() {
    if (pending && after) {
      for (const v of cards.keys()) card({ v, shift: shiftOf(v) });
      return;
    }
    const all = ranked();
    const place = byId("cards");
    const wanted = all.slice(0, most).map(card);
    // Moving an element takes the focus from it, and ends a click that has begun.
    if (wanted.length !== place.children.length || wanted.some((one, k) => one !== place.children[k])) {
      const focused = place.contains(document.activeElement) ? document.activeElement : null;
      place.replaceChildren(...wanted);
      if (focused?.isConnected) focused.focus({ preventScroll: true });
    }
    const left = all.length - most;
    byId("more-cards").hidden = left <= 0;
    byId("more-cards").textContent = `Show ${written(Math.min(left, CARDS_SHOWN))} more of ${counted(all.length, "variable")}`;
  }

  /** Colour the boxes of the picture by how far their variables, or the one that moved most, have moved. */
  function colourPicture() {
    const members = (item) => (shown.kind === "groups" ? data.groups[item].variables : [item]);
    for (const [item, node] of shown.nodes) {
      const own = members(item);
      const moved = own.filter((v) => !evidence.has(v)).map(shiftOf);
      node.classList.toggle("given", own.length === 1 && evidence.has(own[0]));
      node.style.setProperty("--shift", Math.min(1, 2 * Math.max(0, ...moved)));
    }
  }

  onAnswer(() => {
    sentence.textContent = answerText();
    sentence.classList.toggle("wrong", !pending && Boolean(after?.impossible));
    chips();
    drawCards();
    colourPicture();
  });
  byId("what-if-filter").addEventListener("input", () => {
    most = CARDS_SHOWN;
    drawCards();
  });
  byId("more-cards").addEventListener("click", () => {
    most += CARDS_SHOWN;
    drawCards();
  });
  byId("clear-evidence").addEventListener("click", clearEvidence);
  pictureShown.push(colourPicture);
}
