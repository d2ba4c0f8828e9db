// How long pictures take.

import { $, page } from "./page.js";

const levels = ["4 samples", "1 sample", "without occlusion", "half size", "third size"];
const wanted = 33; // milliseconds of a movement
const every = 100; // milliseconds between two words about movements: more cannot be read, and each lays out the page anew
const trips = [], box = $("trips").closest("details");
let last = null, toldAt = 0;

// timed tells of a picture that is shown.
export function timed(picture) {
  last = picture;
  if (picture.moving) {
    trips.push(picture.took);
    if (trips.length > 100) trips.shift();
    if (performance.now() - toldAt < every) return;
  }
  toldAt = performance.now();
  words();
}

function words() {
  if (!last) return;
  const { moving, level, drawn, encoded, took } = last;
  if (moving) $("status").textContent = `${took.toFixed(0)} ms, ${levels[level]}`;
  else $("status").textContent = `${page.mesh.triangles.toLocaleString("en")} triangles, drawn in ${drawn.toFixed(0)} ms`;
  if (!box.open) return;
  $("times").textContent = `drawing ${drawn.toFixed(1)} ms, encoding ${encoded.toFixed(1)} ms, in all ${took.toFixed(1)} ms`;
  const most = Math.max(2 * wanted, ...trips), high = (t) => (t / most) * 58;
  const bars = trips.map((t, i) => `<rect x="${i * 2}" y="${60 - high(t)}" width="1.6" height="${high(t)}"/>`).join("");
  $("trips").innerHTML = `${bars}<line x1="0" x2="200" y1="${60 - high(wanted)}" y2="${60 - high(wanted)}"/>`;
}
box.addEventListener("toggle", words);
