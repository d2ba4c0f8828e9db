// Picking points on the surface, and what lies between them.

import { cross, dot, length, sub } from "./camera.js";
import { $, digits, lengthText, page, press, say } from "./page.js";
import { ask, listen, size } from "./server.js";

const hint = "A point on a round rim gives its diameter, two points a distance, three an angle and the circle through them.";
const tasks = ["Click a point on the mesh, or the rim of a hole for its diameter.", "Click a second point: two give a distance, two rims that of their centres.", "For the diameter of a rim that is not found by itself, click a third point on it."];
let on = false;
let aim = null; // where the cross is that keys move, in parts of the picture; null: there is none
export const picking = () => on;

export function measuring() {
  on = !on;
  aim = null;
  marks();
  report();
  press("measure", on);
  $("stage").classList.toggle("picking", on);
}
$("measure").addEventListener("click", measuring);
$("forget").addEventListener("click", () => { page.points = []; marks(); report(); });

export function pick(x, y) {
  const box = $("stage").getBoundingClientRect(), s = size();
  ask("pick", { at: [((x - box.left) * s.width) / box.width, ((y - box.top) * s.height) / box.height] });
}

// aiming moves the cross by keys, coarsely or finely; aimed picks what lies under it.
export const aiming = (dx, dy) => (e) => {
  if (!on) measuring();
  const box = $("stage").getBoundingClientRect(), step = e.shiftKey ? 1 : 12;
  const moved = ([x, y]) => [x + (dx * step) / box.width, y + (dy * step) / box.height].map((v) => Math.max(0, Math.min(0.999, v)));
  aim = moved(aim ?? [0.5, 0.5]);
  marks();
};
export function aimed() {
  const box = $("stage").getBoundingClientRect();
  if (on && aim) pick(box.left + aim[0] * box.width, box.top + aim[1] * box.height);
}

listen("pick", (m) => {
  if (!m.hit) return say("There is nothing under that place.");
  say("");
  if (page.points.length === 3) page.points = [];
  const snap = $("corners").checked && m.beside < 12 * Math.min(devicePixelRatio || 1, 2);
  page.points.push({ at: snap ? m.corner : m.point, normal: m.normal, part: m.part, field: m.field, rim: m.rim });
  marks();
  report();
});

function report() {
  const found = [], name = page.recipe.look?.field || "distance";
  const lines = page.points.map((p, i) => `${i + 1}: ${p.at.map((v) => digits(v, 6)).join(", ")}${p.part ? `, ${p.part}` : ""}${p.field != null ? `, ${name} ${digits(p.field, 5)}` : ""}`);
  page.points.forEach((p, i) => p.rim && lines.push(`centre of the rim at ${i + 1}: ${p.rim.center.map((v) => digits(v, 6)).join(", ")}`));
  const [a, b, c] = page.points.map((p) => p.at);
  const unit = page.mesh?.unit ? "" : " (in units of the file)";
  const rims = page.points.map((p) => p.rim);
  rims.forEach((r, i) => r && !rims.slice(0, i).some((o) => same(o, r)) && found.push(`Diameter ${lengthText(r.diameter)}${unit}, of the rim at ${i + 1}${r.arc < 6.28 ? ` (an arc of ${((r.arc * 180) / Math.PI).toFixed(0)}°)` : ""}${r.corners < 12 ? ` (${r.corners} corners)` : ""}`));
  if (b && !c && rims[0] && rims[1] && !same(rims[0], rims[1])) found.push(`Distance of the centres ${lengthText(length(sub(rims[1].center, rims[0].center)))}${unit}`);
  if (b) found.push(`Distance${c ? " of 1 and 2" : ""} ${lengthText(length(sub(b, a)))}${unit}`);
  if (b) lines.push(`along x, y, z ${sub(b, a).map((v) => digits(v, 5)).join(", ")}`);
  if (c) {
    const u = sub(a, b), v = sub(c, b), n = cross(u, v);
    lines.push(`Angle at 2: ${((Math.atan2(length(n), dot(u, v)) * 180) / Math.PI).toFixed(3)}°`);
    const area = length(n) / 2;
    if (area > 1e-9 * length(u) * length(v)) {
      const radius = (length(u) * length(v) * length(sub(a, c))) / (4 * area);
      found.unshift(`Diameter ${lengthText(2 * radius)}${unit}, of the circle through the points`);
      found.push(...askew(n));
      lines.push(`Triangle: area ${digits(area, 6)}`);
    }
  }
  $("measured").textContent = [...found, ...lines].join("\n") || hint;
  $("task").textContent = [...found, tasks[page.points.length] ?? "The next click begins anew. Escape ends."].join("\n");
  $("task").hidden = !on;
}

// same tells whether two points lie on one rim.
const same = (r, o) => r && o && length(sub(o.center, r.center)) < 1e-5 * r.diameter && Math.abs(o.diameter - r.diameter) < 1e-3 * r.diameter;

// askew warns of points that lie on two edges, as of a chamfer: their circle is neither's. It lies slightly tilted against
// the face around a hole, or against its wall.
function askew(n) {
  const tilts = page.points.map(({ normal }) => {
    const from = (Math.atan2(length(cross(n, normal)), Math.abs(dot(n, normal))) * 180) / Math.PI;
    return Math.min(from, 90 - from);
  });
  const tilt = Math.min(...tilts);
  return tilt > 0.3 && tilt < 20 ? [`The circle is tilted by ${tilt.toFixed(1)}° against the face: do all points lie on one edge?`] : [];
}

// marks draws the points and the lines between them over the picture.
export function marks() {
  const { camera, points } = page, box = $("stage").getBoundingClientRect(), svg = $("marks");
  svg.replaceChildren();
  if (!camera || (!points.length && !aim)) return;
  const at = points.map((p) => camera.project(p.at, box.width, box.height));
  const make = (name, attributes) => {
    const e = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
    svg.append(e);
  };
  for (let i = 1; i < at.length; i++) if (at[i] && at[i - 1]) make("line", { x1: at[i - 1][0], y1: at[i - 1][1], x2: at[i][0], y2: at[i][1] });
  if (aim) {
    const [x, y] = [aim[0] * box.width, aim[1] * box.height];
    make("path", { d: `M${x - 14} ${y}H${x - 4}M${x + 4} ${y}H${x + 14}M${x} ${y - 14}V${y - 4}M${x} ${y + 4}V${y + 14}` });
  }
  for (const { rim } of points) if (rim) make("path", { d: outline(camera, rim, box) });
  for (const p of at) if (p) make("circle", { cx: p[0], cy: p[1], r: 5 });
}
listen("changed", marks);

// outline is the path of a rim's circle over the picture.
function outline(camera, { center, axis, diameter }, box) {
  const beside = Math.abs(axis[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0];
  const u = cross(axis, beside), long = length(u), v = cross(axis, u);
  let d = "";
  for (let i = 0; i <= 72; i++) {
    const cos = Math.cos((i * Math.PI) / 36), sin = Math.sin((i * Math.PI) / 36);
    const p = camera.project(center.map((x, k) => x + ((diameter / 2) * (cos * u[k] + sin * v[k])) / long), box.width, box.height);
    d += p ? `${d && !d.endsWith(" ") ? "L" : "M"}${p[0].toFixed(1)} ${p[1].toFixed(1)}` : " ";
  }
  return d;
}
