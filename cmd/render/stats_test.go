package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/cli"
	"lockstep/internal/clitest"
	"lockstep/render"
	"lockstep/vp/isa"
)

// parseStats reads the object that --stats json prints, which must be a single
// line.
func parseStats(t *testing.T, stderr string) (s statistics) {
	t.Helper()
	if strings.Count(stderr, "\n") != 1 {
		t.Fatalf("not one line: %q", stderr)
	}
	if err := json.Unmarshal([]byte(stderr), &s); err != nil {
		t.Fatalf("%v: %q", err, stderr)
	}
	return s
}

// keys returns the paths of all keys of a JSON value.
func keys(prefix string, v any) (paths []string) {
	switch v := v.(type) {
	case map[string]any:
		for k, inner := range v {
			paths = append(paths, keys(prefix+"."+k, inner)...)
		}
	case []any:
		for _, inner := range v {
			paths = append(paths, keys(prefix+"[]", inner)...)
		}
	default:
		paths = []string{strings.TrimPrefix(prefix, ".")}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// statsKeys are the keys that the documentation promises.
const statsKeys = `
mesh.path mesh.format mesh.triangles mesh.bytes mesh.dropped
image.width image.height image.covered
triangles.in triangles.culled triangles.clipped triangles.drawn
spans pixels workers pinned isa
balance.policy balance.loops[].name balance.loops[].iterations balance.loops[].iterations_unbalanced
balance.loops[].redistributions balance.loops[].lane_use balance.loops[].lane_use_unbalanced
balance.loops[].polygons balance.loops[].shared balance.loops[].cost balance.loops[].savings_predicted
balance.loops[].cost_predicted balance.loops[].redistribution_seconds balance.loops[].judged balance.loops[].underestimated
seconds.read seconds.frame seconds.leaves seconds.geometry seconds.scan seconds.zbuffer seconds.merge seconds.resolve seconds.encode seconds.total
peak_rss_bytes`

func TestStatsKeys(t *testing.T) {
	dir, mesh := clitest.CubeFile(t)
	for _, c := range []struct {
		args  []string
		extra string
	}{
		{[]string{mesh, "-o", "o.png"}, ""},
		{[]string{"animate", mesh, "--turntable", "--frames", "2", "-o", "out"}, "frames"},
	} {
		r := run(t, dir, "", append(c.args, "-s", "50", "--stats", "json")...)
		r.Want(t, cli.Done)
		var v any
		if err := json.Unmarshal([]byte(r.Stderr), &v); err != nil {
			t.Fatal(err)
		}
		want := strings.Fields(statsKeys + " " + c.extra)
		slices.Sort(want)
		if got := keys("", v); !slices.Equal(got, want) {
			t.Errorf("keys\n%q, want\n%q", got, want)
		}
	}
}

func TestStatsOfPicture(t *testing.T) {
	dir, mesh := clitest.CubeFile(t)
	r := runProgram(t, dir, "", plainly(mesh, "-s", "200x100", "--projection", "orthographic", "--view", "front", "--workers", "2", "-o", "-", "--stats", "json")...)
	r.Want(t, cli.Done)
	s := parseStats(t, r.Stderr)
	if s.Mesh != (meshStatistics{Path: mesh, Format: "stl-binary", Triangles: 12, Bytes: 684, Dropped: 0}) {
		t.Errorf("mesh %+v", s.Mesh)
	}
	if s.Image != (imageStatistics{200, 100, 90 * 90}) {
		t.Errorf("image %+v", s.Image)
	}
	// The front and the back face cover the square. The camera sees the other faces edge-on.
	if want := (render.TriangleStats{In: 12, Culled: 8, Drawn: 4}); s.Triangles != want {
		t.Errorf("triangles %+v, want %+v", s.Triangles, want)
	}
	if s.Pixels != 2*90*90 || s.Spans < 2*90 || s.Spans > 4*90 {
		t.Errorf("%d pixels in %d spans", s.Pixels, s.Spans)
	}
	want, err := isa.Select("auto")
	if err != nil {
		t.Fatal(err)
	}
	if s.Workers != 2 || s.ISA != want.String() || s.Balance.Policy != "cost" {
		t.Errorf("%d workers, %s, %s", s.Workers, s.ISA, s.Balance.Policy)
	}
	for _, l := range s.Balance.Loops {
		if l.Iterations <= 0 || !(0 < l.LaneUse && l.LaneUse <= 1) || l.Iterations > l.IterationsUnbalanced || l.LaneUse < l.LaneUseUnbalanced {
			t.Errorf("loop %+v", l)
		}
	}
	x := s.Seconds
	if x.Frame <= 0 || x.Read <= 0 || x.Encode <= 0 || x.Frame+x.Encode > x.Total || x.Read > x.Total {
		t.Errorf("seconds %+v", x)
	}
	if s.PeakRSSBytes < 1<<20 || s.PeakRSSBytes > 1<<30 {
		t.Errorf("%d bytes of memory", s.PeakRSSBytes)
	}
}

// TestStatsOfAnimation checks that counts do not depend on the number of workers, and that the counts of an animation
// are sums.
func TestStatsOfAnimation(t *testing.T) {
	dir := t.TempDir()
	var want statistics
	for _, workers := range []string{"1", "2", "5"} {
		r := run(t, dir, "", "animate", "scene:bumpy?triangles=5000", "--turntable", "--frames", "3", "-s", "100", "-o", "out", "--workers", workers, "--stats", "json")
		r.Want(t, cli.Done)
		s := parseStats(t, r.Stderr)
		if s.Frames == nil || *s.Frames != 3 || s.Triangles.In != 3*s.Mesh.Triangles {
			t.Errorf("%v frames, %d triangles in, %d in the mesh", s.Frames, s.Triangles.In, s.Mesh.Triangles)
		}
		if want.Pixels == 0 {
			want = s
		}
		if s.Triangles != want.Triangles || s.Pixels != want.Pixels || s.Spans != want.Spans || s.Image != want.Image {
			t.Errorf("%s workers count differently: %+v, %+v", workers, s, want)
		}
	}
}

func TestStatsText(t *testing.T) {
	dir, mesh := clitest.CubeFile(t)
	r := run(t, dir, "", mesh, "-s", "50", "--stats", "text", "-o", "-")
	r.Want(t, cli.Done, "12 triangles", "50x50", "culled", "spans", "lanes", "seconds", "MiB")
}

// TestPeakMemory checks that the whole command needs at most two and a half times the size of a large file, plus 64
// MiB. With four samples per pixel, each of the two workers needs memory for three more frames.
func TestPeakMemory(t *testing.T) {
	dir := t.TempDir()
	// These small triangles together cover a square, so that drawing is fast.
	triangles := make([]clitest.Triangle, 600_000)
	for i := range triangles {
		x, z := float32(i%1100), float32(i/1100)
		triangles[i] = clitest.Triangle{{x, 0, z}, {x + 1, 0, z}, {x, 0, z + 1}}
	}
	path := filepath.Join(dir, "large.stl")
	data := clitest.STL(triangles)
	clitest.Write(t, path, data)
	limit := int64(len(data))*5/2 + 64<<20
	for _, c := range []struct {
		mesh, stdin, look string
		more              int64
	}{{path, "", "--fast", 0}, {"-", data, "--fast", 0}, {path, "", "--small", 2 * 3 * 8 * 1920 * 1080}} {
		limit := limit + c.more
		r := runProgram(t, dir, c.stdin, c.mesh, c.look, "-o", "o.png", "--workers", "2", "--stats", "json", "-s", "1920x1080")
		r.Want(t, cli.Done)
		if s := parseStats(t, r.Stderr); s.PeakRSSBytes > limit {
			t.Errorf("%s: %d bytes resident, limit %d", c.mesh, s.PeakRSSBytes, limit)
		}
	}
}

func TestTallyWeighsLoops(t *testing.T) {
	var sum tally
	for _, l := range []render.LoopStats{
		{Name: "scan", Iterations: 10, IterationsUnbalanced: 30, Redistributions: 1, LaneUse: 0.9, LaneUseUnbalanced: 0.3},
		{Name: "scan", Iterations: 30, IterationsUnbalanced: 30, LaneUse: 0.5, LaneUseUnbalanced: 0.5},
	} {
		sum.add(&render.Stats{Loops: [2]render.LoopStats{l}})
	}
	loop := sum.sum.Loops[0]
	got := fmt.Sprintf("%.3f", []any{loop.Iterations, loop.LaneUse, loop.LaneUseUnbalanced, loop.Redistributions})
	want := fmt.Sprintf("%.3f", []any{int64(40), 0.6, 0.4, int64(1)})
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestLeavesStats draws frames of a mesh that is mostly hidden. The pictures must be the same whether groups are
// deferred always, never or when it is worthwhile. The statistics and the explanation must report the deferred groups.
func TestLeavesStats(t *testing.T) {
	dir := t.TempDir()
	var pictures []string
	for _, when := range []string{"never", "auto", "always"} {
		r := run(t, dir, "", "animate", "scene:housing?triangles=600k&gears=8&closed=1", "--fast", "-s", "120", "--turntable", "--frames", "9",
			"--leaves", when, "-o", when+".gif", "--explain", "--stats", "json")
		r.Want(t, cli.Done)
		stats, explained, _ := strings.Cut(r.Stderr, "\n")
		var s statistics
		if err := json.Unmarshal([]byte(stats), &s); err != nil {
			t.Fatal(err)
		}
		if never := when == "never"; (s.Leaves == nil) != never || (s.Seconds.Leaves == 0) != never || strings.Contains(explained, "leaves: ") == never {
			t.Errorf("%s: %+v, %v s, %q", when, s.Leaves, s.Seconds.Leaves, explained)
		}
		if s.Leaves != nil && (s.Leaves.Deferred < s.Leaves.Groups/4 || s.Leaves.Late > s.Leaves.Deferred/4) {
			t.Errorf("%s: %+v", when, *s.Leaves)
		}
		data, err := os.ReadFile(filepath.Join(dir, when+".gif"))
		if err != nil {
			t.Fatal(err)
		}
		pictures = append(pictures, string(data))
	}
	if pictures[1] != pictures[0] || pictures[2] != pictures[0] {
		t.Error("the pictures differ")
	}
}
