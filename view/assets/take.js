// Taking away: the picture, the commands that make it and its film, its recipe, a film, a page that turns the mesh.

import { $, page, say, state, tell } from "./page.js";
import { direction } from "./looks.js";
import { post, size } from "./server.js";

function wish() {
  const s = $("size").value.split("x").map(Number);
  return s.length === 2 ? { width: s[0], height: s[1] } : size();
}

function download(blob, name, about = "") {
  tell(`Saved ${name}${about} (${blob.size < 1e6 ? `${Math.ceil(blob.size / 1e3)} kB` : `${(blob.size / 1e6).toFixed(1)} MB`})`);
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

const base = () => page.mesh.name.replace(/\.[^.]*$/, "").replace(/[^\w.-]+/g, "_") || "mesh";

export async function save() {
  const size = wish();
  tell("Drawing the picture", 60000);
  const answer = await post("picture.png", size);
  if (answer) download(await answer.blob(), `${base()}.png`, `, ${size.width}x${size.height}`);
  else tell("");
}
$("save").addEventListener("click", save);
$("recipe").addEventListener("click", async () => {
  const answer = await post("command", wish());
  if (answer) download(new Blob([JSON.stringify((await answer.json()).recipe, null, 2)], { type: "application/json" }), `${base()}.json`);
});
// takeAway asks for a file of many pictures, which takes seconds.
async function takeAway(button, path, words, size, picture) {
  $(button).disabled = true;
  say("");
  tell(words, 600000);
  const answer = await post(path, size, picture);
  $(button).disabled = false;
  if (!answer) return tell("");
  download(await answer.blob(), `${base()}.${path.split(".")[1]}`);
}
$("turn").addEventListener("click", () => {
  const projection = page.camera.parallel ? { projection: "orthographic" } : { fov: page.camera.fov };
  takeAway("turn", "turn.html", "Drawing the mesh from all sides: 216 pictures", { width: 800, height: 600 }, { ...state(), camera: { view: direction().join(","), ...projection } });
});
$("film").addEventListener("click", async () => {
  const size = fitting(wish());
  takeAway("film", "turn.gif", "Drawing a film of one turn: 72 pictures", size);
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
    tell("The command that draws this picture is in the clipboard.");
  } catch { /* it can be selected in the panel */ }
});
