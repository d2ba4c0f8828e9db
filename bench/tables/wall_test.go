package tables

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/bench/report"
	"lockstep/lb"
	"lockstep/render"
)

// tinyWall draws a small scene once with every policy, by one worker and by three.
func tinyWall(t *testing.T) []wallCell {
	t.Helper()
	b, err := newComparison([]int{1, 3}, new(sceneCache))
	if err != nil {
		t.Fatal(err)
	}
	defer b.close()
	cells, err := b.measureScene(t.Context(), wallScene{"slivers", "slivers?triangles=600", views[0]}, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	return cells
}

// TestWallTable checks that every policy has its cells, in order, with plausible counts. It does not check times.
func TestWallTable(t *testing.T) {
	cells := tinyWall(t)
	if len(cells) != 6 {
		t.Fatalf("%d cells", len(cells))
	}
	for i, c := range cells {
		never := cells[i/3*3]
		if c.Experiment != "tables-wall" || c.Dataset != "slivers" || c.View != "(0,0)" ||
			c.Workers != []int{1, 3}[i/3] || c.Policy != wallPolicies[i%3].String() || c.ISA == "" {
			t.Errorf("cell %d: %+v", i, c)
		}
		if !(c.SecondsScan > 0 && c.SecondsZBuffer > 0 && c.SecondsFrame >= c.SecondsScan) {
			t.Errorf("cell %d: times %+v", i, c)
		}
		if c.LaneUse <= 0 || c.LaneUse > 1 || c.LaneUseZBuffer <= 0 || c.LaneUseZBuffer > 1 {
			t.Errorf("cell %d: lane use %+v", i, c)
		}
		switch c.Policy {
		case "never":
			if c.Redistributions != 0 && c.Workers == 1 {
				t.Errorf("cell %d: redistributions under never: %+v", i, c)
			}
		default: // the scene has 36 slivers as tall as the picture
			if c.Redistributions == 0 || c.Iterations >= never.Iterations || c.LaneUse <= never.LaneUse {
				t.Errorf("cell %d: nothing balanced: %+v, never %+v", i, c, never)
			}
		}
	}
}

// TestWallComparesPictures checks that it is an error if the picture depends on the policy. The error must name the
// pixel.
func TestWallComparesPictures(t *testing.T) {
	pix := make([]byte, 4*pictureSize*pictureSize)
	other := bytes.Clone(pix)
	other[4*(3*pictureSize+7)+1] = 1
	b := &comparison{runs: []*contestant{
		{picture: render.Picture{Pix: pix}, workers: 1, policy: lb.Never},
		{picture: render.Picture{Pix: bytes.Clone(pix)}, workers: 1, policy: lb.CostEffective},
		{picture: render.Picture{Pix: other}, workers: 2, policy: lb.Always},
	}}
	err := b.comparePictures()
	if err == nil || !strings.Contains(err.Error(), "pixel (7, 3): never with 1 workers, always with 2") {
		t.Errorf("error %v", err)
	}
	b.runs = b.runs[:2]
	if err := b.comparePictures(); err != nil {
		t.Error(err)
	}
}

// TestWallTakesTheFastest checks that the shortest time of each stage is recorded, from the second frame on. Different
// stages may have their shortest times in different frames.
func TestWallTakesTheFastest(t *testing.T) {
	r := new(contestant)
	for i, s := range []render.Seconds{{Scan: 1, ZBuffer: 1, Frame: 1}, {Scan: 5, ZBuffer: 7, Frame: 30}, {Scan: 6, ZBuffer: 4, Frame: 20}} {
		r.recordTimes(render.Stats{Seconds: s}, i <= 1)
	}
	if got, want := r.stats.Seconds, (render.Seconds{Scan: 5, ZBuffer: 4, Frame: 20}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestWallOutput(t *testing.T) {
	cells := tinyWall(t)
	var text strings.Builder
	printWall(&text, cells)
	for _, want := range []string{"1 worker with", "3 workers with", "slivers", "never / cost / always"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
	var out bytes.Buffer
	if err := writeJSON(&out, []cell{{Experiment: "tables"}}, cells); err != nil {
		t.Fatal(err)
	}
	want := strings.Fields("experiment dataset view workers isa policy seconds_scan seconds_zbuffer seconds_frame lane_use lane_use_zbuffer iterations redistributions")
	lines := 0
	for scanner := bufio.NewScanner(&out); scanner.Scan(); lines++ {
		var object map[string]any
		if err := json.Unmarshal(scanner.Bytes(), &object); err != nil {
			t.Fatal(err)
		}
		if object["experiment"] == "tables" {
			continue
		}
		for _, key := range want {
			if _, ok := object[key]; !ok {
				t.Errorf("no key %q in %s", key, scanner.Bytes())
			}
		}
		if len(object) != len(want) {
			t.Errorf("keys %v", object)
		}
	}
	if lines != 7 {
		t.Errorf("%d lines", lines)
	}
	dir := t.TempDir()
	if err := drawWall(report.Output{}.Folder(dir), cells); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"wall.svg", "wall.png"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := drawWall(report.Output{}.Folder(filepath.Join(dir, "none")), nil); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "none")); err == nil {
		t.Error("drew nothing into a folder")
	}
}

// TestWallScenes checks that there are both versions in four views, and two more scenes. The flag --triangles must
// apply to all of them.
func TestWallScenes(t *testing.T) {
	rows := (&Experiment{}).wallScenes()
	if len(rows) != 10 || rows[0].dataset != "unbalanced" || rows[8].scene != "slivers?triangles=100000" || rows[9].dataset != "bumpy" {
		t.Errorf("%+v", rows)
	}
	for _, row := range (&Experiment{Triangles: 5000}).wallScenes() {
		if !strings.Contains(row.scene, "triangles=5000") {
			t.Errorf("%+v", row)
		}
	}
}

// TestWallTakesTurns checks that every policy draws once in every round. In a third of the rounds it must be the first
// policy to draw on its renderer.
func TestWallTakesTurns(t *testing.T) {
	b := new(comparison)
	for i := range 2 * len(wallPolicies) {
		b.runs = append(b.runs, &contestant{workers: i / len(wallPolicies), policy: wallPolicies[i%len(wallPolicies)]})
	}
	first := map[lb.Policy]int{}
	for round := range len(wallPolicies) {
		seen := map[*contestant]bool{}
		for i := range b.runs {
			r := b.contestantAt(round, i)
			if r.workers != i/len(wallPolicies) {
				t.Errorf("round %d, turn %d: renderer %d", round, i, r.workers)
			}
			seen[r] = true
			if i%len(wallPolicies) == 0 {
				first[r.policy]++
			}
		}
		if len(seen) != len(b.runs) {
			t.Errorf("round %d: %d of %d have a turn", round, len(seen), len(b.runs))
		}
	}
	for _, p := range wallPolicies {
		if first[p] != 2 {
			t.Errorf("%s is first %d times, want 2", p, first[p])
		}
	}
}
