package view

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"lockstep/internal/clitest"
	"lockstep/internal/testbrowser"
	"lockstep/render/recipe"
)

// exported returns a page of a few small pictures, and how many pictures were reported as progress.
func exported(t *testing.T, change func(o *ExportOptions)) (page string, announced int) {
	t.Helper()
	o := ExportOptions{Columns: 8, Name: "part"}
	o.Picture = recipe.Picture{Meshes: []recipe.Mesh{{File: "scene:knot?triangles=2000"}}, Size: recipe.Size{Width: 90, Height: 60}}
	o.Progress = func(done, total int) {
		if announced++; done != announced || total != 3*o.Columns {
			t.Errorf("picture %d of %d, want %d of %d", done, total, announced, 3*o.Columns)
		}
	}
	if change != nil {
		change(&o)
	}
	var b bytes.Buffer
	if err := Export(t.Context(), &b, o); err != nil {
		t.Fatal(err)
	}
	return b.String(), announced
}

// picturesOf returns the pictures in a page.
func picturesOf(t *testing.T, page string) (all []image.Image) {
	t.Helper()
	_, list, _ := strings.Cut(page, `id="pictures">`)
	list, _, _ = strings.Cut(list, "</script>")
	var texts []string
	if err := json.Unmarshal([]byte(list), &texts); err != nil {
		t.Fatal(err)
	}
	for _, text := range texts {
		file, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		pic, kind, err := image.Decode(bytes.NewReader(file))
		if err != nil || kind != "jpeg" {
			t.Fatal(kind, err)
		}
		all = append(all, pic)
	}
	return all
}

// TestExport checks that all pictures are in the page, and that they differ and have the same size. The page's policy
// must allow exactly the script and the style of the page.
func TestExport(t *testing.T) {
	page, announced := exported(t, nil)
	all := picturesOf(t, page)
	if len(all) != 24 || announced != 24 {
		t.Fatalf("%d pictures, %d announced", len(all), announced)
	}
	seen := map[string]bool{}
	for _, pic := range all {
		if pic.Bounds() != image.Rect(0, 0, 90, 60) {
			t.Fatal(pic.Bounds())
		}
		seen[fmt.Sprint(pic.(*image.YCbCr).Y)] = true
	}
	if len(seen) != 24 {
		t.Errorf("%d of 24 pictures are different", len(seen))
	}
	for kind, expression := range map[string]string{"script": `(?s)<script>(.*?)</script>`, "style": `(?s)<style>(.*?)</style>`} {
		found := regexp.MustCompile(expression).FindStringSubmatch(page)
		if found == nil || !strings.Contains(page, kind+"-src '"+policyHash(found[1])+"'") {
			t.Errorf("the policy does not name the %s", kind)
		}
	}
	if lines := strings.Count(asset("turn.js"), "\n"); lines > 45 {
		t.Errorf("the script has %d lines", lines)
	}
	if strings.Contains(page, "http:") || strings.Contains(page, "https:") {
		t.Error("the page names a server")
	}
}

// TestExportScales checks that the mesh has the same scale from all elevations: a ball has the same size in all
// pictures.
func TestExportScales(t *testing.T) {
	page, _ := exported(t, func(o *ExportOptions) {
		o.Picture.Meshes[0].File = "scene:sphere"
		o.Picture.Look.Background, o.Picture.Look.Color = "000000", "ffffff"
		no := false
		o.Picture.Lines.Ground = &no
		o.Columns = 2
	})
	var sizes []int
	for _, pic := range picturesOf(t, page) {
		n := 0
		for _, y := range pic.(*image.YCbCr).Y {
			if y > 25 {
				n++
			}
		}
		sizes = append(sizes, n)
	}
	for _, n := range sizes {
		if n < sizes[0]*94/100 || n > sizes[0]*106/100 || n == 0 {
			t.Errorf("the ball covers %v pixels", sizes)
			break
		}
	}
}

// TestExportEscapes checks that names of meshes are escaped in the page.
func TestExportEscapes(t *testing.T) {
	name := `<script>alert(1)</script>"onload='x' & co.stl`
	page, _ := exported(t, func(o *ExportOptions) { o.Name, o.Columns = name, 1 })
	if strings.Contains(page, "<script>alert") || strings.Contains(page, `"onload`) || strings.Contains(page, "onload='") {
		t.Error("a name is a part of the page")
	}
	if !strings.Contains(page, `<title>&lt;script&gt;alert(1)&lt;/script&gt;&#34;onload=&#39;x&#39; &amp; co.stl</title>`) {
		t.Error("the page lacks its name")
	}
}

// TestExportErrors checks that wrong options are refused, and that the export ends when its context ends or the
// writer fails.
func TestExportErrors(t *testing.T) {
	good := ExportOptions{Columns: 2, Picture: recipe.Picture{Meshes: []recipe.Mesh{{File: "scene:cube"}}, Size: recipe.Size{Width: 20, Height: 20}}}
	for name, change := range map[string]func(o *ExportOptions){
		"columns": func(o *ExportOptions) { o.Columns = -1 },
		"many":    func(o *ExportOptions) { o.Columns = maxColumns + 1 },
		"eye":     func(o *ExportOptions) { o.Picture.Camera.Eye = &recipe.Point{1, 2, 3} },
		"sheet":   func(o *ExportOptions) { o.Picture.Sheet = 4 },
		"quality": func(o *ExportOptions) { o.Quality = 101 },
		"file":    func(o *ExportOptions) { o.Picture.Meshes[0].File = filepath.Join(t.TempDir(), "none.stl") },
		"blank": func(o *ExportOptions) {
			o.Picture.Cuts.Box = recipe.Box{Low: [3]float64{900, 900, 900}, High: [3]float64{901, 901, 901}}
		},
	} {
		o := good
		o.Picture.Meshes = []recipe.Mesh{{File: "scene:cube"}}
		change(&o)
		if err := Export(t.Context(), new(bytes.Buffer), o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	good.Progress = func(int, int) { cancel() }
	if err := Export(ctx, new(bytes.Buffer), good); !errors.Is(err, context.Canceled) {
		t.Errorf("ended by %v", err)
	}
	good.Progress = nil
	if err := Export(t.Context(), failing{}, good); !errors.Is(err, errFailing) {
		t.Errorf("written to nowhere: %v", err)
	}
}

var errFailing = errors.New("no room")

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errFailing }

// pageOfExport turns the exported page with keys and by dragging. The browser must not complain.
func pageOfExport(t *testing.T, browser context.Context) {
	ctx, complaints := testbrowser.Tab(browser, t)
	page, _ := exported(t, func(o *ExportOptions) { o.Name = "<b>part" })
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			w.Header().Set("Content-Type", "image/svg+xml")
			return
		}
		w.Header().Set("Content-Type", "text/html")
		w.Write([]byte(page))
	}))
	defer server.Close()
	at := func() string {
		return testbrowser.Value[string](ctx, t, `document.querySelector("#turn").getAttribute("aria-valuetext") ?? ""`)
	}
	testbrowser.Run(ctx, t, "turn", chromedp.Navigate(server.URL), testbrowser.Wait(`document.querySelector("img").complete && document.querySelector("img").naturalWidth === 90`))
	for _, step := range []struct{ key, want string }{
		{"ArrowLeft", "45 degrees around, from 20 degrees above"}, {"ArrowUp", "45 degrees around, from 50 degrees above"},
		{"ArrowUp", "45 degrees around, from 50 degrees above"}, {"ArrowDown", "45 degrees around, from 20 degrees above"},
		{"ArrowRight", "0 degrees around, from 20 degrees above"}, {"ArrowRight", "315 degrees around, from 20 degrees above"},
	} {
		testbrowser.Run(ctx, t, "key", chromedp.Evaluate[chromedp.Void](`document.querySelector("#turn").dispatchEvent(new KeyboardEvent("keydown", {key: "`+step.key+`", bubbles: true}))`))
		if got := at(); got != step.want {
			t.Errorf("%s: %q, want %q", step.key, got, step.want)
		}
	}
	testbrowser.Run(ctx, t, "drag", chromedp.Evaluate[chromedp.Void](`{ const b = document.querySelector("#turn"), r = b.getBoundingClientRect();
		const send = (type, x, y) => b.dispatchEvent(new PointerEvent(type, {pointerId: 1, clientX: r.left + r.width * x, clientY: r.top + r.height * y, bubbles: true}));
		b.setPointerCapture = () => {}; send("pointerdown", 0.2, 0.5); send("pointermove", 0.7, 0.3); send("pointerup", 0.7, 0.3) }`))
	if got := at(); got != "135 degrees around, from 5 degrees above" {
		t.Errorf("dragged to %q", got)
	}
	if !testbrowser.Value[bool](ctx, t, `document.querySelector("img").naturalWidth === 90 && document.querySelector("figcaption").innerText === "<b>part"`) {
		t.Error("no picture, or another name")
	}
	if wrong := complaints.All(); len(wrong) > 0 {
		t.Errorf("the browser says %q", wrong)
	}
}

// TestTurn checks that the server returns the page that the command writes, for a dropped file too, and only one page
// at a time.
func TestTurn(t *testing.T) {
	s := started(t, nil)
	c := dial(t, s)
	page := c.hello(0).Client
	drop(t, s, page, "box.stl", solids("box"))
	for _, file := range []int{1, 2} {
		r := usual("still")
		r.File, r.Client = file, page
		r.Picture.Camera.View, r.Picture.Look.Samples, r.Picture.Look.Shading = &recipe.View{Azimuth: 10, Elevation: 30}, 1, "flat"
		got, body := post(t, s, "turn.html", r)
		if got.StatusCode != http.StatusOK || got.Header.Get("Content-Disposition") != "attachment" {
			t.Fatalf("%d: %.200s", got.StatusCode, body)
		}
		if n := len(picturesOf(t, string(body))); n != 216 || !strings.Contains(string(body), "[15,30,60]") {
			t.Errorf("%d pictures", n)
		}
		if file == 1 {
			var want bytes.Buffer
			p := r.Picture
			p.Meshes, p.Size = s.options.Meshes[1:2], r.Size
			if err := Export(t.Context(), &want, ExportOptions{Picture: p, Name: "scene:knot?triangles=3000"}); err != nil || want.String() != string(body) {
				t.Errorf("another page than the command's (%v)", err)
			}
		}
	}
	r := usual("still")
	r.Picture.Camera.Eye = &recipe.Point{50, 50, 50}
	if got, _ := post(t, s, "turn.html", r); got.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("with an eye: %d", got.StatusCode)
	}
	r.Picture.Camera.Eye, r.Picture.Camera.Target = &recipe.Point{500, 400, 500}, &recipe.Point{500, 500, 500}
	r.Picture.Camera.Projection, r.Picture.Camera.Height = "orthographic", 1
	if got, body := post(t, s, "turn.gif", r); got.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(string(body), "any frame") {
		t.Errorf("a film of nothing: %d, %.100s", got.StatusCode, body)
	}
	for _, path := range []string{"turn.html", "turn.gif"} {
		for _, size := range []recipe.Size{{Width: maxTurnWidth + 1, Height: 10 + leastSide}, {Width: 10 + leastSide, Height: maxTurnHeight + 1}} {
			r = usual("still")
			r.Size = size
			if got, _ := post(t, s, path, r); got.StatusCode != http.StatusBadRequest {
				t.Errorf("%s: pictures of %v: %d", path, r.Size, got.StatusCode)
			}
		}
	}
	s.exporting.Lock()
	defer s.exporting.Unlock()
	for _, path := range []string{"turn.html", "turn.gif"} {
		if got, _ := post(t, s, path, usual("still")); got.StatusCode != http.StatusServiceUnavailable {
			t.Errorf("%s: a second one: %d", path, got.StatusCode)
		}
	}
}

// TestExportName checks that names have no folders.
func TestExportName(t *testing.T) {
	_, cube := clitest.CubeFile(t)
	for file, want := range map[string]string{cube: filepath.Base(cube), "scene:knot?triangles=9": "scene:knot?triangles=9"} {
		if got := Name(recipe.Mesh{File: file}); got != want {
			t.Errorf("%s is called %s", file, got)
		}
	}
}
