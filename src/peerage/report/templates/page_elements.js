"use strict";
// All text goes into the page as text nodes and attributes, never as markup.
const PAGE_ROWS = 25;
const SVG = "http://www.w3.org/2000/svg";
const DRAWN = new Set(["svg", "rect", "text"]);
const data = JSON.parse(document.getElementById("data").textContent);
const order = new Intl.Collator(undefined, { numeric: true });

function element(tag, attributes, ...children) {
  const node = DRAWN.has(tag) ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children.map((child) => (child instanceof Node ? child : String(child))));
  return node;
}

const name = (text) => element("bdi", {}, text);
const number = (value, digits = 2) => (value === null ? "" : String(Number(value.toFixed(digits))));

// The ends of an interval with the same number of decimals: as many as show two digits of its width, at most two.
function interval(lower, upper) {
  if (lower === null || upper === null || lower === upper) return `${number(lower)} to ${number(upper)}`;
  const decimals = Math.min(Math.max(1 - Math.floor(Math.log10(upper - lower)), 0), 2);
  return `${lower.toFixed(decimals)} to ${upper.toFixed(decimals)}`;
}
