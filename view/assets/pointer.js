// Moving by mouse, pen and fingers.

import { $, page } from "./page.js";
import { changed, stand } from "./server.js";
import { pick, picking } from "./measure.js";
import { fit } from "./looks.js";

const stage = $("stage"), pointers = new Map();

stage.addEventListener("pointerdown", (e) => {
  stage.setPointerCapture(e.pointerId);
  pointers.set(e.pointerId, { x: e.clientX, y: e.clientY, far: 0 });
  stage.classList.add("turning");
});

stage.addEventListener("pointermove", (e) => {
  const p = pointers.get(e.pointerId), { camera } = page;
  if (!p || !camera) return;
  const dx = e.clientX - p.x, dy = e.clientY - p.y, box = stage.getBoundingClientRect();
  p.far += Math.abs(dx) + Math.abs(dy);
  if (pointers.size === 2) {
    const other = [...pointers].find(([id]) => id !== e.pointerId)[1];
    const before = Math.hypot(p.x - other.x, p.y - other.y), after = Math.hypot(e.clientX - other.x, e.clientY - other.y);
    camera.move(dx / 2 / box.height, dy / 2 / box.height);
    if (before > 10) camera.zoom(after / before, ...place((e.clientX + other.x) / 2, (e.clientY + other.y) / 2));
  } else if (e.buttons & 6 || e.shiftKey) camera.move(dx / box.height, dy / box.height);
  else camera.turn((-dx / box.height) * 4, (-dy / box.height) * 4);
  [p.x, p.y] = [e.clientX, e.clientY];
  changed();
});

const release = (e) => {
  const p = pointers.get(e.pointerId);
  pointers.delete(e.pointerId);
  if (!pointers.size) stage.classList.remove("turning");
  if (!pointers.size && p?.far) stand();
  if (p && p.far < 4 && e.type === "pointerup" && picking()) pick(e.clientX, e.clientY);
};
stage.addEventListener("pointerup", release);
stage.addEventListener("pointercancel", release);
stage.addEventListener("contextmenu", (e) => e.preventDefault());
stage.addEventListener("dblclick", fit);
stage.addEventListener("wheel", (e) => {
  e.preventDefault();
  if (!page.camera) return;
  page.camera.zoom(Math.exp(-e.deltaY * (e.deltaMode ? 0.05 : 0.0015)), ...place(e.clientX, e.clientY));
  changed();
}, { passive: false });

// place is where a point of the page lies in the picture, in its heights from the middle.
function place(x, y) {
  const box = stage.getBoundingClientRect();
  return [(x - box.left - box.width / 2) / box.height, (y - box.top - box.height / 2) / box.height];
}
