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
