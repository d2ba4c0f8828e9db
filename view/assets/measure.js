// Picking points on the surface, and what lies between them.

import { cross, dot, length, sub } from "./camera.js";
import { $, digits, lengthText, page, press, say } from "./page.js";
import { ask, listen, size } from "./server.js";

const hint = "Two points give a distance, three an angle and the circle through them.";
const tasks = ["Click a point on the mesh.", "Click a second point: two give a distance.", "For a diameter, click a third point on the same rim."];
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
  page.points.push({ at: snap ? m.corner : m.point, normal: m.normal, part: m.part, field: m.field });
  marks();
  report();
});

function report() {
  const found = [], name = page.recipe.look?.field || "distance";
  const lines = page.points.map((p, i) => `${i + 1}: ${p.at.map((v) => digits(v, 6)).join(", ")}${p.part ? `, ${p.part}` : ""}${p.field != null ? `, ${name} ${digits(p.field, 5)}` : ""}`);
  const [a, b, c] = page.points.map((p) => p.at);
  const unit = page.mesh?.unit ? "" : " (in units of the file)";
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
  for (const p of at) if (p) make("circle", { cx: p[0], cy: p[1], r: 5 });
}
listen("changed", marks);
