const pictures = JSON.parse(document.getElementById("pictures").textContent);
const box = document.getElementById("turn"), image = box.querySelector("img");
const rows = JSON.parse(box.dataset.elevations), columns = pictures.length / rows.length;
let row = rows.length >> 1, column = 0, from = null;

function show(r, c) {
  row = Math.max(0, Math.min(rows.length - 1, r));
  column = ((c % columns) + columns) % columns;
  image.src = "data:image/jpeg;base64," + pictures[row * columns + column];
  const angle = Math.round((360 * column) / columns);
  box.setAttribute("aria-valuenow", angle);
  box.setAttribute("aria-valuetext", `${angle} degrees around, from ${rows[row]} degrees above`);
}

box.addEventListener("pointerdown", (e) => {
  box.setPointerCapture(e.pointerId);
  from = { x: e.clientX, y: e.clientY, row, column };
});
box.addEventListener("pointermove", (e) => {
  if (!from) return;
  const across = (e.clientX - from.x) / box.clientWidth, down = (e.clientY - from.y) / box.clientHeight;
  show(from.row + Math.round(down * 2 * rows.length), from.column - Math.round(across * columns));
});
for (const end of ["pointerup", "pointercancel"]) box.addEventListener(end, () => { from = null; });
box.addEventListener("keydown", (e) => {
  const step = { ArrowLeft: [0, 1], ArrowRight: [0, -1], ArrowUp: [1, 0], ArrowDown: [-1, 0] }[e.key];
  if (!step) return;
  e.preventDefault();
  show(row + step[0], column + step[1]);
});
box.addEventListener("dragstart", (e) => e.preventDefault());
