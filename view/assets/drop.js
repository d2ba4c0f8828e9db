// Files that are opened or dropped on the page, and meshes in folders that are.

import { $, page, say } from "./page.js";
import { open } from "./meshes.js";

const deepest = 8, most = 1000; // folders within each other, and names in one, that are looked at

// isMesh tells by the name of a file whether it is a mesh, which may be packed.
const isMesh = (name) => name.toLowerCase().split(".").slice(1).slice(-2).some((end) => page.mesh.extensions.includes(end));

// inside returns the meshes in a folder and those below it in the order of their names, or the file that was dropped,
// whatever it is.
async function inside(entry, deep = 0) {
  if (entry.isFile) return deep && !isMesh(entry.name) ? [] : [await new Promise((done, failed) => entry.file(done, failed))];
  const reader = entry.createReader(), entries = [], files = [];
  while (deep < deepest && entries.length < most) {
    const some = await new Promise((done, failed) => reader.readEntries(done, failed));
    if (!some.length) break;
    entries.push(...some);
  }
  entries.sort((a, b) => a.name.localeCompare(b.name, "en", { numeric: true }));
  for (const e of entries) if (!e.name.startsWith(".")) files.push(...await inside(e, deep + 1));
  return files;
}

// send gives a file to the server, and returns the number of its mesh, or -1 where the server does not take it.
async function send(file) {
  say(`Reading ${file.name}`);
  const answer = await fetch(`drop?${new URLSearchParams({ client: page.client, name: file.name })}`, { method: "POST", headers: { "Content-Type": "application/octet-stream" }, body: file });
  if (answer.ok) return (await answer.json()).file;
  say(`${file.name}: ${(await answer.text()).trim()}`);
  return -1;
}

// take sends files, as many as there is room for, and shows the first one.
async function take(files) {
  let first = -1, room = Math.max(page.mesh.room, 1), wrong = "", name = ""; // where there is none, the server says so
  try {
    for (const file of files.slice(0, most)) {
      if (!room) {
        wrong ||= `There is room for no more meshes: ${file.name} and those after it are left out.`;
        break;
      }
      name = file.name;
      const number = await send(file);
      if (number < 0) wrong ||= $("said").textContent;
      else room--;
      if (first < 0) first = number;
    }
  } catch {
    wrong = `${name} could not be sent.`;
  }
  say(wrong || (files.length ? "" : "There is no mesh in it."));
  if (first < 0) return;
  Object.assign(page, { against: 0, distances: false });
  open(first, false);
}

$("open").addEventListener("click", () => $("opened").click());
$("opened").addEventListener("change", async (e) => {
  await take([...e.target.files]);
  e.target.value = "";
});
addEventListener("dragover", (e) => { e.preventDefault(); document.body.classList.add("dropping"); });
addEventListener("dragleave", (e) => { if (!e.relatedTarget) document.body.classList.remove("dropping"); });
addEventListener("drop", async (e) => {
  e.preventDefault();
  document.body.classList.remove("dropping");
  // The items are gone after the first wait.
  const dropped = [...e.dataTransfer.items].filter((item) => item.kind === "file").map((item) => item.webkitGetAsEntry() ?? item.getAsFile());
  if (!dropped.length) return;
  try {
    const files = await Promise.all(dropped.map((d) => (d instanceof File ? [d] : inside(d))));
    await take(files.flat());
  } catch {
    say("What was dropped could not be read.");
  }
});
