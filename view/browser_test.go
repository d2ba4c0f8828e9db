package view

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"lockstep/internal/clitest"
	"lockstep/internal/testbrowser"
	"lockstep/render/recipe"
)

// started returns a viewer of a cube and a knot.
func started(t *testing.T, change func(o *Options)) *Server {
	t.Helper()
	_, cube := clitest.CubeFile(t)
	o := Options{Meshes: []recipe.Mesh{{File: cube}, {File: "scene:knot?triangles=3000"}}, Listen: "127.0.0.1:0"}
	if change != nil {
		change(&o)
	}
	s, err := Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// stands is a script that returns true if the page shows a still picture.
const stands = `document.body.dataset.shown?.startsWith("1:")`

// TestBrowser turns, cuts, measures and saves in a browser.
func TestBrowser(t *testing.T) {
	ctx, complaints := testbrowser.New(t)
	s := started(t, nil)
	testbrowser.Run(ctx, t, "view", chromedp.EmulateViewport(760, 420), chromedp.Navigate(s.URL()), testbrowser.Wait(stands),
		testbrowser.Wait(`document.querySelector("#about").innerText.startsWith("12 triangles, ")`))
	pixels := func() string {
		return testbrowser.Value[string](ctx, t, `document.querySelector("#stage").toDataURL()`)
	}
	before := pixels()
	press := func(key, until string) {
		t.Helper()
		testbrowser.Run(ctx, t, "key", chromedp.Evaluate[chromedp.Void](`delete document.body.dataset.shown; document.dispatchEvent(new KeyboardEvent("keydown", {key: "`+key+`", bubbles: true}))`))
		testbrowser.Run(ctx, t, "key "+key, testbrowser.Wait(until))
	}
	press("ArrowLeft", stands)
	if pixels() == before {
		t.Error("an arrow turns nothing")
	}
	press("1", stands)
	testbrowser.Run(ctx, t, "cut", chromedp.Evaluate[chromedp.Void](`delete document.body.dataset.shown; document.querySelector("#cut-z").click()`), testbrowser.Wait(stands))
	before = pixels()
	testbrowser.Run(ctx, t, "slide", chromedp.Evaluate[chromedp.Void](`delete document.body.dataset.shown; const r = document.querySelectorAll(".cut input[type=range]")[2]; r.value = -6; r.dispatchEvent(new Event("input"))`), testbrowser.Wait(stands))
	if pixels() == before {
		t.Error("the section does not move")
	}
	// The command draws the same picture, so it contains the section.
	testbrowser.Run(ctx, t, "copy", chromedp.Evaluate[chromedp.Void](`document.querySelector("#copy").click()`), testbrowser.Wait(`document.querySelector("#command").innerText.includes("--section")`))
	if command := testbrowser.Value[string](ctx, t, `document.querySelector("#command").innerText`); !strings.Contains(command, "'--section=z<-6'") {
		t.Error(command)
	}
	testbrowser.Run(ctx, t, "measure", chromedp.Evaluate[chromedp.Void](`document.querySelector("#measure").click()`))
	for _, at := range []string{"0.5", "0.55"} {
		testbrowser.Run(ctx, t, "pick", chromedp.Evaluate[chromedp.Void](`{ const b = document.querySelector("#stage"), r = b.getBoundingClientRect(); document.querySelector("#corners").checked = false;
			for (const type of ["pointerdown", "pointerup"]) b.dispatchEvent(new PointerEvent(type, {pointerId: 1, clientX: r.left + r.width * `+at+`, clientY: r.top + r.height * 0.78, bubbles: true})) }`))
	}
	testbrowser.Run(ctx, t, "measured", testbrowser.Wait(`document.querySelector("#measured").innerText.includes("Distance") && document.querySelector("#task").innerText.includes("click a third point on it")`))
	// A third point on the cut defines a plane. It cuts the mesh in addition to the slider's section, and stays when the
	// slider moves.
	press("9", stands)
	before = pixels()
	testbrowser.Run(ctx, t, "third", chromedp.Evaluate[chromedp.Void](`{ const b = document.querySelector("#stage"), r = b.getBoundingClientRect();
			for (const type of ["pointerdown", "pointerup"]) b.dispatchEvent(new PointerEvent(type, {pointerId: 1, clientX: r.left + r.width * 0.5, clientY: r.top + r.height * 0.55, bubbles: true})) }`),
		testbrowser.Wait(`document.querySelector("#measured").innerText.includes("Angle")`))
	testbrowser.Run(ctx, t, "plane", chromedp.Evaluate[chromedp.Void](`delete document.body.dataset.shown; document.querySelector("#through").click()`),
		testbrowser.Wait(`document.querySelector("[aria-label='Flip plane 1']") && `+stands))
	if pixels() == before {
		t.Error("the plane cuts nothing")
	}
	testbrowser.Run(ctx, t, "both", chromedp.Evaluate[chromedp.Void](`delete document.body.dataset.shown; { const r = document.querySelectorAll(".cut input[type=range]")[2]; r.value = 8; r.dispatchEvent(new Event("input")) }
		document.querySelector("#command").innerText = ""; document.querySelector("#copy").click()`), testbrowser.Wait(`document.querySelector("#command").innerText.includes("--section")`))
	if command := testbrowser.Value[string](ctx, t, `document.querySelector("#command").innerText`); strings.Count(command, "--section") != 2 {
		t.Error(command)
	}
	testbrowser.Run(ctx, t, "remove", chromedp.Evaluate[chromedp.Void](`document.querySelector("[aria-label='Remove plane 1']").click()`),
		testbrowser.Wait(`!document.querySelector("[aria-label='Flip plane 1']") && `+stands))
	press("Escape", `document.querySelector("#task").hidden`)
	testbrowser.Run(ctx, t, "save", chromedp.Evaluate[chromedp.Void](`document.querySelector("#save").click()`), testbrowser.Wait(`/^Saved .*[.]png, \d+x\d+ /.test(document.querySelector("#done").innerText)`))
	press("PageDown", `document.querySelector("#name").innerText.startsWith("scene:knot") && `+stands)
	if wrong := complaints.All(); len(wrong) > 0 {
		t.Errorf("the browser says %q", wrong)
	}
	if text := testbrowser.Value[string](ctx, t, `document.querySelector("#said").innerText`); text != "" {
		t.Errorf("the page says %q", text)
	}
}

// post sends a request and returns the response.
func post(t *testing.T, s *Server, path string, r request) (*http.Response, []byte) {
	t.Helper()
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.Post(s.URL()+path, "application/json", bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var body bytes.Buffer
	if _, err := body.ReadFrom(answer.Body); err != nil {
		t.Fatal(err)
	}
	return answer, body.Bytes()
}
