// Taking away: the picture, the commands that make it and its film, its recipe, a film, a page that turns the mesh.

import { $, page, say, state } from "./page.js";
import { direction } from "./looks.js";
import { post, size } from "./server.js";

function wish() {
  const s = $("size").value.split("x").map(Number);
  return s.length === 2 ? { width: s[0], height: s[1] } : size();
}

function download(blob, name) {
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

const base = () => page.mesh.name.replace(/\.[^.]*$/, "").replace(/[^\w.-]+/g, "_") || "mesh";

export async function save() {
  const answer = await post("picture.png", wish());
  if (answer) download(await answer.blob(), `${base()}.png`);
}
$("save").addEventListener("click", save);
$("recipe").addEventListener("click", async () => {
  const answer = await post("command", wish());
  if (answer) download(new Blob([JSON.stringify((await answer.json()).recipe, null, 2)], { type: "application/json" }), `${base()}.json`);
});
// takeAway asks for a file of many pictures, which takes seconds.
async function takeAway(button, path, words, size, picture) {
  $(button).disabled = true;
  say(words);
  const answer = await post(path, size, picture);
  $(button).disabled = false;
  if (!answer) return;
  download(await answer.blob(), `${base()}.${path.split(".")[1]}`);
  say("");
}
$("turn").addEventListener("click", () => {
  const projection = page.camera.parallel ? { projection: "orthographic" } : { fov: page.camera.fov };
  takeAway("turn", "turn.html", "Drawing the mesh from all sides", { width: 800, height: 600 }, { ...state(), camera: { view: direction().join(","), ...projection } });
});
$("film").addEventListener("click", async () => {
  const size = fitting(wish());
  takeAway("film", "turn.gif", "Drawing the mesh turning once", size);
  const answer = await post("command", size);
  if (answer) $("command").textContent = (await answer.json()).film;
});

// fitting returns the largest size of a film's pictures with the sides of another one.
function fitting({ width, height }) {
  const scale = Math.min(1, 1600 / width, 1200 / height);
  return { width: Math.floor(width * scale), height: Math.floor(height * scale) };
}
$("copy").addEventListener("click", async () => {
  const answer = await post("command", wish());
  if (!answer) return;
  const { command } = await answer.json();
  $("command").textContent = command;
  try {
    await navigator.clipboard.writeText(command);
    $("copy").textContent = "Copied";
    setTimeout(() => { $("copy").textContent = "Copy command"; }, 1500);
  } catch { /* it can be selected in the panel */ }
});
