package view

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"lockstep/internal/clitest"
	"lockstep/internal/testbrowser"
)

// A tab is a tab of a browser with a viewer's page.
type tab struct {
	t   *testing.T
	ctx context.Context
}

// TestPages opens viewers in tabs of one browser, because a browser takes a second to start.
func TestPages(t *testing.T) {
	browser, _ := testbrowser.New(t)
	for name, test := range map[string]func(t *testing.T, browser context.Context){
		"parts": pageOfParts, "series": pageOfSeries, "diff": pageOfDiff, "drop": pageOfDrop, "restart": pageOfRestart, "balance": pageOfBalance,
		"export": pageOfExport, "decode": pageDecodes, "warns": pageWarns, "keys": pageByKeys, "accessible": pageIsAccessible,
	} {
		t.Run(name, func(t *testing.T) { test(t, browser) })
	}
}

// opened opens a viewer in a tab and waits for a still picture. The tab is small so that tests are fast. At the end of
// the test, the browser must not have complained about anything except `expected`.
func opened(t *testing.T, browser context.Context, s *Server, expected ...string) *tab {
	t.Helper()
	ctx, complaints := testbrowser.Tab(browser, t)
	b := &tab{t, ctx}
	testbrowser.Run(ctx, t, strings.ReplaceAll(t.Name(), "/", " "), chromedp.EmulateViewport(760, 420), chromedp.Navigate(s.URL()), testbrowser.Wait(stands))
	t.Cleanup(func() {
		wrong := complaints.All()
		wrong = slices.DeleteFunc(wrong, func(line string) bool {
			return slices.ContainsFunc(expected, func(words string) bool { return strings.Contains(line, words) })
		})
		if len(wrong) > 0 {
			t.Errorf("the browser says %q", wrong)
		}
	})
	return b
}

// do runs a script and waits until an expression is true.
func (b *tab) do(script, until string) {
	b.t.Helper()
	testbrowser.Run(b.ctx, b.t, strings.NewReplacer("/", " ", "\"", "").Replace(b.t.Name()+" "+until[:min(len(until), 20)]),
		chromedp.Evaluate[chromedp.Void]("delete document.body.dataset.shown; {"+script+"}"), testbrowser.Wait(until))
}

// key presses a key and waits until an expression is true.
func (b *tab) key(key, until string) {
	b.t.Helper()
	b.do(`document.dispatchEvent(new KeyboardEvent("keydown", {key: "`+key+`", bubbles: true}))`, until)
}

func (b *tab) text(of string) string {
	b.t.Helper()
	return testbrowser.Value[string](b.ctx, b.t, of)
}

func (b *tab) pixels() string { return b.text(`document.querySelector("#stage").toDataURL()`) }

// command returns the command line that the page's button copies.
func (b *tab) command() string {
	b.t.Helper()
	testbrowser.Run(b.ctx, b.t, "command", chromedp.Evaluate[chromedp.Void](`document.querySelector("#command").innerText = ""; document.querySelector("#copy").click()`),
		testbrowser.Wait(`document.querySelector("#command").innerText !== ""`))
	return b.text(`document.querySelector("#command").innerText`)
}

// solids returns an STL file of named cubes side by side.
func solids(names ...string) string {
	var b strings.Builder
	for i, name := range names {
		fmt.Fprintf(&b, "solid %s\n", name)
		for _, t := range clitest.Cube([3]float32{float32(3 * i), 0, 0}, 1) {
			b.WriteString("facet normal 0 0 0\nouter loop\n")
			for _, v := range t {
				fmt.Fprintf(&b, "vertex %v %v %v\n", v[0], v[1], v[2])
			}
			b.WriteString("endloop\nendfacet\n")
		}
		fmt.Fprintf(&b, "endsolid %s\n", name)
	}
	return b.String()
}

// pageOfParts hides, isolates and colours parts in the tree. Their names must be shown as text.
func pageOfParts(t *testing.T, browser context.Context) {
	evil := `<img src=x onerror=document.title='evil'>`
	s := started(t, func(o *Options) {
		o.Picture.Look.Samples = 4 // all still pictures have the same quality
		o.Meshes = o.Meshes[:1]
		o.Meshes[0].File = filepath.Join(t.TempDir(), "parts.stl")
		clitest.Write(t, o.Meshes[0].File, solids("bolt_1", "plate", "bolt_2", evil))
	})
	b := opened(t, browser, s)
	if got := b.text(`[...document.querySelectorAll("#parts > li > .part span")].map((e) => e.textContent).join("|")`); got != "bolt|plate|"+evil {
		t.Errorf("the tree has %q", got)
	}
	if got := b.text(`[...document.querySelectorAll("#parts details li span")].map((e) => e.textContent).join("|")`); got != "bolt_1|bolt_2" {
		t.Errorf("the group has %q", got)
	}
	all := b.pixels()
	b.do(`document.querySelector("#partbox").open = true; document.querySelector("#parts > li input").click()`, stands)
	if hidden := b.pixels(); hidden == all {
		t.Error("a group is not hidden")
	}
	if got := b.command(); !strings.Contains(got, "--hide=0") || !strings.Contains(got, "--hide=2") {
		t.Error(got)
	}
	b.do(`document.querySelector("[aria-label='Show only plate']").click()`, stands)
	if got := b.command(); !strings.Contains(got, "--only=1") || strings.Contains(got, "--hide") {
		t.Error(got)
	}
	b.do(`const c = document.querySelector("[aria-label='Colour of plate']"); c.value = "#ff0000"; c.dispatchEvent(new Event("change"))`, stands)
	if got := b.command(); !strings.Contains(got, "--part-color=1=ff0000") {
		t.Error(got)
	}
	b.do(`document.querySelector("#allparts").click()`, stands)
	if b.pixels() != all {
		t.Error("not all is shown again")
	}
	if title := b.text(`document.title`); strings.Contains(title, "evil") {
		t.Error("the name of a part is a part of the page")
	}
}

// pageOfSeries plays several meshes with one camera, stops, and continues step by step.
func pageOfSeries(t *testing.T, browser context.Context) {
	s := started(t, nil)
	b := opened(t, browser, s)
	testbrowser.Run(b.ctx, t, "address", testbrowser.Wait(`location.hash.length > 10`))
	b.do(`window.first = location.hash; document.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowLeft", bubbles: true}))`, `location.hash !== window.first && `+stands)
	camera := `JSON.stringify(JSON.parse(decodeURIComponent(location.hash.slice(1))).camera)`
	before := b.text(camera)
	b.do(`window.names = new Set(); new MutationObserver(() => window.names.add(document.title)).observe(document.querySelector("title"), {childList: true});
		document.querySelector("#play").click()`, `window.names.size === 2`)
	b.key(" ", stands+` && document.querySelector("#play").getAttribute("aria-pressed") === "false"`)
	now := b.text(`document.title`)
	b.key("PageDown", `document.title !== "`+now+`" && `+stands)
	testbrowser.Run(b.ctx, t, "remembered", testbrowser.Wait(`JSON.parse(decodeURIComponent(location.hash.slice(1))).file === Number(document.querySelector("#list").value)`))
	if after := b.text(camera); after != before {
		t.Errorf("the camera was %s, and is %s", before, after)
	}
	sectionStays(b)
}

// sectionStays cuts the cube, which extends from -10 to 10, at a position that is entered as a number. For the knot,
// the position is limited to the size of the knot. For the cube it must be the old position again, even if each mesh
// has its own view.
func sectionStays(b *tab) {
	number := `Number(document.querySelector("[aria-label='The section across x, as a number']").value)`
	if b.text(`document.querySelector("#list").value`) != "0" {
		b.key("PageDown", stands)
	}
	const field = `const n = document.querySelector("[aria-label='The section across x, as a number']"); `
	b.do(field+`n.value = "8.25"; n.dispatchEvent(new Event("input"))`, stands)
	// Invalid text is marked, and then replaced by the number in use.
	if got := b.text(`(() => { ` + field + `n.value = ""; n.dispatchEvent(new Event("input")); const bad = n.ariaInvalid; n.dispatchEvent(new Event("change")); return [bad, n.ariaInvalid, n.value].join() })()`); got != "true,,8.25" {
		b.t.Error(got)
	}
	if at := b.text(`document.querySelector(".cut input[type=range]").value`); !strings.HasPrefix(at, "8.2") {
		b.t.Errorf("the slider is at %s", at)
	}
	for range 2 {
		if got := b.command(); !strings.Contains(got, "'--section=x<8.25'") {
			b.t.Errorf("a number makes the section of %s", got)
		}
		b.key("PageDown", stands+` && document.querySelector("#list").value === "1"`)
		if got := b.command(); !strings.Contains(got, "'--section=x<") || !testbrowser.Value[bool](b.ctx, b.t, number+" > 1 && "+number+" < 8 && document.querySelector('#cut-x').checked") {
			b.t.Errorf("the other mesh is cut at %s by %s", b.text(`String(`+number+`)`), got)
		}
		b.key("PageUp", stands+` && document.querySelector("#list").value === "0"`)
		b.do(`document.querySelector("#keep").click()`, `true`)
	}
}

// pageOfDiff shows the distances of two meshes, and switches between the meshes with one camera.
func pageOfDiff(t *testing.T, browser context.Context) {
	s := started(t, func(o *Options) {
		o.Diff, o.Picture.Look.Samples = true, 4
		o.Meshes[1].File = filepath.Join(t.TempDir(), "larger.stl")
		clitest.Write(t, o.Meshes[1].File, clitest.STL(clitest.Cube([3]float32{0, 0, 0}, 11)))
	})
	b := opened(t, browser, s)
	distances := b.pixels()
	first := b.command()
	if got := first; !strings.Contains(got, "--against") || !strings.Contains(got, "larger.stl") || !strings.Contains(got, "--legend") {
		t.Error(got)
	}
	b.do(`document.querySelector("#measure").click(); const s = document.querySelector("#stage"), r = s.getBoundingClientRect();
		for (const type of ["pointerdown", "pointerup"]) s.dispatchEvent(new PointerEvent(type, {pointerId: 1, clientX: r.left + r.width * 0.45, clientY: r.top + r.height * 0.5, bubbles: true}))`,
		`/distance/.test(document.querySelector("#measured").innerText)`)
	b.key("d", stands)
	plain := b.pixels()
	if plain == distances || strings.Contains(b.command(), "--against") {
		t.Error("distances are not left out")
	}
	b.key("t", `document.title.startsWith("larger.stl") && `+stands)
	other := b.pixels()
	if other == plain {
		t.Error("the other mesh is not shown")
	}
	b.key("t", `!document.title.startsWith("larger.stl") && `+stands)
	if b.pixels() != plain {
		t.Error("the camera moved")
	}
	b.key("d", stands)
	if b.pixels() != distances {
		t.Errorf("there are other distances: %s, before %s", b.command(), first)
	}
}

// pageOfDrop drops a mesh on the page, then a file that is not a mesh, and then a folder.
func pageOfDrop(t *testing.T, browser context.Context) {
	s := started(t, nil)
	b := opened(t, browser, s, "422")
	send := func(name, content, until string) {
		b.do(fmt.Sprintf(`const d = new DataTransfer(); d.items.add(new File([%q], %q)); dispatchEvent(new DragEvent("drop", {dataTransfer: d, cancelable: true}))`, content, name), until)
	}
	name := `<b>one.stl`
	send(name, solids("one", "two", "three"), `document.querySelector("#name").textContent === "`+name+`" && document.querySelector("#about").innerText.startsWith("36 ") && `+stands)
	send("no.stl", "nothing", `document.querySelector("#said").innerText.startsWith("no.stl: ")`)
	if got := b.text(`[...document.querySelector("#list").options].map((o) => o.textContent).join("|")`); !strings.HasSuffix(got, "|"+name) || strings.Contains(got, "no.stl") {
		t.Errorf("the list has %q", got)
	}
	b.dropFolder()
}

// dropFolder drops a folder on a page that already has one dropped mesh. The page must read the meshes of the folder
// and of its subfolders in the order of their names, until it has four meshes. It must report files that are not
// meshes, and skip hidden files.
func (b *tab) dropFolder() {
	b.t.Helper()
	dir := filepath.Join(b.t.TempDir(), "folder")
	for name, text := range map[string]string{
		"10.stl": solids("j"), "2.stl": solids("a", "b"), ".hidden.stl": solids("h"), "notes.txt": "no mesh", "1.stl": "broken", "below/deeper/3.stl": solids("c"), "z.stl": solids("z"),
	} {
		testbrowser.Must(b.t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		clitest.Write(b.t, filepath.Join(dir, name), text)
	}
	data := &input.DragData{Items: []*input.DragDataItem{}, Files: []string{dir}, DragOperationsMask: 1}
	for _, kind := range []input.DispatchDragEventType{input.DispatchDragEventTypeDragEnter, input.DispatchDragEventTypeDragOver, input.DispatchDragEventTypeDrop} {
		_, err := chromedp.Call(b.ctx, input.DispatchDragEvent, input.DispatchDragEventParams{Type: kind, X: 200, Y: 200, Data: data})
		testbrowser.Must(b.t, err)
	}
	b.do("", `document.querySelector("#name").textContent === "2.stl" && `+stands)
	if got := b.text(`[...document.querySelector("#list").options].slice(3).map((o) => o.textContent).join("|")`); got != "2.stl|10.stl|3.stl" {
		b.t.Errorf("the folder has %q", got)
	}
	if got := b.text(`document.querySelector("#said").innerText`); !strings.HasPrefix(got, "1.stl: ") {
		b.t.Errorf("the page says %q", got)
	}
}

// pageOfRestart ends the server and starts it again. The page must continue with its state, without the mesh that was
// dropped.
func pageOfRestart(t *testing.T, browser context.Context) {
	s := started(t, func(o *Options) { o.Picture.Look.Samples = 4 })
	ctx, _ := testbrowser.Tab(browser, t) // the browser complains while there is no server
	b := &tab{t, ctx}
	testbrowser.Run(ctx, t, "begun", chromedp.EmulateViewport(760, 420), chromedp.Navigate(s.URL()), testbrowser.Wait(stands))
	b.key("ArrowLeft", stands)
	turned := b.pixels()
	s.Close()
	testbrowser.Run(ctx, t, "away", testbrowser.Wait(`document.querySelector("#said").innerText.includes("does not answer")`))
	o := s.options
	o.Listen = strings.TrimSuffix(strings.TrimPrefix(s.URL(), "http://"), "/")
	again, err := Start(o)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	b.do("", `document.querySelector("#said").hidden && `+stands)
	if b.pixels() != turned {
		t.Error("the page shows something else after the restart")
	}
	b.do(fmt.Sprintf(`const d = new DataTransfer(); d.items.add(new File([%q], "one.stl")); dispatchEvent(new DragEvent("drop", {dataTransfer: d, cancelable: true}))`, solids("one")),
		`document.title.startsWith("one.stl") && `+stands)
	again.Close()
	third, err := Start(o)
	if err != nil {
		t.Fatal(err)
	}
	defer third.Close()
	b.do("", `!document.title.startsWith("one.stl") && document.querySelector("#said").hidden && `+stands)
}

// pageWarns checks that a missing file to which a mesh refers is a warning, not an error.
func pageWarns(t *testing.T, browser context.Context) {
	mesh := filepath.Join(t.TempDir(), "bare.obj")
	clitest.Write(t, mesh, "mtllib none.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
	b := opened(t, browser, started(t, func(o *Options) { o.Meshes[0].File = mesh }))
	b.do("", `/^Warning: .*none[.]mtl/.test(document.querySelector("#done").innerText) && document.querySelector("#said").hidden`)
}

// pageOfBalance opens the panel of balancing, and shows the heat until something moves.
func pageOfBalance(t *testing.T, browser context.Context) {
	s := started(t, func(o *Options) {
		o.Picture.Look.Samples = 4
		o.Meshes[0].File = "scene:bumpy?triangles=70k"
	})
	b := opened(t, browser, s)
	plain := b.pixels()
	b.do(`document.querySelector("#balancebox").open = true`, `document.querySelector("#balancebox").open`)
	b.key("ArrowLeft", `document.querySelector("#decisions li") && `+stands)
	if got := b.text(`document.querySelector("#lanewords").innerText + document.querySelector("#controlwords").innerText`); !strings.Contains(got, "with it") || !strings.Contains(got, "guard:3:ours") {
		t.Errorf("the panel says %q", got)
	}
	if n := testbrowser.Value[int](b.ctx, t, `document.querySelectorAll("#workers rect").length`); n == 0 || n%len(panelStages) != 0 {
		t.Errorf("%d bars", n)
	}
	b.key("ArrowRight", stands)
	// The fine still picture may still arrive before the heat.
	b.do(fmt.Sprintf(`window.plain = %q; document.querySelector("#heat").scrollIntoView(); document.querySelector("#heat").click()`, plain),
		stands+` && document.querySelector("#stage").toDataURL() !== window.plain`)
	b.key("ArrowLeft", stands)
}

// tabThrough unfolds everything and presses the tab key until the focus is back at the picture. The focus must reach
// all controls and be visible on each control. An arrow key must move the section's slider.
func (b *tab) tabThrough() {
	b.t.Helper()
	b.do(`document.querySelectorAll("aside details").forEach((d) => { d.open = true; }); window.reached = new Set(); window.dim = [];
		document.addEventListener("focusin", (e) => { window.reached.add(e.target); const s = getComputedStyle(e.target);
			if (s.outlineStyle === "none" || parseFloat(s.outlineWidth) < 1) window.dim.push(e.target.outerHTML); })
		document.querySelector("#stage").focus()`, `true`)
	controls := `[...document.querySelectorAll("button, select, input, summary, [tabindex]")].filter((e) => e.checkVisibility() && !e.disabled)`
	for range testbrowser.Value[int](b.ctx, b.t, controls+".length") {
		testbrowser.Must(b.t, chromedp.Do(b.ctx, chromedp.KeyEvent(kb.Tab)))
		if testbrowser.Value[bool](b.ctx, b.t, `Boolean(document.activeElement?.ariaLabel?.startsWith("Where the section across y")) && !document.querySelector("#cut-y").checked`) {
			testbrowser.Must(b.t, chromedp.Do(b.ctx, chromedp.KeyEvent(kb.ArrowRight)))
		}
	}
	if missed := b.text(controls + `.filter((e) => !window.reached.has(e)).map((e) => e.outerHTML).join("\n")`); missed != "" {
		b.t.Errorf("the tab key does not reach %s", missed)
	}
	if dim := b.text(`window.dim.join("\n")`); dim != "" {
		b.t.Errorf("the focus is not seen at %s", dim)
	}
	b.do("", `document.querySelector("#cut-y").checked && Number(document.querySelector("[aria-label='The section across y, as a number']").value) > 0`)
	b.do(`document.querySelector("#cut-y").click()`, stands)
}

// pageByKeys checks that the tab key reaches all controls with a visible focus, and measures with keys only.
func pageByKeys(t *testing.T, browser context.Context) {
	b := opened(t, browser, started(t, nil))
	b.tabThrough()
	for _, key := range []string{"m", "j", "P", "l", "l", "i", "p"} {
		b.do(`document.dispatchEvent(new KeyboardEvent("keydown", {key: "`+key+`", bubbles: true}))`, `true`)
		if strings.EqualFold(key, "p") {
			b.do("", `document.querySelector("#measured").innerText.includes("1: ")`)
		}
	}
	b.do("", `document.querySelector("#measured").innerText.includes("Distance") && Boolean(document.querySelector("#marks path"))`)
	b.do(`document.dispatchEvent(new KeyboardEvent("keydown", {key: "m", bubbles: true}))`, `!document.querySelector("#marks path")`)
}
