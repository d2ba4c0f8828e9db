// The tree of parts: shown or hidden, alone, in a colour.

import { $, digits, element, group, page } from "./page.js";
import { changed } from "./server.js";

const mostRows = 500;
const open = new Set(); // keys of groups that are unfolded

// stem is the name of a part without the number behind it: parts of one stem are one group.
const stem = (name) => name.replace(/[\s._-]*\d+$/, "") || name;

// tree groups parts by the folders in their names, and then by their stems.
function tree(items, depth = 0) {
  const groups = new Map();
  for (const item of items) {
    const folders = item.name.split("/");
    const key = folders.length > depth + 1 ? folders[depth] : stem(folders.at(-1));
    groups.set(key, [...(groups.get(key) ?? []), item]);
  }
  return [...groups].flatMap(([key, of]) => {
    if (of.length === 1) return [{ name: of[0].name.split("/").slice(depth).join("/"), items: of }];
    const deeper = of.some((i) => i.name.split("/").length > depth + 1);
    const children = deeper ? tree(of, depth + 1) : of.map((i) => ({ name: i.name.split("/").at(-1), items: [i] }));
    return groups.size === 1 ? children : [{ name: key, items: of, children }];
  });
}

// shownParts returns the numbers of the parts that are shown.
function shownParts() {
  const { hide = [], only = [] } = page.recipe.parts ?? {};
  const meant = (list, p, i) => list.includes(String(i)) || list.includes(p.name);
  return new Set(page.mesh.parts.flatMap((p, i) => ((!only.length || meant(only, p, i)) && !meant(hide, p, i) ? [i] : [])));
}

// show has these parts be shown: by the shorter list of those that are or are not.
function show(shown) {
  const all = page.mesh.parts.map((_, i) => i), parts = group("parts");
  const hidden = all.filter((i) => !shown.has(i));
  delete parts.hide;
  delete parts.only;
  if (hidden.length <= shown.size || page.mesh.allParts > all.length) parts.hide = hidden.map(String);
  else parts.only = [...shown].map(String);
  redraw();
}

function redraw() {
  parts();
  changed();
}

function paint(items, color) {
  const numbers = new Set(items.map((i) => String(i.number)));
  const others = (group("parts").colors ?? []).filter((c) => !numbers.has(c.slice(0, c.lastIndexOf("="))));
  group("parts").colors = [...others, ...(color ? [...numbers].map((n) => `${n}=${color.slice(1)}`) : [])];
  redraw();
}

// row is a node of the tree.
function row(node, shown, key) {
  const seen = node.items.filter((i) => shown.has(i.number)).length, name = node.name || "unnamed";
  const box = element("input", { type: "checkbox", checked: seen > 0, indeterminate: seen > 0 && seen < node.items.length });
  box.addEventListener("change", () => {
    for (const i of node.items) box.checked ? shown.add(i.number) : shown.delete(i.number);
    if (shown.size) show(shown);
    else box.checked = true; // something stays
  });
  const alone = element("button", { textContent: "Only", ariaLabel: `Show only ${name}`, className: "small" });
  alone.addEventListener("click", () => show(new Set(node.items.map((i) => i.number))));
  const own = page.recipe.parts?.colors?.find((c) => c.startsWith(`${node.items[0].number}=`));
  const color = element("input", { type: "color", value: own ? `#${own.slice(own.lastIndexOf("=") + 1)}` : "#cccccc", ariaLabel: `Colour of ${name}`, title: "Colour; Delete takes it back" });
  color.addEventListener("change", () => paint(node.items, color.value));
  color.addEventListener("keydown", (e) => { if (e.key === "Delete") paint(node.items, ""); });
  const size = node.children ? `${node.items.length} parts` : node.items[0].area === null ? `${node.items[0].triangles.toLocaleString("en")} triangles` : `area ${digits(node.items[0].area, 4)}`;
  const line = element("div", { className: "part" }, element("label", { className: "line" }, box, element("span", { textContent: name })), element("small", { textContent: size }), color, alone);
  const item = element("li", {}, line);
  if (node.children) {
    const fold = element("details", { open: open.has(key) }, element("summary", { textContent: `Parts of ${name}` }), list(node.children, shown, key));
    fold.addEventListener("toggle", () => { fold.open ? open.add(key) : open.delete(key); });
    item.append(fold);
  }
  return item;
}

const list = (nodes, shown, key) => element("ul", {}, ...nodes.slice(0, mostRows).map((n) => row(n, shown, `${key}/${n.name}`)));

export function parts() {
  const { mesh } = page;
  $("partbox").hidden = mesh.parts.length < 2;
  if (mesh.parts.length < 2) return;
  const items = mesh.parts.map((p, number) => ({ ...p, name: p.name || `part ${number}`, number }));
  $("parts").replaceChildren(...list(tree(items), shownParts(), "").children);
  const listed = Math.min(mesh.parts.length, mesh.allParts);
  $("moreparts").textContent = mesh.allParts > listed ? `The first ${listed} of ${mesh.allParts} parts` : "";
}
$("allparts").addEventListener("click", () => { delete page.recipe.parts; redraw(); });
