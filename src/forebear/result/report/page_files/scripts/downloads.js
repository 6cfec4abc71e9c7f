// Saving of the picture that is shown, and of the arcs.

byId("save-svg").addEventListener("click", () => {
  const copy = shown.svg.cloneNode(true);
  copy.setAttribute("viewBox", `0 0 ${full.width} ${full.height}`);
  copy.setAttribute("role", "img");
  unlight(copy);
  for (const node of copy.querySelectorAll(".fb-node")) {
    for (const name of ["role", "tabindex", "aria-label", "data-item", "style"]) node.removeAttribute(name);
    node.classList.remove("named", "given");
  }
  save(new XMLSerializer().serializeToString(copy), "image/svg+xml", "network.svg");
});

byId("save-csv").addEventListener("click", () => {
  const quoted = (name) => (/[",\n\r]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name);
  const heads = ["parent", "child", "direction", ...(data.strengths ? ["bits"] : [])];
  const rows = arcs.map(({ p, v, compelled, bits }) => [
    quoted(data.names[p]), quoted(data.names[v]), compelled ? "compelled" : "reversible", ...(data.strengths ? [bits] : []),
  ].join(","));
  save([heads.join(","), ...rows, ""].join("\n"), "text/csv", "arcs.csv");
});
