package view

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"

	"lockstep/internal/testbrowser"
	"lockstep/render/jpeg"
)

// painter is a script that decodes two pictures at once and paints both. It returns the number of parts of each, the
// number of frames that were not closed, the size of the canvas, and the largest difference of the first picture's
// pixels from a gradient of colours.
const painter = `window.painted = async (name, files) => {
	const { decode, paint } = await import("./decode.js?" + name);
	const bytes = () => files.map((f) => Uint8Array.fromBase64(f));
	const first = decode(bytes()), second = decode(bytes());
	const canvas = document.createElement("canvas"), parts = await first;
	paint(canvas, parts);
	const { width, height } = canvas, { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
	let worst = 0;
	for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) {
		[x * 255 / width, y * 255 / height, 255 - x * 255 / width, 255].forEach((v, i) => {
			worst = Math.max(worst, Math.abs(data[4 * (y * width + x) + i] - v));
		});
	}
	const others = await second, count = others.length;
	paint(canvas, others);
	return [parts.length, count, window.left ?? 0, width, height, Math.round(worst)].join(" ");
}`

// badFile is a script that makes ImageDecoder fail for the second file, and counts the frames that are not closed.
const badFile = `window.left = 0;
	let files = 0;
	const close = VideoFrame.prototype.close;
	VideoFrame.prototype.close = function () { window.left--; close.call(this); };
	window.ImageDecoder = class extends window.decoder {
		async decode(o) {
			const decoded = await super.decode(o);
			window.left++;
			if (++files !== 2) return decoded;
			decoded.image.close();
			throw new Error("bad");
		}
	}`

// pageDecodes paints movements of one file and of several files. It does so with ImageDecoder, after ImageDecoder has
// failed for a file, in browsers without ImageDecoder, and in browsers in which ImageDecoder works only in part.
func pageDecodes(t *testing.T, browser context.Context) {
	b := opened(t, browser, started(t, func(o *Options) { o.Policy = "never" }), "Multiple readback operations")
	b.moveLarge()
	testbrowser.Run(b.ctx, t, "painter", chromedp.Evaluate[chromedp.Void](painter))
	for _, c := range []struct {
		name, before         string
		width, height, parts int
		second               int // number of parts of the second picture
	}{
		{"direct", `window.decoder = ImageDecoder`, 1279, 401, 1, 1},
		{"again", ``, 65, 47, 1, 1},
		{"bad", badFile, 1279, 401, 2, 1},
		{"none", `delete window.ImageDecoder`, 1279, 401, 2, 2},
		{"half", `window.ImageDecoder = class extends window.decoder { async decode(o) { const { image } = await super.decode(o); window.left++; image.allocationSize = () => 7; return { image }; } }`, 1279, 401, 2, 2},
	} {
		pix := make([]byte, 0, 4*c.width*c.height)
		for y := range c.height {
			for x := range c.width {
				red := 255 * x / c.width
				pix = append(pix, byte(red), byte(255*y/c.height), byte(255-red), 255)
			}
		}
		var f pictureFiles
		var e jpeg.Encoder
		testbrowser.Must(t, e.EncodeRGBA(&f, pix, 4*c.width, c.width, c.height, &jpeg.Options{Quality: 95, Rows: fileRows(c.width)}))
		var list [][]byte
		for _, n := range f.lengths {
			list = append(list, f.data[:n])
			f.data = f.data[n:]
		}
		text, err := json.Marshal(list)
		testbrowser.Must(t, err)
		b.do(c.before, `true`)
		b.do(fmt.Sprintf(`window.result = ""; window.painted(%q, %s).then((r) => { window.result = r }, (e) => { window.result = String(e) })`, c.name, text), `window.result !== ""`)
		got, worst := b.text("window.result"), 0
		want := fmt.Sprintf("%d %d 0 %d %d ", c.parts, c.second, c.width, c.height)
		if n, err := fmt.Sscanf(got, want+"%d", &worst); n != 1 || err != nil || worst > 8 {
			t.Errorf("%s: parts, frames left open, size and difference are %q, want %s and at most 8", c.name, got, want)
		}
	}
}

// moveLarge turns a mesh in a page whose movements have several files. The last movement must resemble the still
// picture after it, without the shadow below the mesh, which is switched off.
func (b *tab) moveLarge() {
	testbrowser.Run(b.ctx, b.t, "large", chromedp.EmulateViewport(1290, 700))
	b.do(`document.querySelector("#ground").click()`, stands+` && document.querySelector("#stage").height === 700`)
	b.do(`const stage = document.querySelector("#stage"), pixels = () => stage.getContext("2d").getImageData(0, 0, stage.width, stage.height).data;
		let moved = null;
		const watch = new MutationObserver(() => {
			const shown = document.body.dataset.shown ?? "";
			if (shown.startsWith("0:")) moved = pixels();
			if (!moved || !shown.startsWith("1:")) return;
			watch.disconnect();
			const still = pixels();
			window.unlike = still.length === moved.length ? still.filter((v, i) => Math.abs(v - moved[i]) > 30).length : -1;
		});
		watch.observe(document.body, { attributes: true });
		document.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowLeft", bubbles: true }))`, `window.unlike !== undefined`)
	if n := testbrowser.Value[int](b.ctx, b.t, "window.unlike"); n < 0 || n > 2000 {
		b.t.Errorf("%d numbers of a movement are unlike those of the picture that stands", n)
	}
}
