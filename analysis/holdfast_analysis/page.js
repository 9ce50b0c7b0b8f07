// Sorts a table by the column whose heading is clicked; again, the other way round.
for (const table of document.querySelectorAll("table.sortable")) {
  table.querySelectorAll("th").forEach((heading, column) => heading.addEventListener("click", () => {
    const down = heading.getAttribute("aria-sort") === "ascending";
    table.querySelectorAll("th").forEach((other) => other.removeAttribute("aria-sort"));
    heading.setAttribute("aria-sort", down ? "descending" : "ascending");
    const key = (row) => {
      const value = row.cells[column].dataset.value ?? row.cells[column].textContent;
      return value !== "" && !Number.isNaN(Number(value)) ? Number(value) : value;
    };
    const body = table.tBodies[0];
    [...body.rows].map((row) => [key(row), row]).sort(([a], [b]) => {
      const order = typeof a === typeof b ? (a < b ? -1 : a > b ? 1 : 0) : typeof a === "number" ? -1 : 1;
      return down ? -order : order;
    }).forEach(([, row]) => body.append(row));
  }));
}
