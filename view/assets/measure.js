// Picking points on the surface, and what lies between them.

import { cross, dot, length, sub } from "./camera.js";
import { $, digits, lengthText, page, press, say } from "./page.js";
import { ask, listen, size } from "./server.js";

const hint = "Two points give a distance, three an angle and the circle through them.";
let on = false;
export const picking = () => on;

export function measuring() {
  on = !on;
  press("measure", on);
  $("stage").classList.toggle("picking", on);
}
$("measure").addEventListener("click", measuring);
$("forget").addEventListener("click", () => { page.points = []; marks(); report(); });

export function pick(x, y) {
  const box = $("stage").getBoundingClientRect(), s = size();
  ask("pick", { at: [((x - box.left) * s.width) / box.width, ((y - box.top) * s.height) / box.height] });
}

listen("pick", (m) => {
  if (!m.hit) return say("There is nothing under that place.");
  say("");
  if (page.points.length === 3) page.points = [];
  const snap = $("corners").checked && m.beside < 12 * Math.min(devicePixelRatio || 1, 2);
  page.points.push({ at: snap ? m.corner : m.point, part: m.part, field: m.field });
  marks();
  report();
});

function report() {
  const name = page.recipe.look?.field || "distance";
  const lines = page.points.map((p, i) => `${i + 1}: ${p.at.map((v) => digits(v, 6)).join(", ")}${p.part ? `, ${p.part}` : ""}${p.field != null ? `, ${name} ${digits(p.field, 5)}` : ""}`);
  const [a, b, c] = page.points.map((p) => p.at);
  if (b) lines.push(`Distance ${lengthText(length(sub(b, a)))}`, `along x, y, z ${sub(b, a).map((v) => digits(v, 5)).join(", ")}`);
  if (c) {
    const u = sub(a, b), v = sub(c, b), n = cross(u, v);
    lines.push(`Angle at 2: ${((Math.atan2(length(n), dot(u, v)) * 180) / Math.PI).toFixed(3)}°`);
    const area = length(n) / 2;
    if (area > 1e-9 * length(u) * length(v)) {
      const radius = (length(u) * length(v) * length(sub(a, c))) / (4 * area);
      lines.push(`Circle: diameter ${lengthText(2 * radius)}`, `Triangle: area ${digits(area, 6)}`);
    }
  }
  $("measured").textContent = lines.join("\n") || hint;
}

// marks draws the points and the lines between them over the picture.
export function marks() {
  const { camera, points } = page, box = $("stage").getBoundingClientRect(), svg = $("marks");
  svg.replaceChildren();
  if (!camera || !points.length) return;
  const at = points.map((p) => camera.project(p.at, box.width, box.height));
  const make = (name, attributes) => {
    const e = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
    svg.append(e);
  };
  for (let i = 1; i < at.length; i++) if (at[i] && at[i - 1]) make("line", { x1: at[i - 1][0], y1: at[i - 1][1], x2: at[i][0], y2: at[i][1] });
  for (const p of at) if (p) make("circle", { cx: p[0], cy: p[1], r: 5 });
}
listen("changed", marks);
