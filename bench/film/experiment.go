// Package film replays recorded films on simulated nodes of a cluster that draw each frame together. Each node owns
// some blocks of the mesh, and the owners change with the loads. The package tries the rules and methods of package
// ownership. Rules say when to change the owners, and methods say how.
//
// experiment.go replays films, and print.go shows the results. handout.go simulates films in which each node draws
// whole frames.
package film

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"lockstep/bench/report"
	"lockstep/lb/criterion"
	"lockstep/lb/loads"
	"lockstep/lb/ownership"
)

// Experiment replays recorded films with the rules and methods of package ownership.
type Experiment struct {
	JSON  bool          `name:"json" help:"Print one JSON object a line."`
	Plot  report.Path   `placeholder:"DIR" help:"Also draw efficiency against the number of nodes, SVG and PNG."`
	Loads []report.Path `sep:"," placeholder:"FILE,..." help:"Films: measured loads, as render animate --record-loads writes them."`
	Nodes []int         `sep:"," placeholder:"N,..." default:"2,8,16,32,64" help:"Simulated nodes."`
	When  []string      `sep:"," placeholder:"RULE,..." default:"payback,never,always,menon,boulmier,zhai,ours" help:"Rules for when owners change: payback, or criteria of lockstep-bench criteria."`
	How   []string      `sep:"," placeholder:"METHOD,..." default:"auto,few,ranges,circuit,rcb,rib,hsfc,norcb,flow" help:"Methods of choosing new owners: auto, few, ranges, circuit, rcb, rib, hsfc, norcb, flow."`

	HandOut    []float64 `sep:"," placeholder:"SECONDS,..." help:"Instead of --loads: simulate films of which a node draws whole frames, each in this time. Nodes take the frames from one queue, or hand them to each other."`
	FramesEach int       `placeholder:"N" default:"20" help:"With --hand-out: number of frames per node."`
	QueueRate  float64   `placeholder:"N" default:"2144" help:"Frames a second that a server hands out one by one and records."`
	RecordRate float64   `placeholder:"N" default:"5769" help:"Frames a second that a server records."`
	Latency    float64   `placeholder:"SECONDS" default:"0.0001" help:"Time of a message from a node to the server."`

	MoveLatency   float64 `placeholder:"SECONDS" default:"0.001" help:"Seconds that a change takes even if no byte moves."`
	MoveBandwidth float64 `placeholder:"BYTES" default:"0" help:"Bytes a second that a node sends or receives; 0: every node has the mesh, and only ownership moves."`
}

// defaultWhen and defaultHow are the rule and the method with which the others are compared. With the rule staticWhen
// owners never change.
const (
	defaultWhen = ownership.Payback
	defaultHow  = ownership.Auto
	staticWhen  = "never"
)

// maxNodes limits the number of nodes of a cluster.
const maxNodes = 1 << 16

// check returns an error if a flag is out of range.
func (e *Experiment) check() error {
	for _, n := range e.Nodes {
		if n < 1 || n > maxNodes {
			return report.Usagef("--nodes %d: expected 1 to %d", n, maxNodes)
		}
	}
	for _, spec := range e.When {
		if _, err := criterion.Named(spec); err != nil && spec != ownership.Payback {
			return report.Usagef("--when: %v", err)
		}
	}
	for _, name := range e.How {
		if name != ownership.Auto && !slices.Contains(ownership.Methods, name) {
			return report.Usagef("--how %s: expected one of %s", name, strings.Join(ownership.Methods, ", "))
		}
	}
	if err := e.checkHandOut(); err != nil {
		return err
	}
	switch {
	case !(e.MoveLatency >= 0 && e.MoveLatency <= 1e9):
		return report.Usagef("--move-latency %v: expected 0 to 1e9", e.MoveLatency)
	case !(e.MoveBandwidth >= 0 && e.MoveBandwidth <= 1e18):
		return report.Usagef("--move-bandwidth %v: expected 0 to 1e18", e.MoveBandwidth)
	}
	return nil
}

// Run runs the experiment; see [report.Experiment].
func (e *Experiment) Run(ctx context.Context, out report.Output) error {
	if err := e.check(); err != nil {
		return err
	}
	if len(e.HandOut) > 0 {
		return e.runHandOuts(ctx, out)
	}
	var rows []Row
	out.Begin("replaying", int64(len(e.Loads)*len(e.Nodes)*len(e.When)*len(e.How)))
	defer out.End()
	for _, name := range e.Loads {
		film, err := report.ReadLoads(name)
		if err != nil {
			return err
		}
		if film.X == nil {
			return &report.InputError{File: string(name), Line: 2, Err: errors.New("the frames lack the places of the blocks; record the film again")}
		}
		label := strings.TrimSuffix(filepath.Base(string(name)), filepath.Ext(string(name)))
		for _, nodes := range e.Nodes {
			for _, when := range e.When {
				for _, how := range e.How {
					if err := ctx.Err(); err != nil {
						return err
					}
					row, err := e.replay(film, nodes, when, how)
					if err != nil {
						return err
					}
					row.Film = label
					rows = append(rows, row)
					out.Step(1)
				}
			}
		}
	}
	if err := e.print(out.Stdout, rows); err != nil || e.Plot == "" {
		return err
	}
	return drawEfficiency(out.Folder(string(e.Plot)), rows)
}

// A Row is the result of a film on a number of nodes, with one rule and one method.
type Row struct {
	Experiment string  `json:"experiment"`
	Film       string  `json:"film"`
	Nodes      int     `json:"nodes"`
	When       string  `json:"when"`
	How        string  `json:"how"`
	Frames     int     `json:"frames"`
	Seconds    float64 `json:"seconds"`    // time of the film, including changes of owners
	Efficiency float64 `json:"efficiency"` // work of all frames divided by (nodes times seconds)
	Changes    int     `json:"changes"`
	Moves      int     `json:"moves"` // number of blocks that moved
	Bytes      float64 `json:"bytes"` // number of bytes that moved
	// Before is the mean imbalance of the frames just before a change of owners. After is the mean imbalance of the
	// frames just after a change. The imbalance is the slowest node's time divided by the mean time of a node. Without
	// changes both are null.
	Before report.Number `json:"imbalance_before"`
	After  report.Number `json:"imbalance_after"`
	// Static is the film's time with owners that never change, divided by Seconds.
	Static float64 `json:"faster_than_static"`
	// Best is Seconds divided by the film's time with the best rule and method on the same number of nodes.
	Best float64 `json:"over_best"`
}

// bytesPerTriangle is the number of bytes to move for a triangle: three corners of three float32 coordinates.
const bytesPerTriangle = 36

// replay replays a film with one rule and one method. The argument `when` is the name of the rule, and `how` is the
// name of the method.
func (e *Experiment) replay(film *loads.Recording, nodes int, when, how string) (Row, error) {
	bytes := make([]float64, len(film.Triangles))
	for b, n := range film.Triangles {
		bytes[b] = bytesPerTriangle * float64(n)
	}
	row := Row{Experiment: "film", Nodes: nodes, When: when, How: how, Frames: len(film.Seconds)}
	balancer, err := ownership.New(row.Frames, ownership.Options{When: when, How: how, Bytes: bytes, Price: e.changeSeconds})
	if err != nil {
		return row, err
	}
	balancer.Assign(len(bytes), nodes)
	var before, after mean
	changed, work := false, 0.0
	for k, seconds := range film.Seconds {
		most, sum := slowestNode(seconds, balancer.Owner(), nodes)
		row.Seconds += most
		work += sum
		imbalance := most * float64(nodes) / sum
		if changed {
			after.add(imbalance)
		}
		c, err := balancer.Frame(loadsOf(film, k))
		if err != nil {
			return row, err
		}
		if changed = c != nil; changed {
			before.add(imbalance)
			cost := e.changeSeconds(c)
			balancer.Balanced(c, cost)
			row.Seconds += cost
			row.Changes++
			row.Moves += c.Blocks
			row.Bytes += c.Bytes
		}
	}
	row.Efficiency = work / (float64(nodes) * row.Seconds)
	row.Before, row.After = before.value(), after.value()
	return row, nil
}

// changeSeconds returns the seconds that a change takes on the simulated network: the latency, plus the time in which
// the busiest node sends or receives its bytes. A node can do both at the same time.
func (e *Experiment) changeSeconds(c *ownership.Change) float64 {
	if e.MoveBandwidth == 0 {
		return e.MoveLatency
	}
	return e.MoveLatency + c.Most/e.MoveBandwidth
}

// loadsOf returns the loads that are known after frame k: the times of the blocks in frame k, and their positions in
// frame k+1, which follow from the camera.
func loadsOf(film *loads.Recording, k int) ownership.Loads {
	next := min(k+1, len(film.Seconds)-1)
	l := ownership.Loads{Seconds: film.Seconds[k], X: film.X[next], Y: film.Y[next]}
	for b := range l.X {
		l.VX = append(l.VX, film.X[next][b]-film.X[k][b])
		l.VY = append(l.VY, film.Y[next][b]-film.Y[k][b])
	}
	return l
}

// slowestNode returns the time of the slowest node in a frame, and the sum of the times of all nodes.
func slowestNode(seconds []float64, owner []int32, nodes int) (most, sum float64) {
	load := make([]float64, nodes)
	for b, s := range seconds {
		load[owner[b]] += s
		sum += s
	}
	return slices.Max(load), sum
}

// A mean adds up values and returns their mean.
type mean struct {
	sum float64
	n   int
}

func (m *mean) add(v float64) { m.sum, m.n = m.sum+v, m.n+1 }

func (m *mean) value() report.Number { return report.Number(m.sum / float64(m.n)) }
