// What if: the states that the reader set, and what follows for the other variables.

const model = decoded(data.probabilities, data.parents);
const engine = model && data.tree ? exactEngine(model, data.tree) : null;

// More samples make the error bars narrower: 20,000 give at most 0.7 percentage points (twice the
// standard error) where all samples count alike.
const SAMPLES = 20000;
const SLICE_MILLISECONDS = 40;

const evidence = new Map();
const listeners = [];
let before = null;
let after = null;
let asked = 0;
// Whether samples are being drawn; until they are there, the last answer is shown.
let pending = false;

/** Call a function with every answer. */
function onAnswer(listener) {
  listeners.push(listener);
}

function tell() {
  for (const listener of listeners) listener();
}

/** Sample in slices, so that the page stays responsive; drop the work if another question comes. */
function sampleAnswer(states, done) {
  const mine = asked;
  const drawing = sampler(model, states);
  const slice = () => {
    if (mine !== asked) return;
    const end = performance.now() + SLICE_MILLISECONDS;
    let samples = 0;
    do samples = drawing.draw(200); while (samples < SAMPLES && performance.now() < end);
    if (samples < SAMPLES) setTimeout(slice);
    else done(drawing.answer());
  };
  slice();
}

function ask() {
  asked += 1;
  if (!model) return;
  const states = [...evidence];
  const answer = (given, done) => (engine ? done(engine.query(given)) : sampleAnswer(given, done));
  const finish = (found) => {
    after = found;
    pending = false;
    tell();
  };
  const compare = (found) => {
    before = found;
    if (states.length) answer(states, finish);
    else finish(found);
  };
  pending = true;
  if (!engine) tell();
  if (before) compare(before);
  else answer([], compare);
}

/** Set a state, or clear it if it is set already. */
function toggleState(v, state) {
  if (evidence.get(v) === state) evidence.delete(v);
  else evidence.set(v, state);
  ask();
}

function clearEvidence() {
  evidence.clear();
  ask();
}

/** How far the distribution of a variable has moved: half the sum of all changes, from 0 to 1. */
function shiftOf(v) {
  if (!after || after.impossible || !before) return 0;
  const [old, now] = [before.marginals[v], after.marginals[v]];
  return old.reduce((sum, p, s) => sum + Math.abs(p - now[s]), 0) / 2;
}
