package film

import (
	"container/heap"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"lockstep/bench/report"
	"lockstep/lb/overlay"
	"lockstep/lb/overlay/simulate"
)

// A HandOut compares two ways to hand out the frames of a film to nodes. In both, a node draws whole frames, and the
// film is simulated. In the first way, nodes get the frames one by one from the queue of a server. In the second way,
// nodes give frames to each other along an overlay network, which is a tree with bridges.
type HandOut struct {
	Experiment string  `json:"experiment"`
	Nodes      int     `json:"nodes"`
	Frame      float64 `json:"frame_seconds"`
	Frames     int     `json:"frames"`
	Queue      float64 `json:"queue_seconds"` // time of the film with the queue
	Overlay    float64 `json:"overlay_seconds"`
	// QueueEfficiency is the time that one node would need to draw all frames, divided by Queue and by the number of
	// nodes. OverlayEfficiency is the same with Overlay in place of Queue.
	QueueEfficiency   float64 `json:"queue_efficiency"`
	OverlayEfficiency float64 `json:"overlay_efficiency"`
	Messages          float64 `json:"messages_a_frame"` // number of messages per frame in the overlay
}

const (
	// overlayStart is the time in seconds from the start of a film on the overlay to its first frame. The coordinator
	// waits 200 ms for nodes. The rest is for sending the plan, the answers and the frames.
	overlayStart = 0.25
	// stepsPerFrame is how many times a simulated node reads its messages while it draws a frame. Real nodes can read
	// messages at any time, but with more steps the results would differ by less than a fortieth of the time of a
	// frame.
	stepsPerFrame = 20
)

// runHandOuts simulates a film for each combination of a drawing time (--hand-out) and a number of nodes (--nodes). It
// prints and draws the results.
func (e *Experiment) runHandOuts(ctx context.Context, out report.Output) error {
	var rows []HandOut
	out.Begin("simulating", int64(len(e.HandOut)*len(e.Nodes)))
	defer out.End()
	for _, frame := range e.HandOut {
		for _, nodes := range slices.Sorted(slices.Values(e.Nodes)) {
			row, err := e.simulateHandOut(ctx, frame, nodes)
			if err != nil {
				return err
			}
			rows = append(rows, row)
			out.Step(1)
		}
	}
	if err := e.printHandOuts(out.Stdout, rows); err != nil || e.Plot == "" {
		return err
	}
	return drawHandOuts(out.Folder(string(e.Plot)), rows)
}

// simulateHandOut simulates a film with the queue and with the overlay. frame is the time of a frame in seconds.
func (e *Experiment) simulateHandOut(ctx context.Context, frame float64, nodes int) (HandOut, error) {
	row := HandOut{Experiment: "film-hand-out", Nodes: nodes, Frame: frame, Frames: nodes * e.FramesEach}
	row.Queue = queueTime(row.Frames, nodes, frame, 1/e.QueueRate, 2*e.Latency)
	work := time.Duration(frame * float64(time.Second))
	net, err := overlay.New(overlay.Options{Protocol: overlay.BTD, Peers: nodes})
	if err != nil {
		return row, err
	}
	pools := make([]overlay.Pool, nodes)
	for i := range pools {
		pools[i] = new(framePool)
	}
	pools[net.Holder()].(*framePool).n = row.Frames
	r, err := simulate.Run(ctx, simulate.Model{
		Step: max(1, work/stepsPerFrame), Slice: 1, Latency: time.Duration(2 * e.Latency * float64(time.Second)), Overhead: messageTime,
	}, net, pools)
	if err != nil {
		return row, err
	}
	// With the overlay, one server still records all finished frames. So the film takes at least the time of writing
	// all records.
	row.Overlay = overlayStart + max(r.Time.Seconds(), float64(row.Frames)/e.RecordRate+frame)
	row.Messages = float64(r.Messages) / float64(row.Frames)
	ideal := frame * float64(row.Frames) / float64(nodes)
	row.QueueEfficiency, row.OverlayEfficiency = ideal/row.Queue, ideal/row.Overlay
	return row, nil
}

// messageTime is the time that a core needs to write or read a message of the overlay.
const messageTime = 10 * time.Microsecond

// A requestHeap is a heap of the next request of each node. The earliest is first.
type requestHeap []request

// A request is a node's request for a frame. Times are in seconds from the start of the film.
type request struct {
	at   float64 // when the server receives the request
	free float64 // time when the node has drawn its current frame
}

func (a requestHeap) Len() int           { return len(a) }
func (a requestHeap) Less(i, j int) bool { return a[i].at < a[j].at }
func (a requestHeap) Swap(i, j int)      { a[i], a[j] = a[j], a[i] }
func (a *requestHeap) Push(x any)        { *a = append(*a, x.(request)) }
func (a *requestHeap) Pop() any {
	last := len(*a) - 1
	x := (*a)[last]
	*a = (*a)[:last]
	return x
}

// queueTime returns the seconds of a film whose nodes get every frame from one server. The server handles one request
// at a time.
//   - service is the time in seconds for a request, including recording the frame.
//   - frame is the time in which a node draws a frame.
//   - trip is the sum of the travel times of a request and its answer.
//
// A node requests the next frame when it begins to draw, as package cluster does with short frames.
func queueTime(frames, nodes int, frame, service, trip float64) (seconds float64) {
	a := make(requestHeap, nodes)
	server := 0.0
	for range frames {
		node := a[0]
		server = max(server, node.at) + service
		begins := max(server+trip, node.free)
		seconds = max(seconds, begins+frame)
		a[0] = request{at: begins, free: begins + frame}
		heap.Fix(&a, 0)
	}
	return seconds
}

// A framePool holds the frames that a node has to draw, each in stepsPerFrame steps. It implements overlay.Pool.
type framePool struct {
	n    int // number of frames, including the current one
	done int // steps done of the current frame
}

// Empty implements overlay.Pool.
func (p *framePool) Empty() bool { return p.n == 0 }

// Amount implements overlay.Pool.
func (p *framePool) Amount() float64 { return float64(p.n) }

// Split implements overlay.Pool.
func (p *framePool) Split(fraction float64) []byte {
	if fraction >= 1 {
		return p.removeFrames(p.n)
	}
	return p.Take(max(1, int(fraction*float64(p.n))))
}

// Take implements overlay.Pool. It leaves at least one frame.
func (p *framePool) Take(units int) []byte { return p.removeFrames(min(units, p.n-1)) }

func (p *framePool) removeFrames(n int) []byte {
	if n <= 0 {
		return nil
	}
	p.n -= n
	return binary.LittleEndian.AppendUint32(nil, uint32(n))
}

// Merge implements overlay.Pool.
func (p *framePool) Merge(parcel []byte) { p.n += int(binary.LittleEndian.Uint32(parcel)) }

// Work implements overlay.Pool.
func (p *framePool) Work(steps int) (did int) {
	for ; did < steps && p.n > 0; did++ {
		if p.done++; p.done == stepsPerFrame {
			p.n, p.done = p.n-1, 0
		}
	}
	return did
}

// printHandOuts prints the results as a table or as JSON. Below the table it prints breakEvenText.
func (e *Experiment) printHandOuts(out io.Writer, rows []HandOut) error {
	if e.JSON {
		return report.WriteJSON(out, rows...)
	}
	var text strings.Builder
	t := report.NewTable(&text)
	fmt.Fprintln(t, "s a frame\tnodes\tframes\tqueue, s\toverlay, s\tqueue\toverlay\tmessages a frame\t")
	for _, r := range rows {
		fmt.Fprintf(t, "%g\t%d\t%d\t%.2f\t%.2f\t%.0f %%\t%.0f %%\t%.2f\t\n", r.Frame, r.Nodes, r.Frames, r.Queue, r.Overlay,
			100*r.QueueEfficiency, 100*r.OverlayEfficiency, r.Messages)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, frame := range e.HandOut {
		fmt.Fprintf(&text, "\nFrames of %g s: %s", frame, breakEvenText(rows, frame))
	}
	fmt.Fprintln(&text)
	return report.WriteText(out, &text)
}

// breakEvenText says in a sentence from how many nodes on the overlay is faster than the queue.
func breakEvenText(rows []HandOut, frame float64) string {
	from := 0
	for _, r := range rows {
		switch {
		case r.Frame != frame:
		case r.Overlay >= r.Queue:
			from = 0
		case from == 0:
			from = r.Nodes
		}
	}
	if from == 0 {
		return "the queue is faster on as many nodes as were simulated."
	}
	return fmt.Sprintf("the overlay is faster from %d nodes on.", from)
}

// drawHandOuts draws the efficiency against the number of nodes, in a plot for each time of a frame.
func drawHandOuts(dir report.Folder, rows []HandOut) error {
	var plots [][]*plot.Plot
	for i, r := range rows {
		if i > 0 && rows[i-1].Frame == r.Frame {
			continue
		}
		p := report.NewPlot(fmt.Sprintf("frames of %g s", r.Frame), "nodes", "efficiency")
		p.X.Scale, p.Y.Min, p.Y.Max = plot.LogScale{}, 0, 1
		var queue, handed plotter.XYs
		for _, x := range rows {
			if x.Frame == r.Frame {
				queue = append(queue, plotter.XY{X: float64(x.Nodes), Y: x.QueueEfficiency})
				handed = append(handed, plotter.XY{X: float64(x.Nodes), Y: x.OverlayEfficiency})
			}
		}
		for k, points := range []plotter.XYs{queue, handed} {
			line, err := report.NewLine(k, points)
			if err != nil {
				return report.FigureError("film-hand-out", err)
			}
			p.Add(line)
			p.Legend.Add([]string{"one queue", "tree with bridges"}[k], line)
		}
		plots = append(plots, []*plot.Plot{p})
	}
	return dir.SavePlots("film-hand-out", 4.5*vg.Inch, vg.Length(len(plots))*2.8*vg.Inch, plots)
}

// checkHandOut returns an error if a flag of the simulations with --hand-out is out of range, see HandOut.
func (e *Experiment) checkHandOut() error {
	for _, frame := range e.HandOut {
		if !(frame >= 1e-6 && frame <= 1e6) {
			return report.Usagef("--hand-out %v: expected frames of 1e-6 to 1e6 s", frame)
		}
	}
	if len(e.HandOut) > 0 == (len(e.Loads) > 0) {
		return report.Usagef("expected --loads FILE, or --hand-out SECONDS")
	}
	if len(e.HandOut) == 0 {
		return nil
	}
	for _, r := range []struct {
		flag string
		v    float64
	}{{"--queue-rate", e.QueueRate}, {"--record-rate", e.RecordRate}} {
		if !(r.v > 0 && r.v <= 1e12) {
			return report.Usagef("%s %v: expected more than 0, at most 1e12", r.flag, r.v)
		}
	}
	if !(e.Latency > 0 && e.Latency <= 100) || e.FramesEach < 1 || e.FramesEach > 1e6 {
		return report.Usagef("--latency %v --frames-each %d: expected more than 0 s, at most 100, and 1 to 1e6 frames", e.Latency, e.FramesEach)
	}
	return nil
}
