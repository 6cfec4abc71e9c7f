// Likelihood weighting: samples agree with the evidence and count by how probable they make it.

/** A small generator of random numbers (mulberry32), so that a question has one answer. */
function randomNumbers(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** Start to sample; draw(n) adds samples, and answer() says what they have shown so far. */
function sampler(model, evidence, seed = 1) {
  const { parents, order, sizes, tables } = model;
  const random = randomNumbers(seed);
  const given = new Int32Array(sizes.length).fill(-1);
  for (const [v, s] of evidence) given[v] = s;
  const state = new Int32Array(sizes.length);
  // The sums of all variables follow each other in one array.
  const first = new Int32Array(sizes.length + 1);
  sizes.forEach((size, v) => { first[v + 1] = first[v] + size; });
  const sums = new Float64Array(first[sizes.length]);
  const squares = new Float64Array(first[sizes.length]);
  let samples = 0;
  let weights = 0;
  let squared = 0;

  function one() {
    let weight = 1;
    for (let k = 0; k < order.length; k++) {
      const v = order[k];
      const family = parents[v];
      let row = 0;
      for (let p = 0; p < family.length; p++) row = row * sizes[family[p]] + state[family[p]];
      row *= sizes[v];
      const table = tables[v];
      if (given[v] >= 0) {
        state[v] = given[v];
        weight *= table[row + given[v]];
        if (weight === 0) return;
      } else {
        let at = random();
        let s = 0;
        while (s < sizes[v] - 1 && (at -= table[row + s]) >= 0) s++;
        // Rounding may leave a state of probability 0 at the end.
        while (s > 0 && table[row + s] === 0) s--;
        state[v] = s;
      }
    }
    weights += weight;
    squared += weight * weight;
    for (let v = 0; v < state.length; v++) {
      sums[first[v] + state[v]] += weight;
      squares[first[v] + state[v]] += weight * weight;
    }
  }

  return {
    draw(count) {
      for (let k = 0; k < count; k++) one();
      samples += count;
      return samples;
    },
    answer() {
      if (weights === 0) return { impossible: true, exact: false, samples };
      const marginals = sizes.map((_, v) => sums.slice(first[v], first[v + 1]).map((sum) => sum / weights));
      // The standard error of a weighted share p: sum of w²(x - p)², over the square of sum of w.
      const errors = sizes.map((_, v) => squares.slice(first[v], first[v + 1]).map((square, s) => {
        const p = marginals[v][s];
        return Math.sqrt(Math.max(0, square * (1 - 2 * p) + squared * p * p)) / weights;
      }));
      return {
        impossible: false, exact: false, samples, marginals, errors,
        effective: (weights * weights) / squared,
        logProbability: Math.log(weights / samples),
      };
    },
  };
}
