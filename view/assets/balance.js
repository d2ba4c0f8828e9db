// How movements are balanced: among the workers, among the lanes of one, and from one movement to the next.

import { $, element, page } from "./page.js";
import { heat, listen } from "./server.js";

const colors = ["#7a8794", "#3b82f6", "#f59e0b", "#10b981", "#a855f7", "#ef4444"]; // of stages
const levels = ["4 samples a pixel", "1 sample", "without occlusion", "half the size", "a third of the size"];
const shades = ["#0d9488", "#3b82f6", "#6366f1", "#d946ef", "#ef4444"]; // of levels

const box = $("balancebox");
box.addEventListener("toggle", () => { page.panel = box.open; });
$("heat").addEventListener("click", heat);

// svg makes an element of a drawing.
function svg(name, attributes, title) {
  const e = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
  if (title) e.append(Object.assign(document.createElementNS("http://www.w3.org/2000/svg", "title"), { textContent: title }));
  return e;
}

// workers draws a bar for each worker, of the times of its stages.
function workers(m) {
  const rows = m.workers.slice(0, 32), sums = rows.map((w) => w.reduce((a, b) => a + b, 0)), most = Math.max(m.frame, ...sums, 1e-3);
  const bars = rows.flatMap((times, k) => {
    let x = 0;
    return times.map((t, i) => {
      const bar = svg("rect", { x, y: k * 12 + 1, width: (t / most) * 200, height: 10, fill: colors[i] }, `Worker ${k + 1}, ${m.stages[i]}: ${t.toFixed(2)} ms`);
      x += (t / most) * 200;
      return bar;
    });
  });
  const drawing = $("workers");
  drawing.setAttribute("viewBox", `0 0 200 ${Math.max(rows.length, 1) * 12}`);
  drawing.replaceChildren(...bars);
  drawing.setAttribute("aria-label", `Times of the workers in milliseconds: ${sums.map((s) => s.toFixed(1)).join(", ")}; the picture took ${m.frame.toFixed(1)}`);
  $("stages").replaceChildren(...m.stages.map((name, i) => {
    const mean = m.workers.reduce((a, w) => a + w[i], 0) / m.workers.length;
    const key = element("i");
    key.style.background = colors[i];
    return element("span", {}, key, `${name} ${mean.toFixed(1)} ms`);
  }));
}

// lanes draws how many lanes had work, without balancing and with it.
function lanes([after, before]) {
  const drawing = $("lanes"), bar = (use, y, label) => [
    svg("rect", { x: 0, y, width: 200, height: 10, fill: "var(--line)" }),
    svg("rect", { x: 0, y, width: 200 * use, height: 10, fill: "var(--accent)" }, `${label}: ${(100 * use).toFixed(0)} %`),
  ];
  drawing.replaceChildren(...bar(before, 1, "Without balancing"), ...bar(after, 13, "With balancing"));
  $("lanewords").textContent = `Lanes with work: ${(100 * before).toFixed(0)} % without balancing, ${(100 * after).toFixed(0)} % with it`;
}

// trips draws the last movements as the controller sees them: how long each took, and how fine the next one is drawn.
function trips(m) {
  const most = Math.max(2 * m.wanted, ...m.trips), high = (t) => (t / most) * 58;
  $("control").replaceChildren(
    ...m.trips.map((t, i) => svg("rect", { x: i * 2, y: 60 - high(t), width: 1.6, height: high(t), fill: shades[m.levels[i]] }, `${t} ms, ${levels[m.levels[i]]}`)),
    svg("line", { x1: 0, x2: 200, y1: 60 - high(m.wanted), y2: 60 - high(m.wanted) }),
  );
  const now = m.levels.at(-1);
  const changes = m.levels.filter((l, i) => i && l !== m.levels[i - 1]).length;
  $("controlwords").textContent = `${m.rule}: ${m.decision}\n${now === undefined ? "" : `Now drawn: ${levels[now]}; ${changes} change${changes === 1 ? "" : "s"} in ${m.trips.length} movements, ${m.trips.filter((t) => t > m.wanted).length} of them late (over ${m.wanted} ms)`}`;
}

listen("balance", (m) => {
  if (!box.open) return;
  workers(m);
  lanes(m.laneUse);
  trips(m);
  $("decisions").replaceChildren(...m.words.map((textContent) => element("li", { textContent })));
  box.dataset.of = m.seq;
});
