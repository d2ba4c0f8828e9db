// Package testbrowser opens the pages of our programs in a headless Chromium for tests.
package testbrowser

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// screenshots is the environment variable that names a folder for screenshots, for people who want to see the pages.
const screenshots = "LOCKSTEP_TEST_SCREENSHOTS"

// New starts a headless Chromium by the name that Debian gives the program. It skips the test if there is no such
// program.
func New(t testing.TB) (ctx context.Context, complaints *Complaints) {
	t.Helper()
	program, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("the page was NOT TESTED in a browser: there is no chromium (apt-get install chromium)")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.WindowSize(1300, 1200))
	if os.Getuid() == 0 { // the sandbox does not work for the superuser
		options = append(options, chromedp.NoSandbox)
	}
	allocator, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(allocator)
	t.Cleanup(cancel)
	return watch(ctx, t)
}

// Tab opens another page in a browser that New has started, so that tests can share a browser.
func Tab(browser context.Context, t testing.TB) (ctx context.Context, complaints *Complaints) {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser)
	t.Cleanup(cancel)
	return watch(ctx, t)
}

// watch collects the browser's complaints about a page, and closes the page after pageTimeout.
func watch(page context.Context, t testing.TB) (ctx context.Context, complaints *Complaints) {
	complaints = &Complaints{}
	Must(t, chromedp.Listen(page, func(e any) {
		switch e := e.(type) {
		case *runtime.EventExceptionThrown:
			complaints.add(e.ExceptionDetails.Text)
		case *log.EventEntryAdded: // such an entry is a violation of the content security policy
			complaints.add(e.Entry.Text)
		}
	}))
	_, err := chromedp.Call(page, log.Enable, cdp.Empty{})
	Must(t, err)
	ctx, cancel := context.WithTimeout(page, pageTimeout)
	t.Cleanup(cancel)
	return ctx, complaints
}

// pageTimeout is how long a test may use a page. It is long because the machine may be busy.
const pageTimeout = 4 * time.Minute

// Complaints collects the messages of the browser: exceptions of scripts, and violations of the policy.
type Complaints struct {
	mu    sync.Mutex
	lines []string
}

func (s *Complaints) add(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = append(s.lines, line)
}

// All returns the messages so far.
func (s *Complaints) All() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.lines)
}

// Run runs steps in the browser. At the end it saves a screenshot if the environment variable for screenshots is set.
func Run(ctx context.Context, t testing.TB, name string, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	Must(t, chromedp.Do(ctx, steps...))
	if dir := os.Getenv(screenshots); dir != "" {
		picture, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
		Must(t, err)
		Must(t, os.WriteFile(dir+"/"+name+".png", picture, 0o644))
	}
}

// Wait waits until a script returns true.
func Wait(script string) chromedp.Action[chromedp.Void] {
	poll := chromedp.Poll[bool](script, chromedp.WithPollingInterval(50*time.Millisecond))
	return func(ctx context.Context, t *chromedp.Target) (none chromedp.Void, err error) {
		if _, err = poll(ctx, t); err != nil {
			err = fmt.Errorf("%s: %w", script, err)
		}
		return none, err
	}
}

// Value returns the result of a script.
func Value[T any](ctx context.Context, t testing.TB, script string) T {
	t.Helper()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](script))
	Must(t, err)
	return v
}

// Must ends the test if err is not nil.
func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
