// Submissions: a row for each, which opens to its components and reports.
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
    element("td", { class: "wide" }, interval(lower[index], upper[index])),
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
  const components = element("div", { class: "components" }, ...cells);
  const box = element("td", { colspan: columns }, components, reportsPart(index), ...commentParts(index));
  return element("tr", { class: "detail" }, box);
}

function componentPart(cell) {
  const cells = data.cells;
  const component = data.components[cells.component[cell]];
  const peers = cells.before[cell] === null ? "" : `; the peers' mean is ${number(cells.before[cell])}`;
  const facts = `Expected ${number(cells.expected[cell])}, 90% interval ` +
    `${interval(cells.lower[cell], cells.upper[cell])}${peers}.`;
  const words = (cells.sentence[cell] ?? []).map((part) => data.parts[part]).join(" ");
  return element("section", {},
    element("h3", {}, name(component.name), `: ${number(cells.grade[cell], 6)}`),
    certaintyChart(component, cells.mass[cell], cells.bar[cell]),
    element("p", {}, facts),
    ...(words ? [element("p", { class: "sentence" }, words)] : []));
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

function commentParts(index) {
  const { comment, flag, grader } = data.reviews;
  const written = comment ? indexes(submissions.reviews, index).filter((review) => comment[review]) : [];
  return written.map((review) => {
    const who = element("span", { class: "who" }, name(data.graders[grader[review]][0]));
    if (flag[review]) who.append(" ", element("span", { class: "flag" }, `(${flag[review]})`));
    return element("blockquote", { class: "comment" }, who, comment[review]);
  });
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
