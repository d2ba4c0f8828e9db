import { Camera, sub, cross, dot, length, add, scale, unit } from "./camera.js";

const $ = (id) => document.getElementById(id);
const stage = $("stage"), context = stage.getContext("2d");

// The state of the page: a recipe without its camera, and the camera. The address keeps both.
let recipe = { version: 1 }, camera = null, mesh = null, file = 0;
let seq = 0, socket = null, moves = new Set(), pending = false, retry = 250;
const calm = 100; // milliseconds without a movement after which a picture that stands is shown
let changedAt = 0, movedTo = 0, released = false; // when something moved last, the number of its request, and whether it was let go
let trip = 0, sentAt = new Map(), trips = [], settle = [], picking = false, points = [], closed = false;

// ---- The server

function connect() {
  socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/socket`);
  socket.binaryType = "arraybuffer";
  socket.onopen = () => {
    retry = 250;
    moves.clear();
    pending = false;
    sentAt.clear();
    say("");
    ask("file");
  };
  socket.onclose = (e) => {
    if (closed) return;
    say(e.reason ? `The server ended the connection: ${e.reason}` : "The server does not answer. Trying again.");
    setTimeout(connect, retry);
    retry = Math.min(retry * 2, 5000);
  };
  socket.onmessage = (e) => (typeof e.data === "string" ? told(JSON.parse(e.data)) : shown(e.data));
}

function size() {
  const dense = Math.min(devicePixelRatio || 1, 2);
  const box = stage.getBoundingClientRect();
  const limit = Math.min(1, 4096 / (box.width * dense || 1), 2304 / (box.height * dense || 1));
  const side = (v) => Math.max(16, Math.round(v * dense * limit));
  return { width: side(box.width), height: side(box.height) };
}

const text = ({ width, height }) => `${width}x${height}`;

// state is the recipe of what is shown.
function state() {
  const p = structuredClone(recipe);
  if (camera) p.camera = camera.state();
  return p;
}

function ask(kind, more = {}) {
  if (!socket || socket.readyState !== WebSocket.OPEN) return 0;
  seq += 1;
  const request = { seq, kind, file, size: text(size()), picture: kind === "file" ? { version: 1 } : state(), ...more };
  socket.send(JSON.stringify(request));
  sentAt.set(seq, performance.now());
  return seq;
}

// changed asks for a picture of what has changed: at once for a movement, and finer ones when it stands.
function changed() {
  changedAt = performance.now();
  released = false;
  marks();
  remember();
  move();
}

// move asks for a movement while fewer than two are on their way.
function move() {
  settle.forEach(clearTimeout);
  settle = [];
  pending = moves.size >= 2;
  if (pending) return;
  const number = ask("move", { trip });
  if (number) moves.add(movedTo = number);
  trip = 0;
  const wait = released ? 0 : changedAt + calm - performance.now();
  settle = [setTimeout(() => ask("still", { fine: 0 }), wait), setTimeout(() => ask("still", { fine: 1 }), 1000)];
}

// stand asks for a picture that stands before it is known that nothing moves: it is shown when that is.
function stand() {
  released = true;
  if (!settle.length) return; // a movement will be asked for, and then this
  clearTimeout(settle[0]);
  ask("still", { fine: 0 });
}

async function shown(data) {
  const view = new DataView(data);
  const number = view.getUint32(0, true), kind = view.getUint8(4), level = view.getUint8(5);
  const drawn = view.getUint32(8, true) / 1000, encoded = view.getUint32(12, true) / 1000;
  const file = new Uint8Array(data, 16);
  const picture = await createImageBitmap(new Blob([file], { type: file[0] === 0xff ? "image/jpeg" : "image/png" }));
  const started = sentAt.get(number) ?? performance.now();
  for (const n of sentAt.keys()) if (n <= number) sentAt.delete(n);
  if (kind === 0) answered(number);
  else {
    await new Promise((resolve) => setTimeout(resolve, changedAt + calm - performance.now()));
    if (pending || number <= movedTo) return picture.close(); // something has moved meanwhile
  }
  const { width, height } = size();
  if (stage.width !== width || stage.height !== height) [stage.width, stage.height] = [width, height];
  context.imageSmoothingQuality = "high";
  context.clearRect(0, 0, width, height);
  context.drawImage(picture, 0, 0, width, height);
  picture.close();
  const took = performance.now() - started;
  if (kind === 0) {
    trip = took;
    trips.push(took);
    if (trips.length > 100) trips.shift();
    const names = ["4 samples", "1 sample", "without occlusion", "flat", "half size", "third size"];
    $("status").textContent = `${took.toFixed(0)} ms, ${names[level]}`;
  } else $("status").textContent = `${mesh.triangles.toLocaleString("en")} triangles, drawn in ${drawn.toFixed(0)} ms`;
  $("times").textContent = `drawing ${drawn.toFixed(1)} ms, encoding ${encoded.toFixed(1)} ms, in all ${took.toFixed(1)} ms`;
  plot();
  document.body.dataset.shown = `${kind}:${number}`;
  if (pending) move();
}

// answered forgets a movement, and those before it: the server leaves out what is overtaken.
function answered(number) {
  for (const n of moves) if (n <= number) moves.delete(n);
}

function told(m) {
  if (m.kind === "hello") return greeted(m);
  if (m.kind === "error") {
    answered(m.seq);
    say(m.text);
    if (pending) move();
    return;
  }
  if (m.kind === "fit") {
    camera.set(m);
    changed();
  } else if (m.kind === "pick") picked(m);
}

function say(text) {
  $("said").textContent = text;
  $("said").hidden = !text;
}

// ---- The mesh

function greeted(m) {
  const first = mesh === null || mesh.file !== m.file;
  mesh = m;
  file = m.file;
  document.title = `${m.name} - Lockstep`;
  $("name").textContent = m.name;
  $("about").textContent = `${m.triangles.toLocaleString("en")} triangles, ${lengths(m)}`;
  $("files").hidden = m.files.length < 2;
  const kept = remembered();
  if (first && kept && kept.file === m.file) {
    recipe = kept.recipe;
    camera = new Camera(kept.camera, m.up);
    if (kept.recipe.camera) delete recipe.camera;
  } else if (first) {
    recipe = m.picture;
    delete recipe.camera;
    camera = new Camera(m.camera, m.up);
    points = [];
  }
  controls();
  (m.warnings ?? []).slice(0, 1).forEach(say);
  changed();
}

const lengths = (m) => sub(m.box[1], m.box[0]).map((v) => Number(v.toPrecision(4))).join(" × ") + (m.unit ? ` ${m.unit}s` : "");
const show = (v) => Number(v.toPrecision(6)) + (mesh.unit ? ` ${mesh.unit}${Math.abs(v) === 1 ? "" : "s"}` : "");

// ---- The address keeps the state

function remember() {
  if (!camera) return;
  const kept = JSON.stringify({ file, recipe, camera: { ...camera.state(), eye: camera.eye, target: camera.target, fov: camera.parallel ? 0 : camera.fov, height: camera.height } });
  clearTimeout(remember.timer);
  remember.timer = setTimeout(() => history.replaceState(null, "", `#${encodeURIComponent(kept)}`), 300);
}

function remembered() {
  try {
    return JSON.parse(decodeURIComponent(location.hash.slice(1)));
  } catch {
    return null;
  }
}

// ---- Moving

const pointers = new Map();

stage.addEventListener("pointerdown", (e) => {
  stage.setPointerCapture(e.pointerId);
  pointers.set(e.pointerId, { x: e.clientX, y: e.clientY, far: 0 });
  stage.classList.add("turning");
});

stage.addEventListener("pointermove", (e) => {
  const p = pointers.get(e.pointerId);
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
  if (p && p.far < 4 && e.type === "pointerup" && picking) pick(e.clientX, e.clientY);
};
stage.addEventListener("pointerup", release);
stage.addEventListener("pointercancel", release);
stage.addEventListener("contextmenu", (e) => e.preventDefault());
stage.addEventListener("dblclick", () => ask("fit"));
stage.addEventListener("wheel", (e) => {
  e.preventDefault();
  if (!camera) return;
  camera.zoom(Math.exp(-e.deltaY * (e.deltaMode ? 0.05 : 0.0015)), ...place(e.clientX, e.clientY));
  changed();
}, { passive: false });

// place is where a point of the page lies in the picture, in its heights from the middle.
function place(x, y) {
  const box = stage.getBoundingClientRect();
  return [(x - box.left - box.width / 2) / box.height, (y - box.top - box.height / 2) / box.height];
}

// ---- Views

function look(name) {
  ask("fit", { picture: { ...state(), camera: { view: views[name].join(","), ...(camera.parallel ? { projection: "orthographic" } : {}) } } });
}
const views = { front: [0, 0], back: [180, 0], right: [90, 0], left: [-90, 0], top: [0, 90], bottom: [0, -90], iso: [45, 35.26438968275465] };

document.querySelectorAll("[data-view]").forEach((b) => b.addEventListener("click", () => look(b.dataset.view)));
$("fit").addEventListener("click", fit);
$("orthographic").addEventListener("click", parallel);

function fit() {
  // The direction of the present camera, as azimuth and elevation are found by the server from an eye.
  const d = unit(sub(camera.eye, camera.target)), up = mesh.up;
  const front = up[1] ? [0, 0, up[1]] : up[0] ? [0, -up[0], 0] : [0, -up[2], 0];
  const right = cross(up, front).map((v) => -v);
  const side = right.map((v) => -v);
  const azimuth = (Math.atan2(dot(d, side), dot(d, front)) * 180) / Math.PI;
  const elevation = (Math.asin(Math.max(-1, Math.min(1, dot(d, up)))) * 180) / Math.PI;
  ask("fit", { picture: { ...state(), camera: { view: `${azimuth},${elevation}`, ...(camera.parallel ? { projection: "orthographic" } : {}) } } });
}

function parallel() {
  camera.swap();
  press("orthographic", camera.parallel);
  changed();
}

const press = (id, on) => $(id).setAttribute("aria-pressed", String(on));

// ---- Controls

function controls() {
  press("orthographic", camera.parallel);
  document.querySelectorAll("[data-line]").forEach((box) => { box.checked = Boolean(recipe.lines?.[box.dataset.line]); });
  $("ground").checked = recipe.lines?.ground !== false;
  $("flat").checked = recipe.look?.shading === "flat";
  $("capped").checked = recipe.cuts?.color !== "open";
  sections();
  fields();
  parts();
}

const group = (name) => (recipe[name] ??= {});

document.querySelectorAll("[data-line]").forEach((box) => box.addEventListener("change", () => {
  group("lines")[box.dataset.line] = box.checked;
  changed();
}));
$("ground").addEventListener("change", (e) => { group("lines").ground = e.target.checked; changed(); });
$("flat").addEventListener("change", (e) => { group("look").shading = e.target.checked ? "flat" : ""; changed(); });
$("capped").addEventListener("change", (e) => { group("cuts").color = e.target.checked ? "" : "open"; changed(); });

const cuts = { x: null, y: null, z: null };
const acrossAxis = /^([xyz])([<>])([\d.]+)%$/;
let planes = []; // sections that no slider shows, as --section takes them

// sections makes a row for each axis: on or off, where, and which side stays.
function sections() {
  const old = recipe.cuts?.sections ?? [];
  planes = old.filter((s) => !acrossAxis.test(s));
  $("sections").replaceChildren(...["x", "y", "z"].map((axis) => {
    const now = old.map((s) => acrossAxis.exec(s)).find((m) => m && m[1] === axis);
    cuts[axis] = { on: Boolean(now), keep: now ? now[2] : "<", at: now ? Number(now[3]) : 50 };
    const row = document.createElement("div");
    row.className = "cut";
    const on = Object.assign(document.createElement("input"), { type: "checkbox", checked: cuts[axis].on, id: `cut-${axis}` });
    const label = Object.assign(document.createElement("label"), { className: "line" });
    label.append(on, axis);
    const slider = Object.assign(document.createElement("input"), { type: "range", min: 0.5, max: 99.5, step: 0.1, value: cuts[axis].at });
    slider.setAttribute("aria-label", `Where the section across ${axis} is, in per cent`);
    const flip = Object.assign(document.createElement("button"), { textContent: "Flip" });
    flip.setAttribute("aria-label", `Flip the section across ${axis}`);
    on.addEventListener("change", () => { cuts[axis].on = on.checked; cut(); });
    slider.addEventListener("input", () => { cuts[axis].at = Number(slider.value); cuts[axis].on = on.checked = true; cut(); });
    flip.addEventListener("click", () => { cuts[axis].keep = cuts[axis].keep === "<" ? ">" : "<"; cuts[axis].on = on.checked = true; cut(); });
    row.append(label, slider, flip);
    return row;
  }), ...planes.map(planeRow));
}

// planeRow is the row of a plane that lies across no axis.
function planeRow(plane, i) {
  const row = document.createElement("div");
  row.className = "cut";
  const drop = Object.assign(document.createElement("button"), { textContent: "Remove" });
  const flip = Object.assign(document.createElement("button"), { textContent: "Flip" });
  drop.setAttribute("aria-label", `Remove plane ${i + 1}`);
  flip.setAttribute("aria-label", `Flip plane ${i + 1}`);
  drop.addEventListener("click", () => { planes.splice(i, 1); cut(); sections(); });
  flip.addEventListener("click", () => { planes[i] = plane.replace(/[<>=]/, (keep) => (keep === "<" ? ">" : "<")); cut(); sections(); });
  row.append(drop, `Plane ${i + 1}`, flip);
  return row;
}

// through cuts by the plane of three picked points, and keeps what lies behind it as it is seen.
function through() {
  const [a, b, c] = points.map((p) => p.at);
  if (!c) return say("Pick three points first: the plane goes through them.");
  const u = sub(b, a), v = sub(c, a), n = cross(u, v);
  if (!(length(n) > 1e-9 * length(u) * length(v))) return say("The three points lie on a line: no plane is theirs.");
  const normal = unit(n), at = dot(normal, a);
  planes.push(`${normal.join(",")}${dot(sub(camera.eye, a), normal) > 0 ? "<" : ">"}${at}`);
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

function fields() {
  $("fieldbox").hidden = !mesh.fields.length;
  $("field").replaceChildren(...[["", "none"], ...mesh.fields.map((f) => [f.name, f.name])].map(([value, text]) => Object.assign(document.createElement("option"), { value, textContent: text })));
  $("field").value = recipe.look?.field ?? "";
  $("colormap").value = recipe.look?.colormap || "viridis";
  range();
}

function range() {
  const f = mesh.fields.find((x) => x.name === $("field").value);
  const [low, high] = recipe.look?.range ?? [f?.low ?? "", f?.high ?? ""];
  $("low").value = low;
  $("high").value = high;
}

$("field").addEventListener("change", () => {
  const l = group("look");
  l.field = $("field").value;
  delete l.range;
  group("lines").legend = Boolean(l.field) && document.querySelector("[data-line=legend]").checked;
  range();
  changed();
});
$("colormap").addEventListener("change", () => { group("look").colormap = $("colormap").value; if ($("field").value) changed(); });
for (const id of ["low", "high"]) $(id).addEventListener("change", () => {
  const low = Number($("low").value), high = Number($("high").value);
  if (low < high) { group("look").range = [low, high]; changed(); }
});

function parts() {
  $("partbox").hidden = mesh.parts.length < 2;
  const hidden = new Set(recipe.parts?.hide ?? []);
  $("parts").replaceChildren(...mesh.parts.slice(0, 500).map((p, i) => {
    const id = String(i);
    const box = Object.assign(document.createElement("input"), { type: "checkbox", checked: !hidden.has(id) });
    const label = Object.assign(document.createElement("label"), { className: "line" });
    const only = Object.assign(document.createElement("small"), { textContent: `area ${Number(p.area.toPrecision(4))}` });
    label.append(box, p.name || `part ${i}`, only);
    box.addEventListener("change", () => {
      box.checked ? hidden.delete(id) : hidden.add(id);
      group("parts").hide = [...hidden];
      changed();
    });
    const item = document.createElement("li");
    item.append(label);
    return item;
  }));
}
$("allparts").addEventListener("click", () => { group("parts").hide = []; parts(); changed(); });

// ---- Measuring

$("measure").addEventListener("click", measuring);
$("forget").addEventListener("click", () => { points = []; marks(); report(); });

function measuring() {
  picking = !picking;
  press("measure", picking);
  stage.classList.toggle("picking", picking);
}

function pick(x, y) {
  const box = stage.getBoundingClientRect(), s = size();
  ask("pick", { at: [((x - box.left) * s.width) / box.width, ((y - box.top) * s.height) / box.height] });
}

function picked(m) {
  if (!m.hit) return say("There is nothing under that place.");
  say("");
  if (points.length === 3) points = [];
  const snap = $("corners").checked && m.beside < 12 * Math.min(devicePixelRatio || 1, 2);
  points.push({ at: snap ? m.corner : m.point, part: m.part, normal: m.normal, field: m.field, triangle: m.triangle });
  marks();
  report();
}

function report() {
  const lines = points.map((p, i) => `${i + 1}: ${p.at.map((v) => Number(v.toPrecision(6))).join(", ")}${p.part ? `, ${p.part}` : ""}${p.field != null ? `, ${recipe.look.field} ${Number(p.field.toPrecision(5))}` : ""}`);
  const [a, b, c] = points.map((p) => p.at);
  if (b) lines.push(`Distance ${show(length(sub(b, a)))}`, `along x, y, z ${sub(b, a).map((v) => Number(v.toPrecision(5))).join(", ")}`);
  if (c) {
    const u = sub(a, b), v = sub(c, b), n = cross(u, v);
    lines.push(`Angle at 2: ${((Math.atan2(length(n), dot(u, v)) * 180) / Math.PI).toFixed(3)}°`);
    const area = length(n) / 2;
    if (area > 1e-9 * length(u) * length(v)) {
      const radius = (length(u) * length(v) * length(sub(a, c))) / (4 * area);
      lines.push(`Circle: diameter ${show(2 * radius)}`, `Triangle: area ${Number(area.toPrecision(6))}`);
    }
  }
  $("measured").textContent = lines.join("\n") || "Two points give a distance, three an angle and the circle through them.";
}

function marks() {
  const box = stage.getBoundingClientRect(), svg = $("marks");
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

// ---- Taking away

function wish() {
  const s = $("size").value.split("x").map(Number);
  return s.length === 2 ? { width: s[0], height: s[1] } : size();
}

async function post(path) {
  const answer = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ seq: 0, kind: "still", file, size: text(wish()), picture: state() }) });
  if (!answer.ok) {
    say(await answer.text());
    return null;
  }
  return answer;
}

function download(blob, name) {
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

const base = () => mesh.name.replace(/\.[^.]*$/, "").replace(/[^\w.-]+/g, "_") || "mesh";

async function save() {
  const answer = await post("picture.png");
  if (answer) download(await answer.blob(), `${base()}.png`);
}
$("save").addEventListener("click", save);
$("recipe").addEventListener("click", async () => {
  const answer = await post("command");
  if (answer) download(new Blob([JSON.stringify((await answer.json()).recipe, null, 2)], { type: "application/json" }), `${base()}.json`);
});
$("copy").addEventListener("click", async () => {
  const answer = await post("command");
  if (!answer) return;
  const { command } = await answer.json();
  $("command").textContent = command;
  try {
    await navigator.clipboard.writeText(command);
    $("copy").textContent = "Copied";
    setTimeout(() => { $("copy").textContent = "Copy command"; }, 1500);
  } catch { /* it can be selected in the panel */ }
});

// ---- Times

function plot() {
  const svg = $("trips");
  const most = Math.max(66, ...trips);
  const bars = trips.map((t, i) => `<rect x="${i * 2}" y="${60 - (t / most) * 58}" width="1.6" height="${(t / most) * 58}"/>`).join("");
  svg.innerHTML = `${bars}<line x1="0" x2="200" y1="${60 - (33 / most) * 58}" y2="${60 - (33 / most) * 58}"/>`;
}

// ---- Keys, as in f3d where it has them

const line = (name) => { const box = document.querySelector(`[data-line=${name}]`); box.checked = !box.checked; box.dispatchEvent(new Event("change")); };
const keys = {
  1: () => look("front"), 3: () => look("right"), 7: () => look("top"), 9: () => look("iso"), 5: parallel,
  f: fit, Enter: fit, e: () => line("edges"), w: () => line("wireframe"), x: () => line("axes"), b: () => line("bounds"),
  m: measuring, s: save, F12: save, "+": () => { camera.zoom(1.15); changed(); }, "=": () => { camera.zoom(1.15); changed(); }, "-": () => { camera.zoom(1 / 1.15); changed(); },
  PageUp: () => other(-1), PageDown: () => other(1),
};

document.addEventListener("keydown", (e) => {
  const inField = e.target.closest?.("input, select, button, summary, textarea");
  if (!camera || e.ctrlKey || e.metaKey || e.altKey) return;
  const arrow = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[e.key];
  if (arrow && !inField) {
    const [dx, dy] = arrow;
    if (e.shiftKey) camera.move(dx * 0.05, dy * 0.05);
    else camera.turn(dx * 0.1, dy * 0.1);
    changed();
  } else if (keys[e.key] && !(inField && (e.key === "Enter" || inField.matches("input[type=number], select")))) keys[e.key]();
  else if (keys[e.key.toLowerCase()] && !(inField && inField.matches("input[type=number], select"))) keys[e.key.toLowerCase()]();
  else return;
  e.preventDefault();
});

function other(step) {
  const next = (file + step + mesh.files.length) % mesh.files.length;
  if (next === file) return;
  file = next;
  history.replaceState(null, "", "#");
  ask("file");
}
$("earlier").addEventListener("click", () => other(-1));
$("later").addEventListener("click", () => other(1));

new ResizeObserver(() => camera && changed()).observe(stage);
addEventListener("pagehide", () => { closed = true; socket?.close(); });
addEventListener("pageshow", (e) => { if (e.persisted) { closed = false; connect(); } });
connect();
