// Named views, and how the mesh looks.

import { cross, dot, sub, unit } from "./camera.js";
import { $, group, page, press, state } from "./page.js";
import { ask, changed, listen } from "./server.js";

const views = { front: [0, 0], back: [180, 0], right: [90, 0], left: [-90, 0], top: [0, 90], bottom: [0, -90], iso: [45, 35.26438968275465] };

// from shows all of the mesh from a direction, of which the server finds the camera.
function from(azimuth, elevation) {
  const { camera } = page;
  ask("fit", { picture: { ...state(), camera: { view: `${azimuth},${elevation}`, ...(camera.parallel ? { projection: "orthographic" } : {}) } } });
}
listen("fit", (m) => { page.camera.set(m); changed(); });

export const look = (name) => from(...views[name]);
document.querySelectorAll("[data-view]").forEach((b) => b.addEventListener("click", () => look(b.dataset.view)));

// direction returns that from which the camera looks: its azimuth and its elevation in degrees.
export function direction() {
  const { camera, mesh } = page, d = unit(sub(camera.eye, camera.target)), up = mesh.up;
  const front = up[1] ? [0, 0, up[1]] : up[0] ? [0, -up[0], 0] : [0, -up[2], 0];
  const side = cross(up, front);
  const degrees = 180 / Math.PI;
  return [Math.atan2(dot(d, side), dot(d, front)) * degrees, Math.asin(Math.max(-1, Math.min(1, dot(d, up)))) * degrees];
}

// fit shows all of the mesh in that direction.
export const fit = () => from(...direction());
$("fit").addEventListener("click", fit);

export function parallel() {
  page.camera.swap();
  press("orthographic", page.camera.parallel);
  changed();
}
$("orthographic").addEventListener("click", parallel);

// line draws lines of a kind, or leaves them out.
export function line(name) {
  const box = document.querySelector(`[data-line=${name}]`);
  box.checked = !box.checked;
  box.dispatchEvent(new Event("change"));
}
const lines = document.querySelectorAll("[data-line]");
lines.forEach((box) => box.addEventListener("change", () => { group("lines")[box.dataset.line] = box.checked; changed(); }));
$("ground").addEventListener("change", (e) => { group("lines").ground = e.target.checked; changed(); });
$("flat").addEventListener("change", (e) => { group("look").shading = e.target.checked ? "flat" : ""; changed(); });

// looks sets the controls by the recipe.
export function looks() {
  const { recipe, camera } = page;
  press("orthographic", camera.parallel);
  lines.forEach((box) => { box.checked = Boolean(recipe.lines?.[box.dataset.line]); });
  $("ground").checked = recipe.lines?.ground !== false;
  $("flat").checked = recipe.look?.shading === "flat";
}
