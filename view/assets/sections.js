// Sections: a slider and a number for each axis, and planes through three points. All are in coordinates of the file.

import { cross, dot, length, sub, unit } from "./camera.js";
import { $, digits, element, group, lengthText, page, say } from "./page.js";
import { changed, stand } from "./server.js";

const cuts = { x: null, y: null, z: null };
const margin = 0.005; // of the box: how near to its ends sliders cut, so that something is left and something is cut off
let planes = []; // sections that no slider shows, as --section takes them
let wanted = null, carried = null; // sections before they were moved into the box of another mesh, and afterwards

$("capped").addEventListener("change", (e) => { group("cuts").color = e.target.checked ? "" : "open"; changed(); });

// spread returns where a box begins and ends along a normal.
function spread(normal, box) {
  let low = 0, high = 0;
  normal.forEach((n, k) => {
    const a = n * box[0][k], b = n * box[1][k];
    low += Math.min(a, b);
    high += Math.max(a, b);
  });
  return [low, high];
}

// parse takes a section apart, as --section takes it. Per cents are those of the box.
function parse(text, box) {
  const [, left, keep, value, percent] = /^([^<>=]+)([<>=])([^%]+)(%?)$/.exec(text);
  const axis = "xyz".includes(left) ? left : "";
  const normal = axis ? ["x", "y", "z"].map((name) => Number(name === axis)) : left.split(",").map(Number);
  const [low, high] = spread(normal, box);
  return { axis, left, keep, normal, at: percent ? low + ((high - low) * value) / 100 : Number(value) };
}

// carry keeps the sections of the mesh before, which had another box: their planes stay where they are, or go to the end
// of the mesh if they do not meet it. They go back when they meet the next one.
export function carry(old, box) {
  const now = old?.sections ?? [];
  if (!carried || String(now) !== String(carried)) {
    wanted = now.map((text) => { const p = parse(text, box); return `${p.left}${p.keep}${p.at}`; });
  }
  carried = wanted.map((text) => {
    const { left, keep, normal, at } = parse(text, box), [low, high] = spread(normal, page.mesh.box), rim = margin * (high - low);
    return `${left}${keep}${Math.min(Math.max(at, low + rim), high - rim)}`;
  });
  if (old) page.recipe.cuts = { ...old, sections: carried };
}

// sections makes a row for each axis: on or off, where, and which side stays.
export function sections() {
  const old = page.recipe.cuts?.sections ?? [], shown = {};
  $("capped").checked = page.recipe.cuts?.color !== "open";
  planes = old.filter((text) => {
    const p = parse(text, page.mesh.box), slides = p.axis && p.keep !== "=" && !shown[p.axis];
    if (slides) shown[p.axis] = p;
    return !slides;
  });
  $("sections").replaceChildren(...["x", "y", "z"].map((axis, k) => axisRow(axis, k, shown[axis])), ...planes.map(planeRow));
}

function axisRow(axis, k, now) {
  const [low, high] = page.mesh.box.map((corner) => corner[k]), rim = margin * (high - low);
  const c = cuts[axis] = { on: Boolean(now), keep: now?.keep ?? "<", at: now?.at ?? Number(digits(low / 2 + high / 2, 4)) };
  const on = element("input", { type: "checkbox", checked: c.on, id: `cut-${axis}` });
  const slider = element("input", { type: "range", min: low + rim, max: high - rim, step: (high - low) / 1000 || 1, value: c.at, ariaLabel: `Where the section across ${axis} is` });
  const number = element("input", { type: "number", step: 10 ** Math.floor(Math.log10((high - low) / 50 || 1)), value: digits(c.at, 6), ariaLabel: `The section across ${axis}, as a number` });
  const flip = element("button", { textContent: "Flip", ariaLabel: `Flip the section across ${axis}` });
  const said = () => { slider.ariaValueText = lengthText(c.at); };
  const go = (at) => {
    c.at = at;
    c.on = on.checked = true;
    said();
    cut();
  };
  said();
  on.addEventListener("change", () => { c.on = on.checked; cut(); });
  slider.addEventListener("input", () => { number.value = digits(Number(slider.value), 4); go(Number(number.value)); });
  slider.addEventListener("change", stand);
  number.addEventListener("focus", () => number.select());
  number.addEventListener("change", () => { // what is not a number has moved nothing
    if (!Number.isFinite(number.valueAsNumber)) number.value = digits(c.at, 6);
    number.ariaInvalid = null;
  });
  number.addEventListener("input", () => {
    number.ariaInvalid = Number.isFinite(number.valueAsNumber) ? null : "true";
    if (number.ariaInvalid) return;
    slider.value = number.valueAsNumber;
    go(number.valueAsNumber);
  });
  flip.addEventListener("click", () => { c.keep = c.keep === "<" ? ">" : "<"; c.on = on.checked = true; cut(); });
  return element("div", { className: "cut" }, element("label", { className: "line" }, on, axis), slider, number, flip);
}

// planeRow is the row of a plane that no slider shows.
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
  const sliders = Object.entries(cuts).filter(([, c]) => c.on).map(([axis, c]) => `${axis}${c.keep}${c.at}`);
  group("cuts").sections = [...sliders, ...planes];
  say("");
  changed();
}
