// Several meshes: one after the other, as a series, and compared.

import { $, element, group, page, press } from "./page.js";
import { ask, changed, listen } from "./server.js";
import { forget } from "./address.js";

const pace = 100; // milliseconds of a step of a series, at least
let steppedAt = 0;

// open shows a mesh. The view and the look stay where that is wanted.
export function open(file, keep) {
  page.file = file;
  if (!keep) forget();
  ask(keep ? "step" : "file");
}

export function other(step) {
  const n = page.mesh.files.length, next = (page.file + step + n) % n;
  if (next !== page.file) open(next, $("keep").checked);
}
$("earlier").addEventListener("click", () => other(-1));
$("later").addEventListener("click", () => other(1));
$("list").addEventListener("change", () => open(Number($("list").value), $("keep").checked));

// play shows the meshes one after the other, again and again, until it is called again.
export function play() {
  if (page.mesh.files.length < 2) return;
  page.playing = !page.playing;
  $("play").textContent = page.playing ? "Pause" : "Play";
  press("play", page.playing);
  if (!page.playing) return changed();
  $("keep").checked = true;
  next();
}
$("play").addEventListener("click", play);

function next() {
  if (!page.playing) return;
  steppedAt = performance.now();
  other(1);
}
listen("shown", () => { if (page.playing) setTimeout(next, steppedAt + pace - performance.now()); });

// ---- Comparison: distances of the mesh from another one, or the other one by the same camera

$("against").addEventListener("change", () => {
  page.against = Number($("against").value);
  page.distances = page.against > 0;
  compared();
});

function compared() {
  if (page.distances) Object.assign(group("look"), { field: "", range: undefined });
  group("lines").legend = page.distances;
  meshes();
  changed();
}

export function distances() {
  if (!page.against) return;
  page.distances = !page.distances;
  compared();
}
$("distances").addEventListener("click", distances);

// flip shows the other mesh, and keeps the camera.
export function flip() {
  if (!page.against || page.file >= page.mesh.files.length - page.mesh.dropped) return;
  const now = page.file;
  open(page.against - 1, true);
  page.against = now + 1;
}
$("flip").addEventListener("click", flip);

// meshes sets the controls by the state.
export function meshes() {
  const { files, dropped } = page.mesh, option = (textContent, value) => element("option", { textContent, value });
  $("files").hidden = files.length < 2;
  $("list").replaceChildren(...files.map((name, i) => option(name, i)));
  $("list").value = page.file;
  const servers = files.length - dropped;
  $("comparebox").hidden = !files.some((_, i) => i < servers && i !== page.file);
  $("against").replaceChildren(option("nothing", 0), ...files.slice(0, servers).flatMap((name, i) => (i === page.file ? [] : [option(name, i + 1)])));
  $("against").value = page.against;
  if (page.against) $("comparebox").open = true;
  press("distances", page.distances);
  $("flip").disabled = !page.against || page.file >= servers;
  $("distances").disabled = !page.against;
}
