// Keys, as in f3d where it has them.

import { page } from "./page.js";
import { changed } from "./server.js";
import { fit, line, look, parallel } from "./looks.js";
import { aimed, aiming, measuring, picking } from "./measure.js";
import { flip, distances, other, play } from "./meshes.js";
import { save } from "./take.js";

const zoom = (factor) => () => { page.camera.zoom(factor); changed(); };
const keys = {
  1: () => look("front"), 3: () => look("right"), 7: () => look("top"), 9: () => look("iso"), 5: parallel,
  f: fit, Enter: fit, e: () => line("edges"), w: () => line("wireframe"), x: () => line("axes"), b: () => line("bounds"),
  Escape: () => picking() && measuring(), m: measuring, s: save, F12: save, "+": zoom(1.15), "=": zoom(1.15), "-": zoom(1 / 1.15),
  PageUp: () => other(-1), PageDown: () => other(1), " ": play, t: flip, d: distances,
  i: aiming(0, -1), k: aiming(0, 1), j: aiming(-1, 0), l: aiming(1, 0), p: aimed,
};
const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

document.addEventListener("keydown", (e) => {
  const { camera } = page, inField = e.target.closest?.("input, select, button, summary, textarea");
  if (!camera || e.ctrlKey || e.metaKey || e.altKey) return;
  const arrow = arrows[e.key], key = keys[e.key] ?? keys[e.key.toLowerCase()];
  if (arrow && !inField) {
    const [dx, dy] = arrow;
    if (e.shiftKey) camera.move(dx * 0.05, dy * 0.05);
    else camera.turn(dx * 0.1, dy * 0.1);
    changed();
  } else if (key && !(inField && (e.key === "Enter" || e.key === " " || inField.matches("input[type=number], select")))) key(e);
  else return;
  e.preventDefault();
});
