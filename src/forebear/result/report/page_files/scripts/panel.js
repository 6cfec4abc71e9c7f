// The panel about the chosen variable: distribution, probabilities given its parents, neighbours.

const hint = [...byId("details").childNodes];
const strengths = new Map(arcs.map((arc) => [`${arc.p} ${arc.v}`, arc.bits]));

function describeNone() {
  byId("details").replaceChildren(...hint);
}

function bits(p, v) {
  const found = strengths.get(`${p} ${v}`) ?? null;
  return found === null ? "" : `${written(found, 2)} bits`;
}

/** The variables of one kind of kinship, each to be selected. */
function kinList(kind, title, list, remark) {
  const heading = make("h4");
  heading.append(make("i", { class: kind, "aria-hidden": "true" }), `${title} (${written(list.length)})`);
  const chips = make("ul", { class: "chips" });
  for (const u of list) {
    const item = make("li");
    const button = make("button", { type: "button", class: kind }, nameOf(u));
    const extra = remark(u);
    if (extra) button.append(make("span", { class: "extra" }, extra));
    button.addEventListener("click", () => {
      choose(u);
      byId("details").focus({ preventScroll: true });
    });
    item.append(button);
    chips.append(item);
  }
  return list.length ? [heading, chips] : [heading];
}

function describe(v) {
  const [rank, sets, score] = data.choices[v];
  const kin = blanket(v);
  const parts = [
    make("h3", {}, nameOf(v)),
    make("p", { class: "facts-of" },
      `Rank ${written(rank)} of ${counted(sets, "parent set")}, score ${written(score, 3)}`),
  ];
  if (model) {
    parts.push(make("h4", {}, "Distribution"));
    const place = make("div", { id: "distribution" });
    place.append(stateBars(v));
    const about = make("p", { class: "facts-of small" }, "Click a state to suppose it. What follows is shown under ");
    about.append(make("a", { href: "#what-if" }, "What if"), ".");
    parts.push(place, about);
    if (data.parents[v].length) {
      parts.push(make("h4", {}, `Probabilities given ${data.parents[v].length === 1 ? "its parent" : "its parents"}`), conditionalTable(v));
    }
  }
  parts.push(
    ...kinList("parent", "Parents", kin.parent, (u) => bits(u, v)),
    ...kinList("child", "Children", kin.child, (u) => bits(v, u)),
    ...kinList("spouse", "Other parents of the children", kin.spouse, () => ""),
    make("p", { class: "facts-of small" }, "These together are its Markov blanket: once they are known, no other variable tells more about it."),
  );
  byId("details").replaceChildren(...parts);
  byId("details").scrollTop = 0;
}

onAnswer(() => {
  const list = byId("details").querySelector(".states");
  if (list) refreshBars(list);
});
