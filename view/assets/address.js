// The address keeps the state: it can be copied, and the page reloaded.

import { page } from "./page.js";

let timer = 0;

export function remember() {
  const { camera, file, recipe, against, distances } = page;
  if (!camera) return;
  const place = { ...camera.state(), eye: camera.eye, target: camera.target, fov: camera.parallel ? 0 : camera.fov, height: camera.height };
  const kept = JSON.stringify({ file, recipe, camera: place, ...(against ? { against, distances } : {}) });
  clearTimeout(timer);
  timer = setTimeout(() => history.replaceState(null, "", `#${encodeURIComponent(kept)}`), 300);
}

export function remembered() {
  try {
    return JSON.parse(decodeURIComponent(location.hash.slice(1)));
  } catch {
    return null;
  }
}

export function forget() {
  clearTimeout(timer);
  history.replaceState(null, "", "#");
}
