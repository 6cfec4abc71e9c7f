// Likelihood weighting, used if the junction tree is too large: samples agree with the evidence and
// are weighted by its probability.

// With 20,000 samples of equal weight, two standard errors are at most 0.7 percentage points.
const SAMPLES = 20000;
// With more than 500 variables fewer samples are drawn, so that the page stays responsive: this many
// states of variables took 0.3 to 0.7 s in Chromium, for 1,000 to 5,000 variables.
const MOST_STATES = 1e7;

/** Return a seeded generator of random numbers (mulberry32), so that answers are reproducible. */
function randomNumbers(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** Return an object that estimates answers, like the exact one but with standard errors. */
function samplingEngine({ parents, order, sizes, tables }) {
  const samples = Math.min(SAMPLES, Math.ceil(MOST_STATES / sizes.length));

  /** Draw a state of every variable, parents first; return the weight of the sample. */
  function draw(random, given, forced, state) {
    let weight = 1;
    for (const v of order) {
      let row = 0;
      for (const p of parents[v]) row = row * sizes[p] + state[p];
      row *= sizes[v];
      // Drawn even if the state is given, so that all queries use the same random numbers and
      // answers differ by the evidence, not by chance.
      let left = random();
      if (given[v] >= 0) {
        state[v] = given[v];
        if (!forced.has(v)) weight *= tables[v][row + given[v]];
      } else {
        let s = 0;
        while (s < sizes[v] - 1 && (left -= tables[v][row + s]) >= 0) s++;
        // Rounding may leave a state of probability 0 at the end.
        while (s > 0 && tables[v][row + s] === 0) s--;
        state[v] = s;
      }
    }
    return weight;
  }

  /** Estimate the distribution of every variable, and the log-probability of the evidence. */
  function query(evidence, forced = new Set()) {
    const random = randomNumbers(1);
    const given = new Int32Array(sizes.length).fill(-1);
    for (const [v, state] of evidence) given[v] = state;
    const state = new Int32Array(sizes.length);
    const sums = sizes.map((size) => new Float64Array(size));
    const squares = sizes.map((size) => new Float64Array(size));
    let [total, squared] = [0, 0];
    for (let k = 0; k < samples; k++) {
      const weight = draw(random, given, forced, state);
      total += weight;
      squared += weight * weight;
      for (let v = 0; weight > 0 && v < sizes.length; v++) {
        sums[v][state[v]] += weight;
        squares[v][state[v]] += weight * weight;
      }
    }
    if (total === 0) return { impossible: true, samples };
    const effective = (total * total) / squared;
    const marginals = sums.map((own) => own.map((sum) => sum / total));
    // The standard error of a weighted share p: sum of w²(x - p)², over the square of the sum of w.
    // Where all samples agree, twice the error is 3/n (the rule of three).
    const errors = squares.map((own, v) => own.map((square, s) => {
      const p = marginals[v][s];
      const error = Math.sqrt(Math.max(0, square * (1 - 2 * p) + squared * p * p)) / total;
      return given[v] >= 0 ? 0 : Math.max(error, 1.5 / effective);
    }));
    return { impossible: false, samples, effective, logProbability: Math.log(total / samples), marginals, errors };
  }
  return { query };
}
