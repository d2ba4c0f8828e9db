import { Grid } from "./grid.js";

const $ = (id) => document.getElementById(id);

let film = ""; // that is shown
let chosen = -1; // frame that the user looks at; -1: the latest
let shown = ""; // picture that is on the page
let mapped = ""; // plan that is on the map
let latest = null; // news
let generation = 0; // of the grid
let early = null; // changes that came while all frames were asked for

const grid = new Grid($("grid"), (k) => {
  chosen = chosen === k ? -1 : k;
  show();
});

// row returns a table's row; cells are texts or elements. Nothing is ever read as HTML.
function row(...cells) {
  const tr = document.createElement("tr");
  for (const c of cells) {
    const td = document.createElement("td");
    td.append(...[c].flat());
    tr.append(td);
  }
  return tr;
}

function duration(seconds) {
  if (seconds < 0) return "unknown";
  const s = Math.round(seconds);
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${s % 60} s`;
  return `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min`;
}

function busy(share) {
  if (share < 0) return ["unknown"];
  const m = document.createElement("meter");
  m.value = share;
  return [m, `${Math.round(100 * share)} %`];
}

function note(text) {
  const s = document.createElement("span");
  s.className = "note";
  s.textContent = text;
  return s;
}

function figures(f) {
  const left = f.state === "drawing" ? duration(f.left) : "none";
  const list = [
    ["Frames", `${f.done} of ${f.frames}`], ["Failed", `${f.failed}`], ["Time left", left],
    ["Frames a second", f.rate > 0 ? f.rate.toPrecision(3) : "unknown"],
    ["Time of drawing", duration(f.seconds)], ["Pictures", `${(f.bytes / 1e6).toFixed(1)} MB`], ["Started", new Date(f.created).toLocaleString()],
  ];
  return list.map(([name, value]) => {
    const box = document.createElement("div");
    const dt = document.createElement("dt");
    const dd = document.createElement("dd");
    dt.textContent = name;
    dd.textContent = value;
    box.append(dt, dd);
    return box;
  });
}

function showFilms(films) {
  const choice = $("choice");
  choice.hidden = films.length < 2;
  const options = films.map((f) => `${f.id} ${f.name} ${f.state}`).join("\n");
  if (choice.dataset.options !== options) {
    choice.dataset.options = options;
    choice.replaceChildren(...films.map((f) => new Option(`${f.name} (${f.state})`, f.id)));
  }
  choice.value = film;
}

function showOwners(owners) {
  $("owners").hidden = !owners;
  if (!owners) return;
  $("owner-rows").replaceChildren(...owners.nodes.map((n) => {
    const swatch = document.createElement("span");
    swatch.className = "swatch";
    swatch.style.background = n.color;
    return row([swatch, n.name], `${n.blocks}`, busy(n.busy));
  }));
  const plan = `${film} ${owners.epoch}`;
  if (plan !== mapped) {
    mapped = plan;
    $("map").src = `films/${encodeURIComponent(film)}/map?plan=${owners.epoch}`;
  }
}

// showNodes shows the nodes. Those that draw each frame together record none by themselves: how busy
// they are, and with what, is known of their owners.
function showNodes(nodes, owners) {
  const owns = new Map((owners?.nodes ?? []).map((o) => [o.name, o]));
  $("nodes").hidden = nodes.length === 0;
  $("node-rows").replaceChildren(...nodes.map((n) => {
    const name = [n.name];
    if (n.blocked) name.push(note("shut out"));
    else if (!n.there) name.push(note("gone"));
    const each = n.frames > 0 ? (n.seconds / n.frames).toPrecision(3) : "";
    const part = owns.get(n.name);
    const frames = part ? "in parts" : `${n.frames}`;
    return row(name, n.host ? `${n.host}, ${n.cores} cores` : "", frames, each, busy(part ? part.busy : n.busy));
  }));
}

function showPicture(f) {
  const k = chosen >= 0 ? chosen : f.last;
  $("latest").hidden = k < 0;
  const name = `${f.id} ${k}`;
  if (k < 0 || name === shown) return;
  shown = name;
  $("latest-title").textContent = chosen >= 0 ? `Frame ${k}` : `Latest picture: frame ${k}`;
  $("picture").src = `films/${encodeURIComponent(f.id)}/frames/${k}`;
  $("picture").alt = `Frame ${k}`;
}

// show shows the latest news.
function show() {
  const films = latest.films;
  if (!films.some((f) => f.id === film)) film = "";
  showFilms(films);
  const f = films.find((f) => f.id === film) ?? films[0];
  showNodes(latest.nodes, f && f.state === "drawing" ? latest.owners[f.id] : null);
  for (const id of ["summary", "frames"]) $(id).hidden = !f;
  if (!f) {
    $("state").textContent = "No film is here.";
    for (const id of ["latest", "owners", "failures"]) $(id).hidden = true;
    return;
  }
  if (f.id !== film) choose(f.id);
  $("title").textContent = f.name;
  document.title = `${Math.floor((100 * f.done) / f.frames)} % ${f.name}`;
  $("state").textContent = f.state + (f.shared ? ", each frame by all nodes" : "");
  $("progress").value = (f.done + f.failed) / f.frames;
  $("figures").replaceChildren(...figures(f));
  $("frames-title").textContent = `Frames: ${f.done} drawn, ${f.failed} failed, ${f.frames - f.done - f.failed} waiting`;
  $("failures").hidden = f.failures.length === 0;
  $("failure-rows").replaceChildren(...f.failures.map((x) => row(`${x.frame}`, x.node, x.error)));
  showOwners(latest.owners[f.id]);
  showPicture(f);
}

// choose shows another film.
function choose(id) {
  film = id;
  chosen = -1;
  load();
}

// load asks for the states of all frames. What comes meanwhile is applied after.
async function load() {
  const mine = ++generation;
  early = [];
  try {
    const answer = await fetch(`films/${encodeURIComponent(film)}/frames`);
    if (!answer.ok) throw new Error(answer.statusText);
    const states = await answer.text();
    if (mine !== generation) return;
    grid.reset(film, states);
    for (const c of early) grid.set(c.frame, c.state);
    early = null;
  } catch {
    setTimeout(() => mine === generation && load(), 1000);
  }
}

function take(news) {
  latest = news;
  const before = film;
  show();
  if (news.again && film && film === before) load();
  for (const c of news.frames) {
    if (c.film !== film) continue;
    if (early) early.push(c);
    else grid.set(c.frame, c.state);
  }
}

$("choice").addEventListener("change", (e) => {
  choose(e.target.value);
  show();
});

const events = new EventSource("events");
events.addEventListener("message", (e) => take(JSON.parse(e.data)));
events.addEventListener("error", () => {
  const over = latest?.films.find((f) => f.id === film)?.state === "finished";
  $("state").textContent = over ? "finished; the command has ended" : "Not connected: the command has ended, or is out of reach.";
});
