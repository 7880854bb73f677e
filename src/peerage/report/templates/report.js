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

// A table whose rows are {node, values, text}: it is sorted by a value, filtered, and shown a page at a time.
class Listing {
  constructor(table, more, rows) {
    Object.assign(this, { table, more, rows, shown: PAGE_ROWS, keep: () => true, onShow: () => {} });
    this.headings = [...table.tHead.rows[0].cells];
    this.headings.forEach((heading, column) => {
      heading.querySelector("button").addEventListener("click", () => this.sort(column));
    });
    more.addEventListener("click", () => { this.shown += 4 * PAGE_ROWS; this.show(); });
    this.show();
  }

  sort(column) {
    const heading = this.headings[column];
    const textual = heading.dataset.kind === "text";
    const before = heading.getAttribute("aria-sort");
    // Names are wanted from A to Z first, numbers from the greatest down.
    const ascending = before ? before === "descending" : textual;
    this.headings.forEach((other) => other.removeAttribute("aria-sort"));
    heading.setAttribute("aria-sort", ascending ? "ascending" : "descending");
    const sign = ascending ? 1 : -1;
    this.rows.sort((one, other) => {
      const [a, b] = [one.values[column], other.values[column]];
      if (a === null || b === null) return (a === null) - (b === null);
      return sign * (textual ? order.compare(a, b) : a - b);
    });
    this.show();
  }

  filter(keep) { this.keep = keep; this.shown = PAGE_ROWS; this.show(); }

  show() {
    const kept = this.rows.filter(this.keep);
    const nodes = kept.slice(0, this.shown).flatMap((row) => (row.detail ? [row.node, row.detail] : [row.node]));
    this.table.tBodies[0].replaceChildren(...nodes);
    this.more.hidden = kept.length <= this.shown;
    this.onShow(Math.min(this.shown, kept.length), kept.length);
  }
}

// Graders: the rows are in the page already.
function listGraders() {
  const table = document.getElementById("grader-table");
  const rows = [...table.tBodies[0].rows].map((node) => ({
    node,
    values: [...node.cells].map((cell) => {
      const value = cell.dataset.value;
      return value === undefined ? cell.textContent : value === "" ? null : Number(value);
    }),
  }));
  new Listing(table, document.getElementById("graders-more"), rows);
}

// Submissions
const submissions = data.submissions;
const from = (ends, index) => (index ? ends[index - 1] : 0);
const indexes = (ends, index) =>
  Array.from({ length: ends[index] - from(ends, index) }, (_, place) => from(ends, index) + place);

function submissionRow(index) {
  const { id, assignment, authors, before, after, lower, upper, certainty, reviews } = submissions;
  const where = assignment[index] === null ? "" : data.assignments[assignment[index]];
  const who = authors[index].join(", ");
  const change = before[index] === null ? null : after[index] - before[index];
  const button = element("button", { type: "button", class: "open", "aria-expanded": "false" }, name(id[index]));
  const direction = change === null || Math.abs(change) < 0.005 ? "" : change > 0 ? "up" : "down";
  const shownChange = change === null ? "" : (change > 0 ? "+" : "") + number(change);
  const node = element("tr", { id: `submission-${index}` },
    element("th", { scope: "row", class: "text" }, button),
    element("td", { class: "text assignment" }, name(where)),
    element("td", { class: "text wide author" }, name(who)),
    element("td", {}, element("strong", {}, number(after[index]))),
    element("td", {}, number(before[index])),
    element("td", { class: direction }, shownChange),
    element("td", { class: "wide" }, `${number(lower[index])} to ${number(upper[index])}`),
    element("td", { class: "wide" }, `${certainty[index]}%`));
  const graders = indexes(reviews, index).map((review) => data.graders[data.reviews.grader[review]][0]);
  const row = {
    node,
    button,
    index,
    values: [id[index], where, who, after[index], before[index], change, upper[index] - lower[index], certainty[index]],
    text: [id[index], ...authors[index], ...graders].join("\n").toLowerCase(),
  };
  button.addEventListener("click", () => toggle(row));
  return row;
}

function toggle(row) {
  const closed = !row.detail;
  row.button.setAttribute("aria-expanded", String(closed));
  if (closed) {
    row.detail = detailRow(row.index, row.node.cells.length);
    row.node.after(row.detail);
  } else {
    row.detail.remove();
    row.detail = undefined;
  }
}

function detailRow(index, columns) {
  const cells = indexes(submissions.cells, index).map(componentPart);
  const box = element("td", { colspan: columns }, element("div", { class: "components" }, ...cells), reportsPart(index));
  return element("tr", { class: "detail" }, box);
}

function componentPart(cell) {
  const cells = data.cells;
  const component = data.components[cells.component[cell]];
  const peers = cells.before[cell] === null ? "" : `; the peers' mean is ${number(cells.before[cell])}`;
  const facts = `Expected ${number(cells.expected[cell])}, 90% interval ${number(cells.lower[cell])} to ` +
    `${number(cells.upper[cell])}${peers}.`;
  const words = (cells.sentence[cell] ?? []).map((part) => data.parts[part]).join(" ");
  return element("section", {},
    element("h3", {}, name(component.name), `: ${number(cells.grade[cell], 6)}`),
    bars(component, cells.mass[cell], cells.bar[cell]),
    element("p", {}, facts),
    ...(words ? [element("p", { class: "sentence" }, words)] : []));
}

// How probable each grade is; the bar of the grade that is given stands out.
function bars(component, mass, given) {
  const width = Math.max(12, Math.min(34, 300 / mass.length));
  const [height, highest] = [60, Math.max(...mass, 1)];
  const every = Math.ceil(40 / width);
  const said = mass.map((percent, bar) => `${component.bars[bar]}: ${percent}%`).join(", ");
  const label = `Probability of each grade: ${said}`;
  const size = { width: width * mass.length, height: height + 32 };
  const picture = element("svg", { class: "bars", role: "img", "aria-label": label, ...size,
    viewBox: `0 0 ${size.width} ${size.height}` });
  mass.forEach((percent, bar) => {
    const tall = (percent / highest) * height;
    const middle = width * (bar + 0.5);
    const shape = { x: width * bar + 2, y: 16 + height - tall, width: width - 4, height: Math.max(tall, 0.5) };
    picture.append(element("rect", { ...shape, class: bar === given ? "given" : "" }));
    if (percent && width > 25) picture.append(element("text", { x: middle, y: 12 + height - tall }, `${percent}%`));
    if (width > 25 || bar % every === 0) {
      picture.append(element("text", { x: middle, y: height + 29 }, component.bars[bar].split(" ")[0]));
    }
  });
  return picture;
}

function reportsPart(index) {
  const { grader, grades, weight, deserved, effort } = data.reviews;
  const components = indexes(submissions.cells, index).map((cell) => data.cells.component[cell]);
  const columns = [["Grader", "text"], ["Role", "text"]];
  components.forEach((component) => columns.push([data.components[component].name, ""]));
  if (weight) columns.push(["Counts", ""], ["Deserves", ""]);
  columns.push(["Effort", ""]);
  const head = columns.map(([words, kind]) => element("th", { scope: "col", class: kind }, name(words)));
  const rows = indexes(submissions.reviews, index).map((review) => {
    const [who, role] = data.graders[grader[review]];
    const shares = weight ? [`${weight[review]}%`, `${deserved[review]}%`] : [];
    return element("tr", {},
      element("th", { scope: "row", class: "text" }, name(who)),
      element("td", { class: "text" }, role),
      ...components.map((component) => element("td", {}, number(grades[review][component], 6))),
      ...[...shares, `${effort[review]}%`].map((share) => element("td", {}, share)));
  });
  const table = element("table", {},
    element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...rows));
  return element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `Reports on ${submissions.id[index]}` }, table);
}

function listSubmissions() {
  const search = document.getElementById("search");
  const assignment = document.getElementById("assignment");
  const table = document.getElementById("submission-table");
  const shown = document.getElementById("submissions-shown");
  data.assignments.forEach((text, index) => assignment.append(element("option", { value: index }, text)));
  document.getElementById("by-assignment").hidden = !data.assignments.length;
  table.classList.toggle("without-assignment", !data.assignments.length);
  table.classList.toggle("without-author", submissions.authors.every((names) => !names.length));
  const rows = submissions.id.map((_, index) => submissionRow(index));
  const byIndex = [...rows];
  const listing = new Listing(table, document.getElementById("submissions-more"), rows);
  listing.onShow = (count, total) => { shown.textContent = `${count} of ${total} shown`; };
  const filter = () => {
    const words = search.value.toLowerCase().trim();
    const wanted = assignment.value === "" ? null : Number(assignment.value);
    listing.filter((row) =>
      row.text.includes(words) && (wanted === null || submissions.assignment[row.index] === wanted));
  };
  search.addEventListener("input", filter);
  assignment.addEventListener("change", filter);
  filter();
  document.querySelector(".tools").hidden = false;
  table.hidden = false;

  // A link to a submission opens it, whatever was searched for.
  const openLinked = () => {
    const index = /^#submission-(\d+)$/.exec(location.hash)?.[1];
    const row = index === undefined ? undefined : byIndex[Number(index)];
    if (!row) return;
    search.value = "";
    assignment.value = "";
    filter();
    listing.shown = Math.max(listing.shown, rows.indexOf(row) + 1);
    listing.show();
    if (!row.detail) toggle(row);
    row.node.scrollIntoView();
    row.button.focus();
  };
  addEventListener("hashchange", openLinked);
  document.addEventListener("click", (event) => {
    // A second click on the same link changes no hash.
    if (event.target.closest("[data-open]")?.hash === location.hash) openLinked();
  });
  openLinked();
}

listSubmissions();
listGraders();
