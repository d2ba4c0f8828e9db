package tables

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"strings"
	"time"

	"lockstep/bench/report"
	"lockstep/lb"
	"lockstep/render"
)

// A wallCell holds the wall times of a scene that the renderer draws with one policy and one number of workers. Each
// time is the shortest of all frames. The time of a loop is the mean over the workers.
type wallCell struct {
	Experiment      string  `json:"experiment"`
	Dataset         string  `json:"dataset"`
	View            string  `json:"view"`
	Workers         int     `json:"workers"`
	ISA             string  `json:"isa"`
	Policy          string  `json:"policy"`
	SecondsScan     float64 `json:"seconds_scan"`
	SecondsZBuffer  float64 `json:"seconds_zbuffer"`
	SecondsFrame    float64 `json:"seconds_frame"`
	LaneUse         float64 `json:"lane_use"` // lane use of scan conversion
	LaneUseZBuffer  float64 `json:"lane_use_zbuffer"`
	Iterations      int64   `json:"iterations"`      // iterations of scan conversion
	Redistributions int64   `json:"redistributions"` // redistributions in both loops
}

// wallPolicies are the policies to compare. The first is the baseline.
var wallPolicies = []lb.Policy{lb.Never, lb.CostEffective, lb.Always}

// A wallScene is a scene in one view, whose wall times are measured.
type wallScene struct {
	dataset, scene string // name in the table, and name of the scene
	view           View
}

// wallScenes returns both versions of the paper's scene in all views, and two more scenes. One of these has small
// triangles and slivers as tall as the picture. The other has only small triangles.
func (t *Experiment) wallScenes() []wallScene {
	var all []wallScene
	for _, version := range []string{"unbalanced", "balanced"} { // in the order of Tables 2 and 3
		for _, view := range views {
			all = append(all, wallScene{version, t.sceneName(version, 0), view})
		}
	}
	slivers, bumpy := 100_000, 1_000_000
	if t.Triangles > 0 {
		slivers, bumpy = t.Triangles, t.Triangles
	}
	return append(all,
		wallScene{"slivers", fmt.Sprintf("slivers?triangles=%d", slivers), views[0]},
		wallScene{"bumpy", fmt.Sprintf("bumpy?triangles=%d", bumpy), views[0]})
}

// wallWorkers returns the numbers of workers to measure: one, and one per core.
func wallWorkers() []int {
	if n := runtime.GOMAXPROCS(0); n > 1 {
		return []int{1, n}
	}
	return []int{1}
}

// measureWall measures the wall times of all scenes.
func (t *Experiment) measureWall(ctx context.Context, out report.Output, cache *sceneCache) ([]wallCell, error) {
	rows := t.wallScenes()
	out.Begin("wall time", int64(len(rows)))
	defer out.End()
	b, err := newComparison(wallWorkers(), cache)
	if err != nil {
		return nil, fmt.Errorf("tables: %w", err)
	}
	defer b.close()
	var cells []wallCell
	for _, row := range rows {
		measured, err := b.measureScene(ctx, row, t.frameCount(), minWallTime)
		if err != nil {
			return nil, sceneError(row.scene, row.view, err)
		}
		cells = append(cells, measured...)
		out.Step(1)
	}
	return cells, nil
}

func (t *Experiment) frameCount() int {
	if t.Frames == 0 {
		return 12
	}
	return int(t.Frames)
}

// A contestant is a policy with a number of workers. It holds the shortest times of its frames.
type contestant struct {
	renderer *render.Renderer
	picture  render.Picture
	workers  int
	policy   lb.Policy
	stats    render.Stats // counts of the last frame, and the shortest times of all frames
}

// wallPause is the time between frames. Idle workers spin for less than half of this time before they sleep. So the
// workers of one renderer sleep when the next renderer uses the same cores.
const wallPause = 500 * time.Microsecond

// A comparison has one renderer for every number of workers, which all policies share. With separate renderers, frames
// would be at different places in memory. That alone made frames of half a millisecond differ by up to a sixth between
// policies that did the same.
type comparison struct {
	renderers []*render.Renderer
	runs      []*contestant
	cache     *sceneCache
}

func newComparison(workers []int, cache *sceneCache) (*comparison, error) {
	b := &comparison{cache: cache}
	for _, n := range workers {
		r, err := render.New(render.Options{Width: pictureSize, Height: pictureSize, Workers: n, Pin: true})
		if err != nil {
			b.close()
			return nil, err
		}
		b.renderers = append(b.renderers, r)
		for _, p := range wallPolicies {
			b.runs = append(b.runs, &contestant{renderer: r, workers: n, policy: p})
		}
	}
	return b, nil
}

func (b *comparison) close() {
	for _, r := range b.renderers {
		r.Close()
	}
}

// minWallTime is the least time for which frames of one scene are drawn. If a frame takes less than a millisecond, a
// dozen frames are too few: often none of them is as fast as possible.
const minWallTime = 500 * time.Millisecond

// measureScene draws a scene with all policies in turn, compares the pictures and returns the times. After one frame to
// warm up, it draws at least the given number of frames. It goes on drawing until the time `least` has passed.
func (b *comparison) measureScene(ctx context.Context, row wallScene, frames int, least time.Duration) ([]wallCell, error) {
	mesh, err := b.cache.load(ctx, row.scene)
	if err != nil {
		return nil, err
	}
	cam, err := fitView(ctx, mesh, row.view)
	if err != nil {
		return nil, err
	}
	start := time.Now()
	for frame := 0; frame <= frames || time.Since(start) < least; frame++ {
		for i := range b.runs {
			r := b.contestantAt(frame, i)
			time.Sleep(wallPause)
			o := r.renderer.Options()
			o.Balance = r.policy
			if err := r.renderer.SetOptions(o); err != nil {
				return nil, err
			}
			stats, err := r.renderer.Frame(ctx, mesh, cam, &r.picture)
			if err != nil {
				return nil, err
			}
			r.recordTimes(stats, frame <= 1)
		}
		if err := b.comparePictures(); err != nil {
			return nil, err
		}
	}
	var cells []wallCell
	for _, r := range b.runs {
		cells = append(cells, r.cell(row))
	}
	return cells, nil
}

// contestantAt returns contestant i of a round, in which each contestant draws a frame. When a renderer draws its first
// frame of a round, the caches do not hold its memory any more. So in each round another policy draws first.
func (b *comparison) contestantAt(round, i int) *contestant {
	n := len(wallPolicies)
	return b.runs[i/n*n+(i+round)%n]
}

// recordTimes records the counts of a frame. It also records each time that is shorter than the recorded one, or all
// times if first is true.
func (r *contestant) recordTimes(s render.Stats, first bool) {
	if !first {
		old := r.stats.Seconds
		for _, d := range []struct{ now, before *time.Duration }{
			{&s.Seconds.Scan, &old.Scan}, {&s.Seconds.ZBuffer, &old.ZBuffer}, {&s.Seconds.Frame, &old.Frame},
		} {
			*d.now = min(*d.now, *d.before)
		}
	}
	r.stats = s
}

func (r *contestant) cell(row wallScene) wallCell {
	scan, zbuffer, seconds := r.stats.Loops[0], r.stats.Loops[1], r.stats.Seconds
	return wallCell{
		Experiment: "tables-wall", Dataset: row.dataset, View: row.view.Name, Workers: r.workers,
		ISA: r.renderer.ISA().String(), Policy: r.policy.String(),
		SecondsScan: seconds.Scan.Seconds(), SecondsZBuffer: seconds.ZBuffer.Seconds(), SecondsFrame: seconds.Frame.Seconds(),
		LaneUse: scan.LaneUse, LaneUseZBuffer: zbuffer.LaneUse, Iterations: scan.Iterations,
		Redistributions: scan.Redistributions + zbuffer.Redistributions,
	}
}

// comparePictures returns an error if two pictures differ, because no policy and no number of workers may change a
// picture. The error names the first pixel that differs.
func (b *comparison) comparePictures() error {
	first := b.runs[0]
	for _, r := range b.runs[1:] {
		if bytes.Equal(first.picture.Pix, r.picture.Pix) {
			continue
		}
		at := 0
		for at < min(len(first.picture.Pix), len(r.picture.Pix)) && first.picture.Pix[at] == r.picture.Pix[at] {
			at++
		}
		return fmt.Errorf("the pictures differ at pixel (%d, %d): %s with %d workers, %s with %d",
			at/4%pictureSize, at/4/pictureSize, first.policy, first.workers, r.policy, r.workers)
	}
	return nil
}

// wallRows returns the cells for one number of workers. It has a row for each scene, with a cell for each of
// wallPolicies.
func wallRows(cells []wallCell, workers int) (rows [][]wallCell) {
	for i := 0; i+len(wallPolicies) <= len(cells); i += len(wallPolicies) {
		if cells[i].Workers == workers {
			rows = append(rows, cells[i:i+len(wallPolicies)])
		}
	}
	return rows
}

// printWall prints a table of wall times for each number of workers.
func printWall(text *strings.Builder, cells []wallCell) {
	for _, workers := range workerCounts(cells) {
		rows := wallRows(cells, workers)
		fmt.Fprintf(text, "\nWall time of %s with %s, ms a frame of %dx%d: never / cost / always\n",
			report.Plural(workers, "worker"), rows[0][0].ISA, pictureSize, pictureSize)
		t := report.NewTable(text)
		fmt.Fprintln(t, "data set\tview\tscan conversion\tz-buffer\tframe\tlane use, scan\tz-buffer\tcost against never: scan\tz-buffer\tframe\t")
		for _, row := range rows {
			never, cost := row[0], row[1]
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%.2f\t%.2f\t%.2f\t\n", never.Dataset, never.View,
				joinValues(row, "%.3f", func(c wallCell) float64 { return 1e3 * c.SecondsScan }),
				joinValues(row, "%.3f", func(c wallCell) float64 { return 1e3 * c.SecondsZBuffer }),
				joinValues(row, "%.3f", func(c wallCell) float64 { return 1e3 * c.SecondsFrame }),
				joinValues(row, "%.2f", func(c wallCell) float64 { return c.LaneUse }),
				joinValues(row, "%.2f", func(c wallCell) float64 { return c.LaneUseZBuffer }),
				never.SecondsScan/cost.SecondsScan, never.SecondsZBuffer/cost.SecondsZBuffer, never.SecondsFrame/cost.SecondsFrame)
		}
		t.Flush()
	}
}

// workerCounts returns the numbers of workers in the cells, in increasing order, each once.
func workerCounts(cells []wallCell) (numbers []int) {
	for _, c := range cells {
		if len(numbers) == 0 || c.Workers > numbers[len(numbers)-1] {
			numbers = append(numbers, c.Workers)
		}
	}
	return numbers
}

// joinValues formats the values of the cells of a row, separated by slashes.
func joinValues(row []wallCell, format string, value func(wallCell) float64) string {
	var parts []string
	for _, c := range row {
		parts = append(parts, fmt.Sprintf(format, value(c)))
	}
	return strings.Join(parts, " / ")
}
