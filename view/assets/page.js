// What all modules share: the state of the page, and small tools.

export const $ = (id) => document.getElementById(id);

// The state of the page: a recipe without its camera, the camera, which of the server's meshes is shown, and which one it
// is compared with (counted from 1; 0: none). The address keeps them.
export const page = {
  recipe: { version: 1 }, camera: null, file: 0, against: 0, distances: false,
  mesh: null, // what the server says of it
  client: "", // what the server calls this page
  points: [], // that were picked
  playing: false,
  panel: false, // whether the panel of balancing is open
};

// group returns a part of the recipe, such as look.
export const group = (name) => (page.recipe[name] ??= {});

// state returns the recipe of what is shown.
export function state() {
  const p = structuredClone(page.recipe);
  if (page.camera) p.camera = page.camera.state();
  return p;
}

// which says whose picture the state is, for the server.
export const which = () => ({ file: page.file, against: page.distances ? page.against : 0 });

export function say(text) {
  $("said").textContent = text;
  $("said").hidden = !text;
}

// tell says for a while that something was done or is going on; say stays, and is for what went wrong.
let untold = 0;
export function tell(text, milliseconds = 6000) {
  clearTimeout(untold);
  $("done").textContent = text;
  $("done").hidden = !text;
  if (text) untold = setTimeout(tell, milliseconds, "");
}

export const press = (id, on) => $(id).setAttribute("aria-pressed", String(on));

// element makes one, with children.
export function element(name, properties = {}, ...children) {
  const e = Object.assign(document.createElement(name), properties);
  e.append(...children);
  return e;
}

// digits writes a number with some digits that count, length one with its unit.
export const digits = (v, n) => String(Number(v.toPrecision(n)));
export const lengthText = (v) => digits(v, 6) + (page.mesh.unit ? ` ${page.mesh.unit}${Math.abs(v) === 1 ? "" : "s"}` : "");
