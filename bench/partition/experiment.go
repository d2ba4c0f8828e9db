// Package partition partitions the blocks of a mesh by their positions in the pictures of a recorded film, and replays
// the film on the nodes of a cluster.
//
// The nodes are simulated: the time of a node for a frame is the sum of the recorded times of its blocks.
package partition

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"lockstep/bench/report"
	"lockstep/lb/criterion"
	"lockstep/lb/loads"
	"lockstep/lb/partition"
)

// Experiment replays a recorded film with partitioners and criteria.
type Experiment struct {
	JSON         bool        `name:"json" help:"Print one JSON object a line."`
	Loads        report.Path `required:"" placeholder:"FILE" help:"The film: measured loads with the places of the blocks, as render animate --record-loads writes them."`
	PEs          int         `name:"pes" required:"" placeholder:"N" help:"Nodes that share the blocks."`
	Partitioners []string    `name:"partitioner" sep:"," placeholder:"NAME,..." default:"rcb,rib,hsfc,norcb,flow,spokes,drift" help:"Partitioners: rcb, rib, hsfc, norcb, flow, spokes, drift."`
	Criteria     []string    `name:"criterion" sep:"," placeholder:"NAME,..." default:"menon,boulmier,ours,never,always" help:"Criteria: menon, boulmier, zhai, pearce, metalb, amrex:N, ours, ours-open, periodic:N, procassini:RHO, marquez:XI, never, always, guard:R:CRITERION."`

	MoveLatency   float64 `placeholder:"SECONDS" default:"0.001" help:"Seconds that a balancing takes even if nothing moves."`
	MoveBandwidth float64 `placeholder:"BYTES" default:"1e9" help:"Bytes a second that a node sends or receives."`
}

// check returns an error if a flag is out of range, or flags contradict each other.
func (e *Experiment) check() error {
	switch {
	case e.PEs < 1 || e.PEs > 1<<20:
		return report.Usagef("--pes %d: expected 1 to %d", e.PEs, 1<<20)
	case !(e.MoveLatency >= 0 && e.MoveLatency <= 1e9):
		return report.Usagef("--move-latency %v: expected 0 to 1e9", e.MoveLatency)
	case !(e.MoveBandwidth >= 1 && e.MoveBandwidth <= 1e18):
		return report.Usagef("--move-bandwidth %v: expected 1 to 1e18", e.MoveBandwidth)
	case len(e.Partitioners) == 0 || len(e.Criteria) == 0:
		return report.Usagef("--partitioner and --criterion: expected at least one each")
	}
	for _, name := range e.Partitioners {
		if methodNamed(name) == nil {
			return report.Usagef("--partitioner %s: expected rcb, rib, hsfc, norcb, flow, spokes or drift", name)
		}
	}
	for _, spec := range e.Criteria {
		if _, err := criterion.Named(spec); err != nil {
			return report.Usagef("--criterion: %v", err)
		}
	}
	return nil
}

func methodNamed(name string) partition.Method {
	for _, m := range partition.Methods {
		if m.Name == name {
			return m.Method
		}
	}
	return nil
}

// Run runs the experiment; see [report.Experiment].
func (e *Experiment) Run(ctx context.Context, out report.Output) error {
	if err := e.check(); err != nil {
		return err
	}
	film, err := e.readFilm()
	if err != nil {
		return err
	}
	var results []result
	out.Begin("replaying", int64(len(e.Partitioners)*len(e.Criteria)))
	defer out.End()
	for _, name := range e.Partitioners {
		for _, spec := range e.Criteria {
			if err := ctx.Err(); err != nil {
				return err
			}
			newCriterion, err := criterion.Named(spec)
			if err != nil {
				return err
			}
			r := replay{
				film: film, method: methodNamed(name), criterion: newCriterion(len(film.Seconds)), nodes: e.PEs,
				latency: e.MoveLatency, bandwidth: e.MoveBandwidth, result: result{partitioner: name, criterion: spec},
			}
			if err := r.run(); err != nil {
				return err
			}
			results = append(results, r.result)
			out.Step(1)
		}
	}
	return e.print(out.Stdout, film, results)
}

// readFilm reads the recorded film. It returns an error if the positions of the blocks are missing or there are too few
// blocks.
func (e *Experiment) readFilm() (*loads.Recording, error) {
	name := string(e.Loads)
	f, err := os.Open(name)
	if err != nil {
		var path *fs.PathError
		if errors.As(err, &path) {
			err = path.Err
		}
		return nil, &report.InputError{File: name, Err: err}
	}
	defer f.Close()
	film, err := loads.Read(f)
	var re *loads.ReadError
	switch {
	case errors.As(err, &re):
		return nil, &report.InputError{File: name, Line: re.Line, Err: re.Err}
	case err != nil:
		return nil, &report.InputError{File: name, Err: err}
	case film.X == nil:
		return nil, &report.InputError{File: name, Line: 2, Err: errors.New("the frames lack the places of the blocks; record the film again")}
	case e.PEs > len(film.Triangles):
		return nil, report.Usagef("--pes %d: the film has only %d blocks", e.PEs, len(film.Triangles))
	}
	return film, nil
}

// A result says how long a film took with one partitioner and one criterion.
type result struct {
	partitioner, criterion string
	seconds                float64   // time of the film, including balancings
	ideal                  float64   // sum over the frames of the mean time of a node
	balances               []int     // frames before which the blocks were balanced
	bytes                  float64   // number of bytes that moved between nodes
	effort                 []float64 // effort of every interval, see effort.Interval
	cost, residual, growth float64   // sums over the intervals
}

// bytesPerTriangle is the number of bytes that a triangle takes when it is moved: three corners of three float32.
const bytesPerTriangle = 36

// A replay replays a film with one partitioner and one criterion. A node keeps its blocks until the next balancing,
// wherever they move in the picture.
type replay struct {
	film               *loads.Recording
	method             partition.Method
	criterion          criterion.Criterion
	nodes              int
	latency, bandwidth float64
	result

	owner        []int32   // node of every block
	bytes        []float64 // size of every block
	lastBalanced int       // frame before which the blocks were last balanced
}

// pointsBefore returns the known properties of the blocks before frame t:
//   - their positions in the picture of frame t,
//   - as velocity, the differences from their positions in the previous frame,
//   - as weight, their times in the previous frame.
//
// For frame 0 the weight is the size, and there is no velocity.
func (r *replay) pointsBefore(t int) partition.Points {
	p := partition.Points{At: [][]float64{r.film.X[t], r.film.Y[t]}}
	if t == 0 {
		p.Weight = r.bytes
		return p
	}
	p.Weight = r.film.Seconds[t-1]
	for d, places := range [][][]float64{r.film.X, r.film.Y} {
		p.Velocity = append(p.Velocity, make([]float64, len(r.bytes)))
		for b, x := range places[t] {
			p.Velocity[d][b] = x - places[t-1][b]
		}
	}
	return p
}

// balance divides the blocks before frame t. It returns the seconds that this takes: the latency, plus the time in
// which the busiest node sends or receives its blocks. A node can do both at the same time.
func (r *replay) balance(t int) (float64, error) {
	next, err := r.method(r.pointsBefore(t), r.nodes, partition.Options{Horizon: float64(t - r.lastBalanced)})
	if err != nil {
		return 0, err
	}
	r.lastBalanced = t
	if r.owner == nil {
		r.owner = next.Owner
		total := 0.0
		for _, b := range r.bytes {
			total += b
		}
		return r.latency + total/r.bandwidth, nil
	}
	next.Renumber(partition.Stay(r.owner, next.Owner, r.bytes, r.nodes))
	moved := partition.Moved(r.owner, next.Owner, r.bytes, r.nodes)
	r.owner = next.Owner
	r.result.bytes += moved.Weight
	return r.latency + moved.Most/r.bandwidth, nil
}

// print prints the results.
func (e *Experiment) print(out interface{ Write([]byte) (int, error) }, film *loads.Recording, results []result) error {
	text, err := e.formatResults(film, results)
	if err != nil {
		return fmt.Errorf("print the results: %w", err)
	}
	_, err = out.Write([]byte(text))
	return err
}
