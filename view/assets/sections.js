// Sections: a slider for each axis, and planes through three points.

import { cross, dot, length, sub, unit } from "./camera.js";
import { $, digits, element, group, page, say } from "./page.js";
import { changed } from "./server.js";

const cuts = { x: null, y: null, z: null };
const acrossAxis = /^([xyz])([<>])([\d.]+)%$/;
let planes = []; // sections that no slider shows, as --section takes them

$("capped").addEventListener("change", (e) => { group("cuts").color = e.target.checked ? "" : "open"; changed(); });

// sections makes a row for each axis: on or off, where, and which side stays.
export function sections() {
  const old = page.recipe.cuts?.sections ?? [];
  $("capped").checked = page.recipe.cuts?.color !== "open";
  planes = old.filter((s) => !acrossAxis.test(s));
  $("sections").replaceChildren(...["x", "y", "z"].map((axis) => axisRow(axis, old)), ...planes.map(planeRow));
}

function axisRow(axis, old) {
  const now = old.map((s) => acrossAxis.exec(s)).find((m) => m && m[1] === axis);
  const c = cuts[axis] = { on: Boolean(now), keep: now ? now[2] : "<", at: now ? Number(now[3]) : 50 };
  const on = element("input", { type: "checkbox", checked: c.on, id: `cut-${axis}` });
  const slider = element("input", { type: "range", min: 0.5, max: 99.5, step: 0.1, value: c.at, ariaLabel: `Where the section across ${axis} is, in per cent` });
  const flip = element("button", { textContent: "Flip", ariaLabel: `Flip the section across ${axis}` });
  const place = element("output", { title: `Where it is along ${axis}` });
  const placed = () => { place.textContent = placeOf(axis, c.at); };
  placed();
  on.addEventListener("change", () => { c.on = on.checked; cut(); });
  slider.addEventListener("input", () => { c.at = Number(slider.value); c.on = on.checked = true; placed(); cut(); });
  flip.addEventListener("click", () => { c.keep = c.keep === "<" ? ">" : "<"; c.on = on.checked = true; cut(); });
  return element("div", { className: "cut" }, element("label", { className: "line" }, on, axis), slider, place, flip);
}

// placeOf returns where a part of the mesh's box lies along an axis, in coordinates of the file.
function placeOf(axis, percent) {
  const k = "xyz".indexOf(axis), [low, high] = page.mesh.box.map((corner) => corner[k]);
  return digits(low + ((high - low) * percent) / 100, 4);
}

// planeRow is the row of a plane that lies across no axis.
function planeRow(plane, i) {
  const drop = element("button", { textContent: "Remove", ariaLabel: `Remove plane ${i + 1}` });
  const flip = element("button", { textContent: "Flip", ariaLabel: `Flip plane ${i + 1}` });
  drop.addEventListener("click", () => { planes.splice(i, 1); cut(); sections(); });
  flip.addEventListener("click", () => { planes[i] = plane.replace(/[<>=]/, (keep) => (keep === "<" ? ">" : "<")); cut(); sections(); });
  return element("div", { className: "cut" }, drop, `Plane ${i + 1}`, flip);
}

// through cuts by the plane of three picked points, and keeps what lies behind it as it is seen.
function through() {
  const [a, b, c] = page.points.map((p) => p.at);
  if (!c) return say("Pick three points first: the plane goes through them.");
  const u = sub(b, a), v = sub(c, a), n = cross(u, v);
  if (!(length(n) > 1e-9 * length(u) * length(v))) return say("The three points lie on a line: no plane is theirs.");
  const normal = unit(n), at = dot(normal, a);
  planes.push(`${normal.join(",")}${dot(sub(page.camera.eye, a), normal) > 0 ? "<" : ">"}${at}`);
  cut();
  sections();
}
$("through").addEventListener("click", through);

function cut() {
  const sliders = Object.entries(cuts).filter(([, c]) => c.on).map(([axis, c]) => `${axis}${c.keep}${c.at}%`);
  group("cuts").sections = [...sliders, ...planes];
  say("");
  changed();
}
