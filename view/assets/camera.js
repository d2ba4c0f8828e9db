// Cameras: an eye, a target, a direction that is up, and either an angle or a height.

export const add = (a, b) => a.map((v, i) => v + b[i]);
export const sub = (a, b) => a.map((v, i) => v - b[i]);
export const scale = (a, s) => a.map((v) => v * s);
export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
export const length = (a) => Math.hypot(...a);
export const unit = (a) => scale(a, 1 / (length(a) || 1));

const rotate = (v, axis, angle) => {
  const c = Math.cos(angle), s = Math.sin(angle);
  return add(add(scale(v, c), scale(cross(axis, v), s)), scale(axis, dot(axis, v) * (1 - c)));
};

export class Camera {
  constructor(state, up) {
    this.set(state);
    this.up = up; // that of the mesh
  }

  set({ eye, target, upward, fov, height }) {
    this.eye = eye;
    this.target = target;
    this.upward = unit(upward);
    this.fov = fov || this.fov || 30;
    this.parallel = fov === 0;
    this.height = height;
  }

  get axes() {
    const forward = unit(sub(this.target, this.eye));
    const right = unit(cross(forward, this.upward));
    return { forward, right, up: cross(right, forward) };
  }

  get distance() { return length(sub(this.target, this.eye)); }

  // span is the height of what the picture shows at the target.
  get span() { return this.parallel ? this.height : 2 * this.distance * Math.tan((this.fov * Math.PI) / 360); }

  // turn goes around the target: about the mesh's own up axis, and towards the pole, which it does not pass.
  turn(dx, dy) {
    const before = this.axes;
    const steep = dot(before.forward, this.up);
    let tilt = dy;
    const angle = Math.asin(Math.max(-1, Math.min(1, steep))); // of the view below the horizon, negative from above
    const most = Math.PI / 2 - 1e-3;
    tilt = Math.max(-most - angle, Math.min(most - angle, tilt));
    const around = (v) => rotate(rotate(v, before.right, tilt), this.up, dx);
    this.eye = add(this.target, around(sub(this.eye, this.target)));
    this.upward = unit(around(before.up));
  }

  // move shifts eye and target by parts of the picture's height.
  move(dx, dy) {
    const { right, up } = this.axes;
    const by = add(scale(right, -dx * this.span), scale(up, dy * this.span));
    this.eye = add(this.eye, by);
    this.target = add(this.target, by);
  }

  // zoom keeps what lies under a place, in heights of the picture from its middle to the right and down.
  zoom(factor, x = 0, y = 0) {
    const before = this.span;
    if (this.parallel) this.height = before / factor;
    else this.eye = add(this.target, scale(sub(this.eye, this.target), 1 / factor));
    const gone = (before - this.span) / this.span;
    this.move(-x * gone, -y * gone);
  }

  // swap changes between perspective and a parallel view of the same size at the target.
  swap() {
    const span = this.span;
    this.parallel = !this.parallel;
    if (this.parallel) this.height = span;
    else this.eye = sub(this.target, scale(this.axes.forward, span / 2 / Math.tan((this.fov * Math.PI) / 360)));
  }

  // project returns where a point lies on a picture, or null behind the eye.
  project(point, width, height) {
    const { forward, right, up } = this.axes;
    const d = sub(point, this.eye);
    const depth = dot(d, forward);
    if (!this.parallel && depth <= 0) return null;
    const perUnit = height / (this.parallel ? this.height : 2 * depth * Math.tan((this.fov * Math.PI) / 360));
    return [width / 2 + dot(d, right) * perUnit, height / 2 - dot(d, up) * perUnit];
  }

  // state is the camera as a recipe has it.
  state() {
    const list = (v) => v.map((x) => Number(x.toPrecision(12)));
    const s = { eye: list(this.eye), target: list(this.target), upward: list(this.upward) };
    if (this.parallel) {
      s.projection = "orthographic";
      s.height = Number(this.height.toPrecision(12));
    } else s.fov = Number(this.fov.toPrecision(12));
    return s;
  }
}
