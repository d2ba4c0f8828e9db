//go:build race

package kernel

import (
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/geometry"
	"lockstep/render/internal/kernel/shade"
	"lockstep/scenes"
	"lockstep/vp/isa"
)

// racyKernel is the environment variable with the name of the kernel that a copy of the test calls from two goroutines
// on the same memory.
const racyKernel = "LOCKSTEP_RACY_KERNEL"

// racy holds functions that call each kernel on memory that all callers share.
var racy = func() map[string]func(*Loops) {
	v, shader, b := benchView(false), shade.NewShader(0), scenes.MakeBlock(64)
	keys, pix := make([]uint64, 64), make([]byte, 4*64)
	toClip, p := make([]int32, 64), array.MakePolygons(64)
	for i := range toClip {
		b.X[0][i], b.Z[0][i] = 1e30, -1e30 // all triangles are left to ClipTriangles, so that p is not written
	}
	return map[string]func(*Loops){
		"Geometry": func(s *Loops) {
			own := *p
			s.Geometry(v, &b, &own, toClip, new(geometry.Counts))
		},
		"Shade": func(s *Loops) {
			own := *p
			own.N = 64
			s.Shade(shader, &own, nil)
		},
		"Merge":   func(s *Loops) { s.Merge(keys, make([]uint64, 64)) },
		"Resolve": func(s *Loops) { s.Resolve(make([]byte, 4*64), keys, 0) },
		"Fill":    func(s *Loops) { s.Fill(pix, 0) },
	}
}

// TestRaceDetectorSeesAssembly runs each kernel twice at the same time on the same memory, in a separate process. The
// race detector must report a race.
func TestRaceDetectorSeesAssembly(t *testing.T) {
	if len(twinLevels(t)) == 0 {
		t.Skip("no vector kernels")
	}
	kernels := racy()
	if name := os.Getenv(racyKernel); name != "" {
		set := Select(isa.Detect())
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() { kernels[name](set) })
		}
		both.Wait()
		return
	}
	for name := range kernels {
		c := exec.Command(os.Args[0], "-test.run=^TestRaceDetectorSeesAssembly$")
		c.Env = append(os.Environ(), racyKernel+"="+name)
		if out, err := c.CombinedOutput(); err == nil || !strings.Contains(string(out), "DATA RACE") {
			t.Errorf("%s: no race reported: %v\n%s", name, err, out)
		}
	}
}
