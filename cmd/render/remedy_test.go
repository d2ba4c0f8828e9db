package main

import (
	"regexp"
	"strings"
	"testing"

	"lockstep/internal/budget"
	"lockstep/internal/cli"
	"lockstep/internal/clitest"
	"lockstep/render"
)

// TestAdviceFits checks the advice in messages about pictures that do not fit into memory. A picture must fit if the
// user follows the advice.
func TestAdviceFits(t *testing.T) {
	dir := t.TempDir()
	advised := regexp.MustCompile(`; (--.*) would fit\n$`)
	for _, c := range []struct{ memory, more, want string }{
		{"40M", "", ""},
		{"2M", "", "--occlusion off"},
		{"3M", "--samples 16", "--occlusion off"},
		{"2M", "--samples 16", "--occlusion off --samples 1"},
		{"1M", "", "--occlusion off --samples 1"},
		{"800K", "", "--fast"},
		{"500K", "", "--size"},
		{"300K", "--fast", "--size"},
	} {
		draw := func(flags string) clitest.Result {
			return run(t, dir, "", append([]string{"scene:gear?triangles=1000", "-q", "-o", "a.png", "--max-memory", c.memory}, strings.Fields(flags)...)...)
		}
		r := draw("--size 1500x1000 " + c.more)
		if c.want == "" {
			r.Want(t, cli.Done)
			continue
		}
		r.Want(t, cli.Usage, "the picture needs at least")
		match := advised.FindStringSubmatch(r.Stderr)
		if match == nil || match[1] != c.want && !strings.HasPrefix(match[1], c.want+" ") {
			t.Errorf("%s %s: advice %q of %s, want %q", c.memory, c.more, match, r.Stderr, c.want)
			continue
		}
		flags := match[1]
		if !strings.Contains(flags, "--size") {
			flags += " --size 1500x1000"
		}
		if flag, _, _ := strings.Cut(c.more, " "); !strings.Contains(flags, flag) {
			flags += " " + c.more
		}
		draw(flags).Want(t, cli.Done)
	}
}

// TestAdviceOfRoom checks predictions of the memory of pictures that are not drawn in bands.
func TestAdviceOfRoom(t *testing.T) {
	o := render.Options{Width: 4000, Height: 3000, Samples: 4, Shading: render.ShadingSmooth, Occlusion: true}
	need := func(o render.Options) int64 { return budget.Sum(budget.DrawingBytes(o, 1)) }
	fewer, half := o, o
	fewer.Samples = 1
	half.Width, half.Height = 1880, 1410
	for _, c := range []struct {
		memory int64
		want   string
	}{
		{need(fewer), "; --samples 1 would fit"}, {need(o) - 1, "; --samples 1 would fit"}, {1000, ""},
		{need(half), "; --size 1880x1410 would fit"},
	} {
		r := &budget.Account{Memory: c.memory}
		if got := remedyTextFor(r, o); c.memory != need(half) && got != c.want {
			t.Errorf("%d bytes: %q, want %q", c.memory, got, c.want)
		}
	}
	o.Samples, o.Shading, o.Occlusion = 1, render.ShadingFlat, false
	half.Samples = 1
	r := &budget.Account{Memory: need(half)}
	if got := remedyTextFor(r, o); got != "; --size 1880x1410 would fit" {
		t.Errorf("%q", got)
	}
	if err := checkMemory(r, o); err == nil || !strings.HasSuffix(err.Error(), "; --size 1880x1410 would fit") {
		t.Errorf("%v", err)
	}
}
