package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"text/tabwriter"
	"time"

	"lockstep/internal/budget"
	"lockstep/internal/phrase"
	"lockstep/internal/pictureflags"
	"lockstep/render"
	"lockstep/render/atomicfile"
	"lockstep/vp"
)

// statistics is the output of --stats. Other programs may read the JSON keys, so the keys must not change.
type statistics struct {
	Mesh          meshStatistics       `json:"mesh"`
	Frames        *int                 `json:"frames,omitempty"`
	Image         imageStatistics      `json:"image"`
	Triangles     render.TriangleStats `json:"triangles"`
	Spans         int64                `json:"spans"`
	Pixels        int64                `json:"pixels"`
	Workers       int                  `json:"workers"`
	WantedWorkers int                  `json:"workers_wanted,omitempty"` // set if memory allows only fewer workers
	Pinned        bool                 `json:"pinned"`
	ISA           string               `json:"isa"`
	Balance       balanceStatistics    `json:"balance"`
	Leaves        *render.LeavesStats  `json:"leaves,omitempty"` // counts of deferred groups of triangles
	Hidden        *render.HiddenStats  `json:"hidden,omitempty"` // counts of deferred polygons; nil if there were none
	Seconds       secondsStatistics    `json:"seconds"`
	PeakRSSBytes  int64                `json:"peak_rss_bytes"`

	normals vp.Stats // statistics of the loops that computed the normals; zero if none were computed
}

type meshStatistics struct {
	Path      string `json:"path"`
	Format    string `json:"format"`
	Triangles int64  `json:"triangles"`
	Bytes     int64  `json:"bytes"`
	Dropped   int64  `json:"dropped"`
}

type imageStatistics struct {
	Width   int   `json:"width"`
	Height  int   `json:"height"`
	Covered int64 `json:"covered"` // pixels
}

type balanceStatistics struct {
	Policy string           `json:"policy"`
	Loops  []loopStatistics `json:"loops"`
}

// loopStatistics holds the statistics of a vector loop, such as scan conversion. All lanes of a vector take one step in
// each iteration. Balancing moves work to idle lanes if it predicts that this saves more iterations than it costs.
// Costs are in iterations.
type loopStatistics struct {
	render.LoopStats
	Polygons         int64   `json:"polygons"`          // polygons whose rows were moved to idle lanes
	Shared           int64   `json:"shared"`            // polygons that several workers drew together
	Cost             float64 `json:"cost"`              // upper bound of the iterations that moving a polygon's rows costs
	SavingsPredicted int64   `json:"savings_predicted"` // iterations that moving work should have saved
	CostPredicted    float64 `json:"cost_predicted"`    // upper bound of the cost, in iterations, of all moves of work
	Seconds          float64 `json:"redistribution_seconds"`
	Judged           int64   `json:"judged"`         // moves of work whose time was measured
	Underestimated   int64   `json:"underestimated"` // measured moves that cost more than predicted

	iteration float64 // seconds of an iteration, divided by the number of workers; 0 means unknown
}

type secondsStatistics struct {
	// Read is the time of reading before the frame, plus the time of reading blocks while the frame is drawn. The
	// time of reading blocks is also part of Frame.
	Read     float64 `json:"read"`
	Frame    float64 `json:"frame"`
	Leaves   float64 `json:"leaves"` // time of sorting triangles into groups of neighbours; not part of Frame
	Geometry float64 `json:"geometry"`
	Scan     float64 `json:"scan"`
	ZBuffer  float64 `json:"zbuffer"`
	Merge    float64 `json:"merge"`
	Resolve  float64 `json:"resolve"`
	Encode   float64 `json:"encode"`
	Total    float64 `json:"total"`
}

// A tally sums the statistics of frames.
type tally struct {
	sum     render.Stats
	dropped int64 // number of triangles dropped in each frame
	frames  int
	encoded time.Duration
}

// newTally returns empty sums. They contain scan conversion and the z-buffer loop, so that both are printed even if
// they did no work.
func newTally(dropped int64) tally {
	return tally{
		dropped: dropped,
		sum:     render.Stats{Loops: [2]render.LoopStats{{Name: render.TraceScan}, {Name: render.TraceZBuffer}}},
	}
}

// countDroppedMesh counts the triangles of a mesh whose triangles are all dropped. No frame of such a mesh is drawn.
func (t *tally) countDroppedMesh() { t.sum.Triangles.In = t.dropped }

// add adds the statistics of one frame.
func (t *tally) add(s *render.Stats) {
	t.frames++
	t.dropped = s.Triangles.Dropped
	t.sum.Add(s)
}

// loopStatistics returns the statistics of scan conversion and of the z-buffer loop. The statistics of scan
// conversion include how balancing moved work.
func (t *tally) loopStatistics(workers int) []loopStatistics {
	loops := make([]loopStatistics, len(t.sum.Loops))
	for i, l := range t.sum.Loops {
		loops[i].LoopStats = l
		if l.Name != "scan" {
			continue
		}
		b := &t.sum.Balance
		loops[i] = loopStatistics{
			LoopStats: l, Polygons: b.Polygons, Shared: b.Shared, Cost: b.Cost,
			SavingsPredicted: b.Predicted, CostPredicted: b.PredictedCost, Seconds: b.Seconds,
			Judged: b.Judged, Underestimated: b.Dearer, iteration: b.Iteration / float64(workers),
		}
	}
	return loops
}

// printStatistics prints the statistics (--stats) and then the explanation (--explain) on standard error, if these
// flags are set. The parameter frames is nil for a single picture.
func (w *pipeline) printStatistics(f *pictureflags.Draw, frames *int) error {
	if f.Stats == "" && !f.Explain {
		return nil
	}
	s := w.statistics(frames)
	w.app.Progress.Clear()
	var err error
	switch f.Stats {
	case "text":
		err = s.print(w.app.Stderr)
	case "json":
		err = json.NewEncoder(w.app.Stderr).Encode(s)
	}
	if err == nil && f.Explain {
		err = s.printExplanations(w.app.Stderr)
	}
	if err != nil {
		return &atomicfile.Error{File: "standard error", Err: err}
	}
	return nil
}

func (w *pipeline) statistics(frames *int) statistics {
	sum, seconds := &w.sum, &w.sum.Seconds
	machine := w.Renderer.Machine()
	var normals vp.Stats
	if s, ok := w.Input.Source.(*render.Surface); ok {
		normals = s.Normals()
	}
	var leaves *render.LeavesStats
	if sum.Leaves.Groups > 0 {
		leaves = &sum.Leaves
	}
	var hidden *render.HiddenStats
	if sum.Hidden.Deferred > 0 {
		hidden = &sum.Hidden
	}
	return statistics{
		normals: normals,
		Mesh: meshStatistics{
			Path: w.Input.Path, Format: w.Input.Format, Bytes: w.Input.Bytes,
			Triangles: int64(w.Input.Source.Len()), Dropped: w.dropped,
		},
		Frames:        frames,
		Image:         imageStatistics{Width: w.Width, Height: w.Height, Covered: sum.Covered},
		Triangles:     sum.Triangles,
		Spans:         sum.Spans,
		Pixels:        sum.Pixels,
		Workers:       machine.Workers(),
		WantedWorkers: w.wantedWorkers,
		Pinned:        machine.Pinned() == machine.Workers(),
		ISA:           w.Renderer.ISA().String(),
		Balance:       balanceStatistics{Policy: w.policy, Loops: w.loopStatistics(machine.Workers())},
		Leaves:        leaves,
		Hidden:        hidden,
		Seconds: secondsStatistics{
			Read:     (w.Input.ReadTime + seconds.Read).Seconds(),
			Frame:    seconds.Frame.Seconds(),
			Leaves:   seconds.Leaves.Seconds(),
			Geometry: seconds.Geometry.Seconds(),
			Scan:     seconds.Scan.Seconds(),
			ZBuffer:  seconds.ZBuffer.Seconds(),
			Merge:    seconds.Merge.Seconds(),
			Resolve:  seconds.Resolve.Seconds(),
			Encode:   w.encoded.Seconds(),
			Total:    time.Since(w.app.Began).Seconds(),
		},
		PeakRSSBytes: budget.PeakRSS(),
	}
}

// print writes the statistics as a table for people.
func (s *statistics) print(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row := func(name, format string, args ...any) { fmt.Fprintf(t, name+"\t"+format+"\n", args...) }
	row("mesh", "%s, %s, %s, %d bytes, %d dropped", phrase.OneLine(meshName(s.Mesh.Path)), s.Mesh.Format, phrase.Plural(s.Mesh.Triangles, "triangle"), s.Mesh.Bytes, s.Mesh.Dropped)
	if s.Frames != nil {
		row("frames", "%d", *s.Frames)
	}
	row("image", "%dx%d, %d pixels covered", s.Image.Width, s.Image.Height, s.Image.Covered)
	row("triangles", "%d in, %d culled, %d clipped, %d drawn", s.Triangles.In, s.Triangles.Culled, s.Triangles.Clipped, s.Triangles.Drawn)
	row("spans", "%d", s.Spans)
	row("pixels", "%d tested", s.Pixels)
	fewer := ""
	if s.WantedWorkers > 0 {
		fewer = fmt.Sprintf(" of %d, for lack of memory", s.WantedWorkers)
	}
	row("workers", "%d%s, pinned: %t, %s", s.Workers, fewer, s.Pinned, s.ISA)
	row("balance", "%s", s.Balance.Policy)
	for _, l := range s.Balance.Loops {
		row("  "+l.Name, "%d iterations (%d without balancing), work moved %s, %.1f %% of the lanes used (%.1f %% without balancing)",
			l.Iterations, l.IterationsUnbalanced, phrase.Plural(l.Redistributions, "time"), 100*l.LaneUse, 100*l.LaneUseUnbalanced)
		if l.Polygons > 0 {
			row("", "rows of %d polygons moved to save %d iterations at an estimated cost of at most %.0f, in %.4f seconds; %d of %d moves cost more than estimated",
				l.Polygons, l.SavingsPredicted, l.CostPredicted, l.Seconds, l.Underestimated, l.Judged)
		}
	}
	if s.Leaves != nil {
		row("groups", "%d of 64 triangles, %d of them deferred, of these %d drawn after all", s.Leaves.Groups, s.Leaves.Deferred, s.Leaves.Late)
	}
	if s.Hidden != nil {
		row("hidden", "%d polygons deferred, of these %d drawn after all", s.Hidden.Deferred, s.Hidden.Late)
	}
	x := s.Seconds
	row("seconds", "%.4f total: %.4f read, %.4f frame, %.4f encode", x.Total, x.Read, x.Frame, x.Encode)
	row("  frame", "%.4f geometry, %.4f scan, %.4f zbuffer, %.4f merge, %.4f resolve", x.Geometry, x.Scan, x.ZBuffer, x.Merge, x.Resolve)
	row("memory", "%.1f MiB at most", float64(s.PeakRSSBytes)/(1<<20))
	return t.Flush()
}

// printExplanations prints one line for each vector loop. The line for scan conversion begins with the time that
// balancing saved.
func (s *statistics) printExplanations(w io.Writer) error {
	for i := range s.Balance.Loops {
		l := &s.Balance.Loops[i]
		text := l.explanation(s.Balance.Policy, s.Seconds.Scan)
		if l.Name == render.TraceZBuffer && l.Iterations > 0 {
			text = fmt.Sprintf("not balanced: all lanes work on one run of one span, so there is nothing to move; the runs fill %.1f %% of the lanes", 100*l.LaneUse)
		}
		if _, err := fmt.Fprintf(w, "%s: %s\n", l.Name, text); err != nil {
			return err
		}
	}
	if l := s.Leaves; l != nil {
		text := fmt.Sprintf("%.0f %% of the groups of triangles that may be in the picture were deferred, as hidden in frames before, and not drawn; %.0f %% were deferred and seen after all",
			100*float64(l.Deferred-l.Late)/float64(l.Groups), 100*float64(l.Late)/float64(l.Groups))
		if _, err := fmt.Fprintf(w, "leaves: %s\n", text); err != nil {
			return err
		}
	}
	if s.normals.Tasks == 0 {
		return nil
	}
	_, err := fmt.Fprintf(w, "normals: %s\n", explainTasks(&s.normals))
	return err
}

// explanation describes how much time balancing saved in a vector loop, and which work was moved. seconds is the time
// of the loop.
func (l *loopStatistics) explanation(policy string, seconds float64) string {
	use := fmt.Sprintf("%.1f %% of the lanes were used", 100*l.LaneUse)
	switch {
	case l.Iterations == 0:
		return "not balanced: it had nothing to do"
	case policy == "never":
		return "not balanced: --balance never; " + use
	case l.Redistributions == 0 && policy == "always":
		return "balancing made no difference: no move would have saved an iteration; " + use
	case l.Redistributions == 0:
		return fmt.Sprintf("balancing made no difference: no move of work would have saved more than its estimated cost, %.0f iterations a polygon; %s", l.Cost, use)
	}
	text := l.describeSavedTime(seconds) + l.movesText()
	text += fmt.Sprintf("; %s, %.1f %% without balancing", use, 100*l.LaneUseUnbalanced)
	if l.Judged > 0 {
		text += fmt.Sprintf("; %d of %s (%.1f %%) cost more than estimated", l.Underestimated, phrase.Plural(l.Judged, "move"),
			100*float64(l.Underestimated)/float64(l.Judged))
	}
	return text
}

// explainTasks describes how loops over tasks of different durations were balanced.
func explainTasks(n *vp.Stats) string {
	tasks := fmt.Sprintf("%s on %s", phrase.Plural(n.Tasks, "task"), phrase.Plural(int64(n.Processors), "worker"))
	if n.Processors < 2 {
		return "not balanced: " + tasks
	}
	if n.Redistributions == 0 {
		return "balancing made no difference: no move of tasks would have saved more than its estimated cost; " + tasks
	}
	return fmt.Sprintf("balancing moved tasks %s to workers that had none left; %s", phrase.Plural(int64(n.Redistributions), "time"), tasks)
}

// minDifference is the smallest fraction of a loop's time that is reported as a difference. Smaller differences may
// come from the clock and from other programs.
const minDifference = 0.01

// describeSavedTime describes how much of the loop's time balancing saved.
//
// It multiplies the saved iterations by the shortest time of an iteration. Then it subtracts the time of moving work
// and of doing the moved work. The time for dividing polygons among workers is not measured. If the time of an
// iteration is unknown, verdict states iterations instead of a time.
func (l *loopStatistics) describeSavedTime(seconds float64) string {
	iterations := l.IterationsUnbalanced - l.Iterations
	saved := float64(iterations)*l.iteration - l.Seconds
	total := seconds + saved
	measured := l.iteration > 0 && l.Seconds > 0
	switch {
	case measured && math.Abs(saved) < minDifference*total:
		return fmt.Sprintf("balancing made no difference (%s of %s)", milliseconds(math.Abs(saved)), milliseconds(total))
	case measured && saved < 0:
		return fmt.Sprintf("balancing cost about %s more than it saved, of %s", milliseconds(-saved), milliseconds(seconds))
	case measured:
		return fmt.Sprintf("balancing saved about %s of %s", milliseconds(saved), milliseconds(total))
	case l.Shared > 0 && l.Polygons == 0:
		return "balancing gave polygons to several workers; how much time that saved was not measured"
	case math.Abs(float64(iterations)) < minDifference*float64(l.IterationsUnbalanced):
		return fmt.Sprintf("balancing made no difference (%d of %d iterations)", iterations, l.IterationsUnbalanced)
	}
	return fmt.Sprintf("balancing saved %d of %d iterations; how much time that is was not measured", iterations, l.IterationsUnbalanced)
}

// movesText describes the work that was moved, the predicted savings, and the time of moving. It counts polygons that
// several workers share separately, because their savings are not predicted.
func (l *loopStatistics) movesText() (text string) {
	if l.Polygons > 0 {
		text = fmt.Sprintf("; rows of %s were moved to idle lanes, to save %d iterations%s at an estimated cost of at most %.0f%s",
			phrase.Plural(l.Polygons, "polygon"), l.SavingsPredicted, l.timeInBrackets(float64(l.SavingsPredicted)), l.CostPredicted, l.timeInBrackets(l.CostPredicted))
		if l.Seconds > 0 {
			text += fmt.Sprintf(", which took %s", milliseconds(l.Seconds))
		}
	}
	if l.Shared > 0 {
		text += fmt.Sprintf("; %d of the largest polygons were divided among several workers", l.Shared)
	}
	return text + fmt.Sprintf("; %d iterations instead of %d", l.Iterations, l.IterationsUnbalanced)
}

// timeInBrackets returns the time of iterations in brackets, or "" if the time is unknown.
func (l *loopStatistics) timeInBrackets(iterations float64) string {
	if l.iteration == 0 {
		return ""
	}
	return " (" + milliseconds(iterations*l.iteration) + ")"
}

func milliseconds(seconds float64) string { return fmt.Sprintf("%.3f ms", 1e3*seconds) }
