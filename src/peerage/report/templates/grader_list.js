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

listGraders();
