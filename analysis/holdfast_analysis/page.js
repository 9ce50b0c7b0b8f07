// A drawing can be looked at closely: buttons, Ctrl with the wheel, and dragging.
for (const svg of document.querySelectorAll("svg.picture")) {
  const { x, y, width, height } = svg.viewBox.baseVal;
  let scale = 1, middle = [x + width / 2, y + height / 2];
  const show = () => {
    const [w, h] = [width / scale, height / scale];
    middle = [Math.min(Math.max(middle[0], x + w / 2), x + width - w / 2),
              Math.min(Math.max(middle[1], y + h / 2), y + height - h / 2)];
    svg.setAttribute("viewBox", [middle[0] - w / 2, middle[1] - h / 2, w, h].join(" "));
    svg.classList.toggle("close", scale > 1);
  };
  const zoom = (factor, at = middle) => {
    const before = scale;
    scale = Math.min(Math.max(scale * factor, 1), 32);
    middle = middle.map((m, axis) => at[axis] + (m - at[axis]) * before / scale);
    show();
  };
  const place = (event) => {
    const box = svg.getBoundingClientRect(), view = svg.viewBox.baseVal;
    return [view.x + (event.clientX - box.left) / box.width * view.width,
            view.y + (event.clientY - box.top) / box.height * view.height];
  };
  const tools = document.createElement("div");
  tools.className = "tools";
  for (const [text, says, act] of [["+", "closer", () => zoom(2)], ["−", "farther", () => zoom(0.5)],
                                   ["all", "the whole drawing", () => zoom(0)]]) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = text;
    button.title = says;
    button.addEventListener("click", act);
    tools.append(button);
  }
  (svg.closest(".scroll") ?? svg).before(tools);
  svg.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    zoom(event.deltaY < 0 ? 1.25 : 0.8, place(event));
  }, { passive: false });
  let held = null;
  svg.addEventListener("pointerdown", (event) => { if (scale > 1) held = place(event); });
  addEventListener("pointerup", () => { held = null; });
  svg.addEventListener("pointermove", (event) => {
    if (held === null) return;
    const now = place(event);
    middle = middle.map((m, axis) => m + held[axis] - now[axis]);
    show();
  });
}

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
