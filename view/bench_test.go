package view

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"

	"lockstep/internal/testbrowser"
	"lockstep/render/recipe"
)

// BenchmarkDrag turns a mesh for four seconds in a browser of 1280x720 on this machine. It reports how many pictures
// per second were shown, the median round-trip time, and the time from the last movement to the still picture.
func BenchmarkDrag(b *testing.B) {
	moved(b, []string{"70k", "1M", "10M"}, `const stage = document.querySelector("#stage"), box = stage.getBoundingClientRect();
		const send = (type, k) => stage.dispatchEvent(new PointerEvent(type, {pointerId: 1, buttons: 1, clientX: box.left + 300 + 200 * Math.sin(k / 40), clientY: box.top + 300 + 50 * Math.cos(k / 30), bubbles: true}));`)
}

// BenchmarkSlide does the same as BenchmarkDrag, but moves the slider of a section.
func BenchmarkSlide(b *testing.B) {
	moved(b, []string{"70k", "1M"}, `const slider = document.querySelector(".cut input[type=range]");
		const [low, high] = [Number(slider.min), Number(slider.max)];
		const send = (type, k) => { slider.value = low + (high - low) * (0.5 + 0.3 * Math.sin(k / 40)); slider.dispatchEvent(new Event(type === "pointerup" ? "change" : "input")); };`)
}

// moved measures movements that a script makes. The script defines a function `send`, which gets the type of a
// pointer event and a number.
func moved(b *testing.B, sizes []string, script string) {
	for _, triangles := range sizes {
		b.Run(triangles, func(b *testing.B) {
			ctx, _ := testbrowser.New(b)
			s, err := Start(Options{Meshes: []recipe.Mesh{{File: "scene:bumpy?triangles=" + triangles}}, Listen: "127.0.0.1:0"})
			testbrowser.Must(b, err)
			defer s.Close()
			testbrowser.Run(ctx, b, "begun", chromedp.EmulateViewport(1570, 720), chromedp.Navigate(s.URL()), testbrowser.Wait(stands))
			for range b.N {
				testbrowser.Run(ctx, b, "drag", chromedp.Evaluate[chromedp.Void](`window.dragged = ""; (() => {`+script+watched), testbrowser.Wait(`window.dragged !== ""`))
				var fps, median, still float64
				if _, err := fmt.Sscan(testbrowser.Value[string](ctx, b, `window.dragged`), &fps, &median, &still); err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(fps, "pictures/s")
				b.ReportMetric(median, "ms/trip")
				b.ReportMetric(still, "ms/still")
			}
		})
	}
}

// watched is a script that moves the mesh in every frame of the browser, and records when pictures arrive.
const watched = `
	const trips = [];
	let last = 0, ended = 0;
	const began = performance.now();
	const watch = new MutationObserver(() => {
		const shown = document.body.dataset.shown ?? "";
		if (shown.startsWith("0:") && !ended) trips.push(parseFloat(shown.split(":")[2]));
		if (shown.startsWith("1:") && ended) {
			watch.disconnect();
			trips.sort((a, b) => a - b);
			window.dragged = [trips.length / ((ended - began) / 1000), trips[trips.length >> 1] ?? 0, performance.now() - ended].join(" ");
		}
	});
	watch.observe(document.body, {attributes: true});
	send("pointerdown", 0);
	const step = (now) => {
		send("pointermove", ++last);
		if (now - began < 4000) return requestAnimationFrame(step);
		send("pointerup", last);
		ended = performance.now();
	};
	requestAnimationFrame(step);
})()`
