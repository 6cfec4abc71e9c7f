// The probabilities of the network as they are embedded: states, and one table per variable.

/** Decode the tables; null if the page has none. */
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
      // Rounding to 32 bits left the sum a little off.
      for (let s = 0; s < width; s++) table[k + s] /= sum;
    }
    return table;
  });
  return { parents, order: embedded.order, states, sizes: states.map((list) => list.length), tables };
}
