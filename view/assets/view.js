// The page: it connects to the server, is told what the mesh is, and sets its controls.

import { Camera, sub } from "./camera.js";
import { $, digits, page, tell } from "./page.js";
import { ask, changed, connect, listen } from "./server.js";
import { remembered } from "./address.js";
import { fields } from "./fields.js";
import { fit, looks } from "./looks.js";
import { meshes } from "./meshes.js";
import { parts } from "./parts.js";
import { carry, sections } from "./sections.js";
import "./balance.js";
import "./drop.js";
import "./keys.js";
import "./pointer.js";
import "./take.js";

listen("open", () => {
  // What was dropped is forgotten with the connection.
  const { mesh } = page;
  if (mesh && page.file >= mesh.files.length - mesh.dropped) Object.assign(page, { file: 0, mesh: null });
  ask("file");
});

listen("warning", (m) => tell(`Warning: ${m.text}`, 15000));

listen("hello", (m) => {
  const before = page.mesh, { cuts } = page.recipe, kept = remembered();
  if (before === null && kept?.file !== m.file && m.files[kept?.file]) { // the address shows another one
    page.file = kept.file;
    return void ask("file");
  }
  Object.assign(page, { mesh: m, file: m.file, client: m.client });
  let fitted = true;
  if (m.camera && before?.file !== m.file) fitted = begin(m, before === null);
  else if (before && before.file !== m.file) keep(m);
  if (before && before.file !== m.file) carry(cuts, before.box);
  document.title = `${m.name} - Lockstep`;
  $("name").textContent = m.name;
  const lengths = sub(m.box[1], m.box[0]).map((v) => digits(v, 4)).join(" × ");
  $("about").textContent = `${m.triangles.toLocaleString("en")} triangles, ${lengths}${m.unit ? ` ${m.unit}s` : ""}`;
  if (page.file + 1 === page.against) Object.assign(page, { against: 0, distances: false });
  for (const set of [looks, sections, fields, parts, meshes]) set();
  (m.warnings ?? []).slice(0, 1).forEach((w) => tell(`Warning: ${w}`, 15000));
  if (fitted) changed();
  else fit();
});

// begin shows a mesh as the address remembers it, or as the command says. It returns false where the camera leaves no room
// for a bar of colours.
function begin(m, first) {
  const kept = remembered();
  page.points = [];
  if (kept?.recipe && kept.camera && kept.file === m.file) {
    Object.assign(page, { recipe: kept.recipe, camera: new Camera(kept.camera, m.up), against: kept.against ?? 0, distances: kept.distances ?? false });
    if (page.against > m.files.length - m.dropped) Object.assign(page, { against: 0, distances: false });
  } else {
    Object.assign(page, { recipe: m.picture, camera: new Camera(m.camera, m.up) });
    if (first && m.diff) {
      Object.assign(page, { against: 2, distances: true });
      (page.recipe.lines ??= {}).legend = true;
    }
  }
  delete page.recipe.camera;
  return !(first && page.distances && kept?.file !== m.file);
}

// keep shows another mesh by the same camera in the same look, as far as it can have that.
function keep(m) {
  page.points = [];
  page.camera.up = m.up;
  delete page.recipe.parts;
  const look = page.recipe.look;
  if (look?.field && !m.fields.some((f) => f.name === look.field)) Object.assign(look, { field: "", range: undefined });
}

new ResizeObserver(([e]) => { if (page.camera && e.contentRect.width && e.contentRect.height) changed(); }).observe($("stage"));
connect();
