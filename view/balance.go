package view

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	"lockstep/render"
	"lockstep/render/recipe"
	"lockstep/scenes"
)

// A balancePanel holds the report about balancing that the page shows in a panel.
type balancePanel struct {
	report     []byte // the next report to send; nil if there is none
	reportedAt time.Time
	seconds    []render.Seconds
}

// reportEvery is the least time between two reports.
const reportEvery = 100 * time.Millisecond

// takeReport returns the report to send, or nil. It returns each report only once.
func (p *balancePanel) takeReport() []byte {
	report := p.report
	p.report = nil
	return report
}

// A balanceInfo reports how the renderer balanced its lanes and workers in a movement (a picture drawn while the mesh
// moves), and how the quality was adapted. Times are in milliseconds.
type balanceInfo struct {
	Kind    string      `json:"kind"` // always balance
	Seq     uint32      `json:"seq"`
	Frame   float64     `json:"frame"`
	Stages  []string    `json:"stages"`
	Workers [][]float64 `json:"workers"` // time of each worker in each stage
	// LaneUse is the share of the SIMD lanes that had work in scan conversion: first with balancing, then without.
	LaneUse [2]float64 `json:"laneUse"`
	Words   []string   `json:"words"`

	Rule     string    `json:"rule"`
	Decision string    `json:"decision"`
	Wanted   float64   `json:"wanted"`
	Trips    []float64 `json:"trips"`
	Levels   []int     `json:"levels"` // Levels[i] is the level that was chosen after Trips[i]
}

// panelStages are the names of the stages of a frame in the panel.
var panelStages = []string{"reading", "geometry", "scan conversion", "z-buffer", "merging", "light and pixels"}

// stageTimes returns the times of a worker, in the order of panelStages.
func stageTimes(s *render.Seconds) (times []float64) {
	for _, d := range []time.Duration{s.Read, s.Geometry, s.Scan, s.ZBuffer, s.Merge, s.Resolve} {
		times = append(times, rounded(d.Seconds()*1e3))
	}
	return times
}

// rounded rounds v to thousandths, for short reports.
func rounded(v float64) float64 { return math.Round(v*1e3) / 1e3 }

// makeReport makes the report about the latest movement, unless the previous report is less than reportEvery old.
func (s *session) makeReport(r *request, stats *render.Stats) {
	now := time.Now()
	if now.Sub(s.panel.reportedAt) < reportEvery {
		return
	}
	s.panel.reportedAt = now
	info := balanceInfo{
		Kind: "balance", Seq: r.Seq, Frame: rounded(stats.Seconds.Frame.Seconds() * 1e3), Stages: panelStages, Words: explainBalance(stats),
		LaneUse: [2]float64{rounded(stats.Loops[0].LaneUse), rounded(stats.Loops[0].LaneUseUnbalanced)},
		Rule:    s.quality.rule, Decision: s.quality.explain(), Wanted: targetTrip,
	}
	s.panel.seconds = s.drawing.Renderer.AppendWorkerSeconds(s.panel.seconds[:0])
	for i := range s.panel.seconds {
		info.Workers = append(info.Workers, stageTimes(&s.panel.seconds[i]))
	}
	for _, t := range s.quality.trips {
		info.Trips, info.Levels = append(info.Trips, math.Round(t.milliseconds*10)/10), append(info.Levels, t.level)
	}
	text, err := json.Marshal(info)
	if err == nil {
		s.panel.report = text
	}
}

// explainBalance describes in words how a frame was balanced: which work was moved, the expected savings and cost, the
// time of moving, and why other work was not moved.
func explainBalance(s *render.Stats) (words []string) {
	b, l := &s.Balance, &s.Loops[0]
	say := func(format string, args ...any) { words = append(words, fmt.Sprintf(format, args...)) }
	asTime := func(iterations float64) string {
		if b.Iteration == 0 {
			return ""
		}
		return fmt.Sprintf(" (%.3f ms)", iterations*b.Iteration*1e3)
	}
	switch {
	case l.Iterations == 0:
		return []string{"Nothing was to be scan converted."}
	case b.Polygons == 0:
		say("Keep: no move of work to idle lanes would have saved more than its estimated cost, %.0f iterations%s a polygon.", b.Cost, asTime(b.Cost))
	default:
		say("Redistribute: the rows of %d polygons were moved to idle lanes, to save %d iterations%s at an estimated cost of at most %.0f%s.",
			b.Polygons, b.Predicted, asTime(float64(b.Predicted)), b.PredictedCost, asTime(b.PredictedCost))
		say("Keep: the other polygons stayed, as moving one costs some %.0f iterations%s and would have saved less.", b.Cost, asTime(b.Cost))
	}
	if l.Iterations != l.IterationsUnbalanced {
		say("Scan conversion took %d iterations in place of %d.", l.Iterations, l.IterationsUnbalanced)
	}
	if b.Shared > 0 {
		say("Redistribute: the %d largest polygons were divided among the workers.", b.Shared)
	}
	if b.Judged > 0 {
		say("Of %d moves that were timed, %d cost more than estimated.", b.Judged, b.Dearer)
	}
	if s.Leaves.Groups > 0 {
		say("Of %d groups of triangles, %d were expected to be hidden and deferred; %d of these were seen and drawn after all.", s.Leaves.Groups, s.Leaves.Deferred, s.Leaves.Late)
	}
	return words
}

// explain describes in words why the quality changed, or did not, after the last round trip.
func (q *quality) explain() string {
	switch {
	case q.fixed:
		return "The quality never changes."
	case len(q.trips) == 0:
		return "Nothing has moved yet."
	}
	return q.decision.String()
}

// heatField is the name of the field of a heat picture.
const heatField = "ms a block"

// drawHeat draws a still picture whose colours show how long each block of triangles takes to draw, in the view of a
// request.
func (s *session) drawHeat(ctx context.Context, r *request) ([]byte, error) {
	began := time.Now()
	p := s.picture(r)
	if err := p.Validate(); err != nil {
		return nil, err
	}
	in, err := s.inputForGeometry(ctx, p)
	if err != nil {
		return nil, err
	}
	cam, err := p.Fit(ctx, in)
	if err != nil {
		return nil, err
	}
	if in, err = s.wholeInput(ctx, p, renderOptions(&s.server.options.Drawer, p)); err != nil {
		return nil, err
	}
	mesh, err := s.heatMesh(ctx, p, in, cam)
	if err != nil {
		return nil, err
	}
	// The picture needs no cuts and no parts, because the mesh is cut already.
	hot := recipe.Picture{Meshes: []recipe.Mesh{{File: p.Meshes[0].File}}, Size: p.Size, Up: p.UpOf(in).String(), Camera: p.Camera}
	hot.Look.Field, hot.Look.Colormap, hot.Lines.Legend, hot.Look.Samples = heatField, "inferno", true, 4
	d := s.server.options.Drawer
	of, err := d.OpenBase(ctx, recipe.BaseOf(hot, mesh), hot, renderOptions(&s.server.options.Drawer, hot))
	if err != nil {
		return nil, err
	}
	s.out.Reset()
	if err := d.InputPNG(ctx, &s.out, of, hot); err != nil {
		return nil, err
	}
	return append(pictureHeader(r.Seq, still, 1, time.Since(began).Seconds(), 0), s.out.Bytes()...), nil
}

// heatFrames is how many frames are drawn to measure the blocks. The first frame is not measured. A block gets its
// shortest time in the other frames, because other programs interrupt some frames.
const heatFrames = 4

// heatMesh returns the mesh of an input with a field of drawing times. The value of a triangle is the time of its
// block.
func (s *session) heatMesh(ctx context.Context, p recipe.Picture, in *recipe.Input, cam render.Camera) (*scenes.Mesh, error) {
	o := renderOptions(&s.server.options.Drawer, p)
	o.TimeBlocks = true
	renderer, err := render.New(o)
	if err != nil {
		return nil, err
	}
	defer renderer.Close()
	var seconds []float64
	for frame := range heatFrames {
		if _, err := renderer.Frame(ctx, in.Source, cam, &s.pic); err != nil {
			return nil, err
		}
		switch now := renderer.BlockSeconds(); frame {
		case 0: // the first frame only warms up memory and caches
		case 1:
			seconds = slices.Clone(now)
		default:
			for i := range seconds {
				seconds[i] = min(seconds[i], now[i])
			}
		}
	}
	size := renderer.Options().BlockSize
	mesh := *in.Mesh()
	values := make([]float32, mesh.Len())
	for t := range values {
		if block := t / size; block < len(seconds) {
			values[t] = float32(seconds[block] * 1e3)
		}
	}
	mesh.Colors, mesh.Attributes = nil, &scenes.Attributes{Fields: []scenes.Field{{Name: heatField, OfTriangles: true, Values: values}}}
	return &mesh, nil
}
