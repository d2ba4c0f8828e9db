// Colours by numbers of the mesh.

import { $, element, group, page } from "./page.js";
import { changed } from "./server.js";

export function fields() {
  const { mesh, recipe } = page;
  $("fieldbox").hidden = !mesh.fields.length;
  $("field").replaceChildren(...[["", "none"], ...mesh.fields.map((f) => [f.name, f.name])].map(([value, textContent]) => element("option", { value, textContent })));
  $("field").value = recipe.look?.field ?? "";
  $("colormap").value = recipe.look?.colormap || "viridis";
  range();
}

function range() {
  const f = page.mesh.fields.find((x) => x.name === $("field").value);
  const [low, high] = page.recipe.look?.range ?? [f?.low ?? "", f?.high ?? ""];
  $("low").value = low;
  $("high").value = high;
}

$("field").addEventListener("change", () => {
  const l = group("look");
  l.field = $("field").value;
  delete l.range;
  group("lines").legend = Boolean(l.field) && document.querySelector("[data-line=legend]").checked;
  range();
  changed();
});
$("colormap").addEventListener("change", () => { group("look").colormap = $("colormap").value; if ($("field").value) changed(); });
for (const id of ["low", "high"]) $(id).addEventListener("change", () => {
  const low = Number($("low").value), high = Number($("high").value);
  if (low < high) { group("look").range = [low, high]; changed(); }
});
