// Taking away: the picture, the command that makes it, its recipe, a page that turns the mesh.

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
$("turn").addEventListener("click", async () => {
  const projection = page.camera.parallel ? { projection: "orthographic" } : { fov: page.camera.fov };
  $("turn").disabled = true;
  say("Drawing the mesh from all sides");
  const answer = await post("turn.html", { width: 800, height: 600 }, { ...state(), camera: { view: direction().join(","), ...projection } });
  $("turn").disabled = false;
  if (!answer) return;
  download(await answer.blob(), `${base()}.html`);
  say("");
});
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
