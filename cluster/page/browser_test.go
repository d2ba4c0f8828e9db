package page

import (
	"context"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"lockstep/cluster"
	"lockstep/internal/testbrowser"
)

// TestBrowser checks that the page shows a film while it is drawn. It must show the film's name, figures, a grid with
// thumbnails, failures, the latest and a selected picture, and owners in their colours.
func TestBrowser(t *testing.T) {
	t.Parallel()
	ctx, complaints := testbrowser.New(t)
	s := newSet(t)
	s.job.Shared = &cluster.Shared{Addresses: []string{"127.0.0.1:1"}, Secret: make([]byte, 32)}
	_, err := s.conn.Submit(t.Context(), s.job)
	must(t, err)
	g := &gallery{owners: &Owners{Epoch: 3, Nodes: []Owner{{Name: "<i>a</i>", Color: "#0072b2", Blocks: 5, Busy: 0.5}, {Name: "b", Color: "#e69f00", Blocks: 2, Busy: 0.25}}}}
	p := s.start(t, Options{Gallery: g})
	s.done(t, 0, 4)
	ended, working := context.WithCancel(t.Context())
	defer working()
	go s.conn.Work(ended, ended, nil, cluster.WorkOptions{Name: "b"}) // it sends heartbeats but draws no frames
	testbrowser.Run(ctx, t, "begun", chromedp.Navigate(p.URL()),
		testbrowser.Wait(`document.querySelector("#figures").innerText.includes("2 of 10")`),
		testbrowser.Wait(`document.querySelectorAll("#grid .cell.done").length === 2`),
		testbrowser.Wait(`document.querySelectorAll("#grid img").length === 2 && [...document.querySelectorAll("#grid img")].every((i) => i.naturalWidth === 160)`),
		testbrowser.Wait(`/b.*in parts.*25 %/s.test(document.querySelector("#node-rows").innerText)`),
		testbrowser.Wait(`document.querySelector("#picture").naturalWidth === 640 && document.querySelector("#map").naturalWidth === 640`))
	title, tab := testbrowser.Value[string](ctx, t, `document.querySelector("#title").textContent`), testbrowser.Value[string](ctx, t, `document.title`)
	if n := testbrowser.Value[int](ctx, t, `document.querySelectorAll("h1 img, #owner-rows i").length`); title != hostile || !strings.HasPrefix(tab, "20 % <img") || n != 0 {
		t.Errorf("title %q, tab %q, %d elements from names", title, tab, n)
	}
	owners := testbrowser.Value[string](ctx, t, `document.querySelector("#owner-rows").innerText`)
	swatch := testbrowser.Value[string](ctx, t, `getComputedStyle(document.querySelector(".swatch")).backgroundColor`)
	if !strings.Contains(owners, "<i>a</i>") || !strings.Contains(owners, "50 %") || swatch != "rgb(0, 114, 178)" {
		t.Errorf("owners %q, colour %s", owners, swatch)
	}
	if n := testbrowser.Value[int](ctx, t, `document.querySelectorAll("#grid .cell").length`); n != 10 {
		t.Errorf("%d cells", n)
	}

	s.done(t, 6)
	must(t, s.conn.Fail(t.Context(), s.job, 7, &cluster.Failure{Node: "a", Error: "out of <b>paint</b>"}))
	testbrowser.Run(ctx, t, "later",
		testbrowser.Wait(`document.querySelectorAll("#grid .cell.done").length === 3 && document.querySelectorAll("#grid .cell.failed").length === 1`),
		testbrowser.Wait(`document.querySelector("#failure-rows").innerText.includes("out of <b>paint</b>")`),
		testbrowser.Wait(`document.querySelector("#picture").src.endsWith("/films/film-1/frames/6")`),
		chromedp.Click(chromedp.CSS(`#grid .cell:nth-child(5)`)),
		testbrowser.Wait(`document.querySelector("#picture").src.endsWith("/films/film-1/frames/4") && document.querySelector("#latest-title").textContent === "Frame 4"`))
	if lines := complaints.All(); len(lines) > 0 {
		t.Errorf("the browser complains: %q", lines)
	}
	p.Close()
	testbrowser.Run(ctx, t, "ended", testbrowser.Wait(`document.querySelector("#state").textContent.startsWith("Not connected")`))
}
