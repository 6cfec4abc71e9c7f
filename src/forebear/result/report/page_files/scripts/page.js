"use strict";
// Shared by all parts of the page: the data, elements, numbers.

const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
const nameOf = (v) => data.names[v] || "(no name)";

const children = data.names.map(() => []);
data.parents.forEach((family, v) => family.forEach((p) => children[p].push(v)));
const degree = data.names.map((_, v) => data.parents[v].length + children[v].length);

/** Make an element. The text is never parsed as markup. */
function make(tag, attributes = {}, text = "") {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text) element.textContent = text;
  return element;
}

function written(value, digits = 0) {
  if (value === null) return "−∞";
  return value
    .toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits })
    .replace("-", "−");
}

function counted(count, noun, plural = `${noun}s`) {
  return `${written(count)} ${count === 1 ? noun : plural}`;
}

/** Format a probability; one that is nearly 0 or 1 is not shown as 0 or 1. */
function percent(p) {
  if (p > 1e-12 && p < 0.0005) return "< 0.1 %";
  if (p >= 0.9995 && p < 1 - 1e-6) return "> 99.9 %";
  return `${written(100 * p, 1)} %`;
}
