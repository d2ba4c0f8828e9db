// The server: requests, and the pictures and words that come back. See messages.go for the protocol.

import { $, page, say, state, which } from "./page.js";
import { remember } from "./address.js";
import { decode, drop, paint } from "./decode.js";
import { timed } from "./times.js";

const stage = $("stage");
const calm = 100; // milliseconds without a movement after which a picture that stands is shown
const maxMessage = 4096;
let seq = 0, socket = null, retry = 250, closed = false;
let moves = new Set(), pending = false, trip = {}, settle = []; // movements on their way, and what is asked for afterwards
let changedAt = 0, movedTo = 0; // when something moved last, and the number of its request
let newest = 0; // the number of the picture that is shown
let failed = false; // a picture was not drawn, and the page says why
const sentAt = new Map(), listeners = new Map();

// listen has a function told the messages of a kind; "open": the socket is, "changed": something has, "shown": a picture is.
export const listen = (kind, f) => listeners.set(kind, f);

export function connect() {
  socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/socket`);
  socket.binaryType = "arraybuffer";
  socket.onopen = () => {
    retry = 250;
    moves.clear();
    pending = false;
    sentAt.clear();
    say("");
    listeners.get("open")();
  };
  socket.onclose = (e) => {
    if (closed) return;
    say(e.reason ? `The server ended the connection: ${e.reason}` : "The server does not answer. Trying again.");
    setTimeout(connect, retry);
    retry = Math.min(retry * 2, 5000);
  };
  socket.onmessage = (e) => (typeof e.data === "string" ? told(JSON.parse(e.data)) : shown(e.data));
}
addEventListener("pagehide", () => { closed = true; socket?.close(); });
addEventListener("pageshow", (e) => { if (e.persisted) { closed = false; connect(); } });

// size returns how many pixels the picture has.
export function size() {
  const dense = Math.min(devicePixelRatio || 1, 2), box = stage.getBoundingClientRect();
  const limit = Math.min(1, 4096 / (box.width * dense || 1), 2304 / (box.height * dense || 1));
  const side = (v) => Math.max(16, Math.round(v * dense * limit));
  return { width: side(box.width), height: side(box.height) };
}

export const sizeText = ({ width, height }) => `${width}x${height}`;

export function ask(kind, more = {}) {
  if (!socket || socket.readyState !== WebSocket.OPEN) return 0;
  const bare = kind === "file" || kind === "step";
  const request = { seq: seq + 1, kind, ...which(), size: sizeText(size()), picture: bare ? { version: 1 } : state(), ...more };
  const text = JSON.stringify(request);
  if (new TextEncoder().encode(text).length > maxMessage) {
    say("That is too much for one request: hide fewer parts by name, or isolate some.");
    return 0;
  }
  socket.send(text);
  sentAt.set(++seq, performance.now());
  if (bare) { // what stands is of another mesh then
    settle.forEach(clearTimeout);
    settle = [];
    movedTo = seq;
  }
  return seq;
}

// post asks for a file or for words about what is shown.
export async function post(path, of, picture = state()) {
  const body = JSON.stringify({ seq: 0, kind: "still", client: page.client, ...which(), size: sizeText(of), picture });
  const answer = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body });
  if (answer.ok) return answer;
  say(await answer.text());
  return null;
}

// changed asks for a picture of what has changed: at once for a movement, and finer ones when it stands.
export function changed() {
  changedAt = performance.now();
  listeners.get("changed")();
  remember();
  move();
}

// move asks for a movement while fewer than two are on their way.
function move() {
  settle.forEach(clearTimeout);
  settle = [];
  pending = moves.size >= 2;
  if (pending) return;
  const number = ask("move", page.panel ? { ...trip, panel: true } : trip);
  if (number) moves.add(movedTo = number);
  trip = {};
  rest(changedAt + calm - performance.now());
}

// rest asks for pictures that stand, if nothing moves until then.
function rest(wait) {
  settle.forEach(clearTimeout);
  if (!page.playing) settle = [setTimeout(() => ask("still", { fine: 0 }), wait), setTimeout(() => ask("still", { fine: 1 }), 1000)];
}

// stand asks for a picture that stands before it is known that nothing moves: it is shown when that is. A movement that
// has not been asked for yet would only delay it.
export function stand() {
  pending = false;
  rest(0);
}

// heat asks for the picture of what each block of triangles took, which stands until something moves.
export function heat() {
  settle.forEach(clearTimeout);
  settle = [];
  ask("heat");
}

async function shown(data) {
  const view = new DataView(data);
  const number = view.getUint32(0, true), kind = view.getUint8(4), level = view.getUint8(5);
  const drawn = view.getUint32(8, true) / 1000, encoded = view.getUint32(12, true) / 1000;
  const files = [];
  for (let i = 0, count = view.getUint8(6), at = count > 1 ? 16 + 4 * count : 16; i < count; i++) {
    const length = count > 1 ? view.getUint32(16 + 4 * i, true) : data.byteLength - at;
    files.push(new Uint8Array(data, at, length));
    at += length;
  }
  const picture = await decode(files);
  const started = sentAt.get(number) ?? performance.now();
  for (const n of sentAt.keys()) if (n <= number) sentAt.delete(n);
  if (kind === 0) {
    answered(number);
    if (number < newest) { // it was decoded after a newer one
      drop(picture);
      return void (pending && move());
    }
  } else {
    await new Promise((resolve) => setTimeout(resolve, changedAt + calm - performance.now()));
    if (pending || number <= movedTo) return drop(picture); // something has moved meanwhile
  }
  newest = number;
  if (failed) say("");
  failed = false;
  paint(stage, picture);
  const took = performance.now() - started;
  if (kind === 0) trip = { trip: took, shown: number };
  timed({ moving: kind === 0, level, drawn, encoded, took });
  document.body.dataset.shown = `${kind}:${number}:${took}`;
  listeners.get("shown")?.();
  if (pending) move();
}

// answered forgets a movement, and those before it: the server leaves out what is overtaken.
function answered(number) {
  for (const n of moves) if (n <= number) moves.delete(n);
}

function told(m) {
  if (m.kind === "error") {
    answered(m.seq);
    failed = true;
    say(/nothing of it|leaves nothing/.test(m.text) ? `${m.text}. Fit shows all of it; Flip keeps the other side of a section.` : m.text);
    if (pending) move();
  } else listeners.get(m.kind)?.(m);
}
