// Pictures that arrive are decoded and painted.

let direct = "ImageDecoder" in window; // decode JPEG without blobs and bitmaps, in a third of the time
let decoding = Promise.resolve(); // movements share the memory of their pixels, so they are decoded one after the other
let pixels = null;

// decode returns the parts of a picture, one below the other. They may be painted until the next picture is decoded.
export function decode(files) {
  if (files[0][0] !== 0xff) return bitmaps(files, "image/png");
  const decoded = decoding.then(() => (direct ? frames(files) : bitmaps(files, "image/jpeg")));
  decoding = decoded.catch(() => {});
  return decoded;
}

// bitmaps is for every browser.
const bitmaps = (files, type) => Promise.all(files.map((f) => createImageBitmap(new Blob([f], { type }))));

// frames has the browser decode into memory that is used again: fresh memory takes longer than decoding.
async function frames(files) {
  const parts = await Promise.allSettled(files.map(frame)); // all of them, because each frame must be closed
  const list = parts.filter((p) => p.status === "fulfilled").map((p) => p.value);
  try {
    if (list.length === files.length) {
      const width = list[0].displayWidth, heights = list.map((f) => f.displayHeight);
      const height = heights.reduce((a, b) => a + b);
      if (pixels?.width !== width || pixels.height !== height) pixels = new ImageData(width, height);
      let at = 0;
      const copied = await Promise.allSettled(list.map(async (f, i) => {
        const part = pixels.data.subarray(at, (at += 4 * width * heights[i])), format = { format: "RGBA" };
        if (f.displayWidth !== width) throw new Error("parts of other widths");
        direct &&= f.allocationSize(format) === part.length; // an older browser converts none
        if (!direct) throw new Error("no conversion");
        await f.copyTo(part, format);
      }));
      if (copied.every((p) => p.status === "fulfilled")) return [pixels];
    }
  } catch {
    // Bitmaps may do, or say what is wrong.
  } finally {
    for (const f of list) f.close();
  }
  return bitmaps(files, "image/jpeg");
}

async function frame(data) {
  const decoder = new ImageDecoder({ data, type: "image/jpeg" });
  try {
    return (await decoder.decode()).image;
  } finally {
    decoder.close();
  }
}

// paint makes the canvas as large as the picture. The style sheet gives the canvas its size on the page.
export function paint(stage, parts) {
  const context = stage.getContext("2d"), { width } = parts[0];
  const height = parts.reduce((sum, p) => sum + p.height, 0);
  if (stage.width !== width || stage.height !== height) [stage.width, stage.height] = [width, height];
  let y = 0;
  for (const p of parts) {
    if (p instanceof ImageData) context.putImageData(p, 0, y);
    else {
      context.clearRect(0, y, width, p.height);
      context.drawImage(p, 0, y);
    }
    y += p.height;
  }
  drop(parts);
}

// drop frees the memory of a picture.
export const drop = (parts) => parts.forEach((p) => p.close?.());
