package view

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"lockstep/internal/clitest"
	"lockstep/internal/testbrowser"
)

// axe returns axe-core, a script that finds parts of a page that some people cannot use. axe skips the test if it is
// not installed.
func axe(t *testing.T) string {
	t.Helper()
	modules, err := exec.Command("npm", "root", "-g").Output()
	var script []byte
	if err == nil {
		script, err = os.ReadFile(filepath.Join(strings.TrimSpace(string(modules)), "axe-core", "axe.min.js"))
	}
	if err != nil {
		t.Skip("the page was NOT TESTED for accessibility: there is no axe-core (npm install -g axe-core)")
	}
	return string(script)
}

// faults runs axe-core in a page and returns violations of its rules: those of WCAG, levels A and AA, and of good
// practice.
func faults(t *testing.T, ctx context.Context, script string) string {
	t.Helper()
	testbrowser.Run(ctx, t, "axe", chromedp.Evaluate[chromedp.Void](script+`; window.faults = undefined;
		axe.run(document).then((r) => { window.faults = r.violations.map((v) => v.id + ": " + v.nodes.map((n) => n.target.join(" ") + " " + n.failureSummary).join("; ")).join("\n"); })`),
		testbrowser.Wait(`window.faults !== undefined`))
	return testbrowser.Value[string](ctx, t, `window.faults`)
}

// pageIsAccessible checks that axe-core finds no violations in the page. The page has everything unfolded, a section, a
// measurement and a message. It is checked light and dark, in a wide window and on a small screen. The exported page is
// checked, too.
func pageIsAccessible(t *testing.T, browser context.Context) {
	script := axe(t)
	s := started(t, func(o *Options) {
		o.Meshes[0].File = filepath.Join(t.TempDir(), "parts.stl")
		clitest.Write(t, o.Meshes[0].File, solids("bolt_1", "plate", "bolt_2"))
	})
	b := opened(t, browser, s)
	b.do(`document.querySelectorAll("details").forEach((d) => { d.open = true; })`, `document.querySelector("#balancebox").open`)
	b.key("ArrowLeft", `document.querySelector("#decisions li") && `+stands)
	b.do(`document.querySelector("#cut-x").click(); document.querySelector("#measure").click(); document.querySelector("#through").click()`,
		stands+` && !document.querySelector("#task").hidden && !document.querySelector("#said").hidden`)
	for _, scheme := range []string{"light", "dark", "light small", "dark small"} {
		scheme, small := strings.CutSuffix(scheme, " small")
		if small {
			testbrowser.Must(t, chromedp.Do(b.ctx, chromedp.EmulateViewport(360, 640)))
		}
		_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
		testbrowser.Must(t, err)
		if found := faults(t, b.ctx, script); found != "" {
			t.Errorf("%s, small %v: %s", scheme, small, found)
		}
	}
	page, _ := exported(t, nil)
	file := filepath.Join(t.TempDir(), "turn.html")
	clitest.Write(t, file, page)
	testbrowser.Run(b.ctx, t, "exported", chromedp.Navigate("file://"+file), testbrowser.Wait(`document.querySelector("img")?.complete`))
	if found := faults(t, b.ctx, script); found != "" {
		t.Errorf("exported: %s", found)
	}
}
