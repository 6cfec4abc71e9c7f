"use strict";
// Shared by all parts of the page: the data, elements, the tip, the theme.

const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);

/** Make an SVG or HTML element. The text is never parsed as markup. */
function make(tag, attributes = {}, text = "") {
  const svgTags = ["svg", "path", "line", "rect", "circle", "text"];
  const element = svgTags.includes(tag)
    ? document.createElementNS("http://www.w3.org/2000/svg", tag)
    : document.createElement(tag);
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

function showTip(text, event) {
  const tip = byId("tip");
  tip.textContent = text;
  tip.hidden = false;
  const { width, height } = tip.getBoundingClientRect();
  const left = Math.min(event.clientX + 14, window.innerWidth - width - 8);
  const above = event.clientY - height - 12;
  tip.style.left = `${Math.max(8, left)}px`;
  tip.style.top = `${above > 8 ? above : event.clientY + 18}px`;
}

function hideTip() {
  byId("tip").hidden = true;
}

function save(content, type, name) {
  const link = make("a", { href: URL.createObjectURL(new Blob([content], { type })), download: name });
  link.click();
  URL.revokeObjectURL(link.href);
}

{
  const themes = ["auto", "dark", "light"];
  let at = 0;
  byId("theme").addEventListener("click", () => {
    at = (at + 1) % themes.length;
    byId("theme").textContent = `Theme: ${themes[at]}`;
    if (themes[at] === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = themes[at];
  });
}
