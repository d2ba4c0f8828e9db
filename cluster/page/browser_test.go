package page

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"lockstep/cluster"
)

// screenshots is the environment variable with a folder for screenshots, for people who want to look at them.
const screenshots = "LOCKSTEP_TEST_SCREENSHOTS"

// newBrowser starts a headless Chromium, as Debian packages it. It skips the test if there is none.
func newBrowser(t *testing.T) (ctx context.Context, complaints *said) {
	t.Helper()
	program, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("the page was NOT TESTED in a browser: there is no chromium (apt-get install chromium)")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.WindowSize(1300, 1200))
	if os.Getuid() == 0 { // its sandbox does not work for the superuser
		options = append(options, chromedp.NoSandbox)
	}
	allocator, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(allocator)
	t.Cleanup(cancel)
	complaints = &said{}
	must(t, chromedp.Listen(ctx, func(e any) {
		switch e := e.(type) {
		case *runtime.EventExceptionThrown:
			complaints.add(e.ExceptionDetails.Text)
		case *log.EventEntryAdded: // violations of the content security policy arrive here
			complaints.add(e.Entry.Text)
		}
	}))
	_, err = chromedp.Call(ctx, log.Enable, cdp.Empty{})
	must(t, err)
	ctx, cancel = context.WithTimeout(ctx, 2*time.Minute)
	t.Cleanup(cancel)
	return ctx, complaints
}

// said collects the messages of the browser.
type said struct {
	mu    sync.Mutex
	lines []string
}

func (s *said) add(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = append(s.lines, line)
}

func (s *said) all() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.lines)
}

// see runs steps in the browser, and saves a screenshot at the end if the environment asks for it.
func see(ctx context.Context, t *testing.T, name string, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	must(t, chromedp.Do(ctx, steps...))
	if dir := os.Getenv(screenshots); dir != "" {
		picture, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
		must(t, err)
		must(t, os.WriteFile(dir+"/"+name+".png", picture, 0o644))
	}
}

// wait waits until a script returns true.
func wait(script string) chromedp.Action[chromedp.Void] {
	poll := chromedp.Poll[bool](script, chromedp.WithPollingInterval(50*time.Millisecond))
	return func(ctx context.Context, t *chromedp.Target) (none chromedp.Void, err error) {
		if _, err = poll(ctx, t); err != nil {
			err = fmt.Errorf("%s: %w", script, err)
		}
		return none, err
	}
}

// value returns the result of a script.
func value[T any](ctx context.Context, t *testing.T, script string) T {
	t.Helper()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](script))
	must(t, err)
	return v
}

// TestBrowser checks that the page shows a film while it is drawn: its name, figures, a grid with thumbnails, failures,
// the latest and a selected picture, and owners in their colours.
func TestBrowser(t *testing.T) {
	t.Parallel()
	ctx, complaints := newBrowser(t)
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
	see(ctx, t, "begun", chromedp.Navigate(p.URL()),
		wait(`document.querySelector("#figures").innerText.includes("2 of 10")`),
		wait(`document.querySelectorAll("#grid .cell.done").length === 2`),
		wait(`document.querySelectorAll("#grid img").length === 2 && [...document.querySelectorAll("#grid img")].every((i) => i.naturalWidth === 160)`),
		wait(`/b.*in parts.*25 %/s.test(document.querySelector("#node-rows").innerText)`),
		wait(`document.querySelector("#picture").naturalWidth === 640 && document.querySelector("#map").naturalWidth === 640`))
	title, tab := value[string](ctx, t, `document.querySelector("#title").textContent`), value[string](ctx, t, `document.title`)
	if n := value[int](ctx, t, `document.querySelectorAll("h1 img, #owner-rows i").length`); title != hostile || !strings.HasPrefix(tab, "20 % <img") || n != 0 {
		t.Errorf("title %q, tab %q, %d elements from names", title, tab, n)
	}
	owners := value[string](ctx, t, `document.querySelector("#owner-rows").innerText`)
	swatch := value[string](ctx, t, `getComputedStyle(document.querySelector(".swatch")).backgroundColor`)
	if !strings.Contains(owners, "<i>a</i>") || !strings.Contains(owners, "50 %") || swatch != "rgb(0, 114, 178)" {
		t.Errorf("owners %q, colour %s", owners, swatch)
	}
	if n := value[int](ctx, t, `document.querySelectorAll("#grid .cell").length`); n != 10 {
		t.Errorf("%d cells", n)
	}

	s.done(t, 6)
	must(t, s.conn.Fail(t.Context(), s.job, 7, &cluster.Failure{Node: "a", Error: "out of <b>paint</b>"}))
	see(ctx, t, "later",
		wait(`document.querySelectorAll("#grid .cell.done").length === 3 && document.querySelectorAll("#grid .cell.failed").length === 1`),
		wait(`document.querySelector("#failure-rows").innerText.includes("out of <b>paint</b>")`),
		wait(`document.querySelector("#picture").src.endsWith("/films/film-1/frames/6")`),
		chromedp.Click(chromedp.CSS(`#grid .cell:nth-child(5)`)),
		wait(`document.querySelector("#picture").src.endsWith("/films/film-1/frames/4") && document.querySelector("#latest-title").textContent === "Frame 4"`))
	if lines := complaints.all(); len(lines) > 0 {
		t.Errorf("the browser complains: %q", lines)
	}
	p.Close()
	see(ctx, t, "ended", wait(`document.querySelector("#state").textContent.startsWith("Not connected")`))
}
