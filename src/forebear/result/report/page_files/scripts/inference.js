// Exact inference: the distributions of all variables given the evidence, by a junction tree that
// was built when the page was written. If the tree would be too large, answers are sampled.

/** Decode the tables, one per variable; null if the page has none. */
function decoded(embedded, parents) {
  if (!embedded) return null;
  const bytes = Uint8Array.from(atob(embedded.cells), (c) => c.charCodeAt(0));
  const words = new DataView(bytes.buffer);
  const states = embedded.statesOf.map((list) => embedded.stateLists[list]);
  let at = 0;
  const tables = parents.map((family, v) => {
    const width = states[v].length;
    const size = family.reduce((product, p) => product * states[p].length, width);
    const table = new Float64Array(size);
    for (let k = 0; k < size; k += width) {
      let sum = 0;
      for (let s = 0; s < width; s++, at += 4) sum += table[k + s] = words.getFloat32(at, true);
      // After rounding to 32 bits, the sum is not exactly 1.
      for (let s = 0; s < width; s++) table[k + s] /= sum;
    }
    return table;
  });
  return { parents, order: embedded.order, states, sizes: states.map((list) => list.length), tables };
}

/** Return the stride of each of some variables in a flat table whose last variable varies fastest. */
function stepsIn(scope, sizes, wanted) {
  const step = new Map();
  for (let k = scope.length - 1, product = 1; k >= 0; product *= sizes[scope[k--]]) {
    step.set(scope[k], product);
  }
  return wanted.map((v) => step.get(v) ?? 0);
}

/** Call visit(cell, other) for every cell of a table and its cell in a table over fewer variables. */
function walk(scope, sizes, steps, visit) {
  const lengths = scope.map((v) => sizes[v]);
  const cells = lengths.reduce((product, length) => product * length, 1);
  const digits = new Int32Array(scope.length);
  for (let cell = 0, other = 0; cell < cells; cell++) {
    visit(cell, other);
    for (let k = scope.length - 1; k >= 0; k--) {
      other += steps[k];
      if (++digits[k] < lengths[k]) break;
      other -= steps[k] * lengths[k];
      digits[k] = 0;
    }
  }
}

/** Return an object that answers queries; the tree has cliques, parents, separators and homes. */
function exactEngine(model, tree) {
  const { parents, sizes, tables } = model;
  const cellsOf = (scope) => scope.reduce((product, v) => product * sizes[v], 1);

  /** Multiply the tables into the cliques, except those of variables that are set. */
  function potentialsWithout(forced) {
    const made = tree.cliques.map((clique) => new Float64Array(cellsOf(clique)).fill(1));
    tree.homes.forEach((c, v) => {
      if (forced.has(v)) return;
      const [table, potential] = [tables[v], made[c]];
      const steps = stepsIn([...parents[v], v], sizes, tree.cliques[c]);
      walk(tree.cliques[c], sizes, steps, (cell, other) => { potential[cell] *= table[other]; });
    });
    return made;
  }
  const potentials = potentialsWithout(new Set());
  // The strides from every clique to its separator, and from its parent to the same separator.
  const down = tree.cliques.map((clique, c) => stepsIn(tree.separators[c], sizes, clique));
  const across = tree.parents.map((above, c) =>
    (above < 0 ? [] : stepsIn(tree.separators[c], sizes, tree.cliques[above])));
  const holder = sizes.map(() => -1);
  tree.cliques.forEach((clique, c) => clique.forEach((v) => {
    if (holder[v] < 0 || potentials[c].length < potentials[holder[v]].length) holder[v] = c;
  }));

  /** Set the cells that contradict the evidence to 0. */
  function withEvidence(evidence, forced) {
    const found = forced.size ? potentialsWithout(forced) : potentials.map((potential) => Float64Array.from(potential));
    for (const [v, state] of evidence) {
      const c = holder[v];
      const steps = stepsIn([v], sizes, tree.cliques[c]);
      walk(tree.cliques[c], sizes, steps, (cell, own) => { if (own !== state) found[c][cell] = 0; });
    }
    return found;
  }

  /** Pass messages to the root: each clique becomes conditional on its separator. */
  function collect(beliefs) {
    let logProbability = 0;
    for (let c = beliefs.length - 1; c >= 0; c--) {
      const own = beliefs[c];
      const message = new Float64Array(cellsOf(tree.separators[c]));
      walk(tree.cliques[c], sizes, down[c], (cell, other) => { message[other] += own[cell]; });
      const largest = message.reduce((most, value) => Math.max(most, value), 0);
      if (largest === 0) return -Infinity;
      walk(tree.cliques[c], sizes, down[c], (cell, other) => {
        own[cell] = message[other] > 0 ? own[cell] / message[other] : 0;
      });
      logProbability += Math.log(largest);
      const above = tree.parents[c];
      if (above < 0) continue;
      const target = beliefs[above];
      // Scaled, so that products of many small factors do not become 0.
      walk(tree.cliques[above], sizes, across[c], (cell, other) => { target[cell] *= message[other] / largest; });
    }
    return logProbability;
  }

  /** Pass messages back: each clique becomes the joint distribution of its variables. */
  function distribute(beliefs) {
    for (let c = 1; c < beliefs.length; c++) {
      const above = beliefs[tree.parents[c]];
      const share = new Float64Array(cellsOf(tree.separators[c]));
      walk(tree.cliques[tree.parents[c]], sizes, across[c], (cell, other) => { share[other] += above[cell]; });
      const own = beliefs[c];
      walk(tree.cliques[c], sizes, down[c], (cell, other) => { own[cell] *= share[other]; });
    }
  }

  function marginal(beliefs, v) {
    const found = new Float64Array(sizes[v]);
    const c = holder[v];
    walk(tree.cliques[c], sizes, stepsIn([v], sizes, tree.cliques[c]), (cell, own) => { found[own] += beliefs[c][cell]; });
    return found;
  }

  /**
   * Return the distribution of every variable, and the log-probability of the evidence. The tables
   * of variables in "forced", which are set by intervention, have no influence.
   */
  function query(evidence, forced = new Set()) {
    const beliefs = withEvidence(evidence, forced);
    const logProbability = collect(beliefs);
    if (logProbability === -Infinity) return { impossible: true };
    distribute(beliefs);
    return { impossible: false, logProbability, marginals: sizes.map((_, v) => marginal(beliefs, v)) };
  }
  return { query };
}

const model = decoded(data.probabilities, data.parents);
const engine = model && (data.tree ? exactEngine(model, data.tree) : samplingEngine(model));
const evidence = new Map();
// The variables of the evidence that are set by intervention, not observed.
const forced = new Set();
const before = engine?.query([]);
let after = before;

/** Observe or set a state, or clear it if that has been done already. */
function toggleState(v, state, force = false) {
  const same = evidence.get(v) === state && forced.has(v) === force;
  if (same) evidence.delete(v);
  else evidence.set(v, state);
  if (force && !same) forced.add(v);
  else forced.delete(v);
  answer();
}

function answer() {
  after = engine.query([...evidence], forced);
  showAnswer();
}

/** Two standard errors of a probability; 0 if it is exact. */
function errorOf({ errors }, v, s) {
  return errors ? 2 * errors[v][s] : 0;
}

/** Return how much the probability of a state has changed; 0 if the change may be chance. */
function changeOf(v, s) {
  if (after.impossible) return 0;
  const change = after.marginals[v][s] - before.marginals[v][s];
  return Math.abs(change) > Math.hypot(errorOf(before, v, s), errorOf(after, v, s)) ? change : 0;
}

/** Return how much a distribution has changed: half the sum of all changes, from 0 to 1. */
function shiftOf(v) {
  return model.states[v].reduce((sum, _, s) => sum + Math.abs(changeOf(v, s)), 0) / 2;
}
