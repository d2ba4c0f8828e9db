// The grid of a film's frames. A film of many frames has several in a cell, which shows how
// many of them are done and the first picture.

const mostCells = 400;

export class Grid {
  constructor(box, choose) {
    this.box = box;
    this.choose = choose;
    this.wanted = []; // cells whose thumbnail is to be loaded, the latest last
    this.loading = false;
    this.seen = new IntersectionObserver((entries) => this.scrolled(entries), { rootMargin: "200px" });
  }

  // reset shows another film, or the same one anew: states has a letter for every frame.
  reset(film, states) {
    this.film = film;
    this.states = [...states];
    this.per = Math.ceil(this.states.length / mostCells);
    this.wanted = [];
    this.seen.disconnect();
    this.cells = [];
    for (let first = 0; first < this.states.length; first += this.per) {
      this.cells.push(this.newCell(first, Math.min(first + this.per, this.states.length)));
    }
    this.box.replaceChildren(...this.cells.map((c) => c.button));
    for (const c of this.cells) {
      this.draw(c);
      this.seen.observe(c.button);
    }
  }

  newCell(first, end) {
    const button = document.createElement("button");
    const label = document.createElement("span");
    const bar = document.createElement("i");
    label.textContent = end - first > 1 ? `${first}-${end - 1}` : `${first}`;
    button.className = "cell";
    button.type = "button";
    button.append(label, bar);
    const cell = { first, end, button, bar, image: null, visible: false };
    button.addEventListener("click", () => {
      const k = this.firstDone(cell);
      if (k >= 0) this.choose(k);
    });
    button.cell = cell;
    return cell;
  }

  firstDone(cell) {
    for (let k = cell.first; k < cell.end; k++) if (this.states[k] === "d") return k;
    return -1;
  }

  // set notes the state of a frame.
  set(frame, state) {
    if (frame >= this.states.length) return;
    this.states[frame] = state;
    this.draw(this.cells[Math.floor(frame / this.per)]);
  }

  draw(cell) {
    let done = 0, failed = 0;
    for (let k = cell.first; k < cell.end; k++) {
      if (this.states[k] === "d") done++;
      if (this.states[k] === "f") failed++;
    }
    const n = cell.end - cell.first;
    cell.button.classList.toggle("failed", failed > 0);
    cell.button.classList.toggle("done", failed === 0 && done === n);
    cell.bar.style.width = n > 1 ? `${(100 * done) / n}%` : "0";
    cell.button.title = n > 1 ? `${done} of ${n} drawn, ${failed} failed` : { d: "drawn", f: "failed" }[this.states[cell.first]] ?? "waiting";
    if (done > 0) this.want(cell);
  }

  scrolled(entries) {
    for (const e of entries) {
      e.target.cell.visible = e.isIntersecting;
      if (e.isIntersecting) this.want(e.target.cell);
    }
  }

  // want asks for a thumbnail, one after the other: the server makes few a second.
  want(cell) {
    if (cell.image || !cell.visible || this.firstDone(cell) < 0) return;
    if (!this.wanted.includes(cell)) this.wanted.push(cell);
    this.load();
  }

  load() {
    while (!this.loading && this.wanted.length > 0) {
      const cell = this.wanted.shift();
      if (cell.image || !cell.visible) continue;
      this.loading = true;
      const image = new Image();
      const film = this.film;
      cell.image = image;
      const next = (ok) => {
        this.loading = false;
        if (ok && film === this.film) cell.button.prepend(image);
        this.load();
      };
      image.alt = "";
      image.addEventListener("load", () => next(true));
      image.addEventListener("error", () => next(false));
      image.src = `films/${encodeURIComponent(film)}/frames/${this.firstDone(cell)}/thumbnail`;
    }
  }
}
