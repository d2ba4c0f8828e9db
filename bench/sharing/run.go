// Package sharing has the parts that the experiments uts and flowshop share. It runs a problem with the protocols of
// lb/overlay, by which peers share work, on this machine or on a simulated network. It prints and draws the results.
package sharing

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"

	"lockstep/bench/report"
	"lockstep/lb/overlay"
	"lockstep/lb/overlay/local"
	"lockstep/lb/overlay/simulate"
)

// Flags are the flags that both experiments have.
type Flags struct {
	JSON      bool          `name:"json" help:"Print one object a line instead of a table."`
	Plot      report.Path   `placeholder:"DIR" help:"Draw what was found into this folder, as SVG and PNG: efficiency over peers, time over degrees and shares, messages over peers."`
	Figure    string        `placeholder:"NAME" help:"Simulate a table or figure of the paper: table1, table2, 1, 2, 3, 4 or 5. Its settings replace those of other flags."`
	Transport string        `default:"local" enum:"local,simulated" help:"Goroutines of this process, or virtual peers on a virtual network: ${enum}."`
	Protocols []string      `placeholder:"NAME" help:"Protocols: tr, td, btd, rws, mw, ahmw, lifeline, reach, keep (default btd,rws,reach)."`
	Peers     []int         `placeholder:"N" help:"Peers (default one a core, simulated 128 and 512)."`
	Degree    []int         `placeholder:"N" help:"Most children of a peer in trees (default 10)."`
	Share     []string      `placeholder:"NAME" help:"How much work donors in trees give away: proportional, half, one, two (default proportional)."`
	Trials    report.Count  `default:"1" placeholder:"N" help:"Runs of each setting, with successive seeds."`
	Seed      uint64        `default:"1" placeholder:"S" help:"Seed of all random choices of the protocols."`
	Step      time.Duration `placeholder:"D" help:"Simulated: time of a step of work (default 1us for a node of a tree, 200us for a sub-problem)."`
	NoAlone   bool          `help:"Local: do not time one peer alone first; the efficiency is then unknown."`
	Slice     int           `placeholder:"N" help:"Steps of work after which a peer reads its messages (default local 2048 and 64, simulated 50 and 1)."`
	Latency   time.Duration `default:"20us" placeholder:"D" help:"Simulated: time of a message on its way."`
	Overhead  time.Duration `default:"2us" placeholder:"D" help:"Simulated: time that a message takes of its sender, and of its receiver."`
	Bandwidth float64       `default:"1e9" placeholder:"B" help:"Simulated: bytes a second that a peer can send; 0 is without limit."`
	Link      time.Duration `default:"0" placeholder:"D" help:"Simulated: time to look at one connection whenever a peer listens, as select does, all open from the start."`
	Spread    float64       `default:"0" placeholder:"F" help:"Simulated: how much peers differ in speed, as a part of it."`
}

// Local reports whether peers are goroutines of this process.
func (f *Flags) Local() bool { return f.Transport != "simulated" }

// Defaults holds the defaults that differ between experiments: the default of --step, and those of --slice for local
// and for simulated peers.
type Defaults struct {
	Step                       time.Duration
	LocalSlice, SimulatedSlice int
}

// A Problem is work that peers share.
type Problem interface {
	// Name returns the name of the tree or of the instance.
	Name() string
	// Pool returns an empty pool.
	Pool() overlay.Pool
	// Plant puts all work into a pool.
	Plant(overlay.Pool)
	// Collect adds the results of the pools to the row. It returns an error if the results are wrong.
	Collect(pools []overlay.Pool, row *Row) error
}

// Row is the result of one run, which --json prints as an object.
type Row struct {
	Experiment string  `json:"experiment"`
	Tree       string  `json:"tree,omitempty"`
	Instance   string  `json:"instance,omitempty"`
	Protocol   string  `json:"protocol"`
	Share      string  `json:"share"`
	Peers      int     `json:"peers"`
	Degree     int     `json:"degree"`
	Transport  string  `json:"transport"`
	Seed       uint64  `json:"seed"`
	Nodes      int64   `json:"nodes"`
	Leaves     int64   `json:"leaves,omitempty"`
	Depth      int64   `json:"depth,omitempty"`
	Seconds    float64 `json:"seconds"`
	// Efficiency is the time of one peer alone, divided by peers*seconds. In a local run with more peers than cores the
	// divisor is cores*seconds. The same command measures the time of one peer. If this time is short, the least of
	// several measurements is taken. Efficiency is null if the time is not known.
	Efficiency report.Number `json:"efficiency"`
	Requests   int64         `json:"requests"`
	Messages   int64         `json:"messages"`
	Parcels    int64         `json:"parcels"`
	Bytes      int64         `json:"bytes"`
	Makespan   int64         `json:"makespan,omitempty"`
	Proved     bool          `json:"proved"`
	Start      int           `json:"start,omitempty"`
	Heuristic  float64       `json:"heuristic_seconds,omitempty"`

	counters []overlay.Counters
}

// A setting is a combination of values of the flags.
type setting struct {
	protocol overlay.Protocol
	share    overlay.Share
	peers    int
	degree   int
	seed     uint64
}

// settings returns all combinations of the values in the flags. Each trial has its own seed.
func (f *Flags) settings() ([]setting, error) {
	protocols, shares, degrees, peers := f.Protocols, f.Share, f.Degree, f.Peers
	if len(protocols) == 0 {
		protocols = []string{"btd", "rws", "reach"}
	}
	if len(shares) == 0 {
		shares = []string{"proportional"}
	}
	if len(degrees) == 0 {
		degrees = []int{10}
	}
	if len(peers) == 0 {
		peers = []int{128, 512}
		if f.Local() {
			peers = []int{runtime.GOMAXPROCS(0)}
		}
	}
	var all []setting
	for _, n := range peers {
		for _, name := range protocols {
			protocol, err := overlay.ParseProtocol(name)
			if err != nil {
				return nil, report.Usagef("--protocols: %v", err)
			}
			for _, shareName := range shares {
				share, err := overlay.ParseShare(shareName)
				if err != nil {
					return nil, report.Usagef("--share: %v", err)
				}
				for _, d := range degrees {
					if _, err := overlay.New(overlay.Options{Protocol: protocol, Peers: n, Degree: d}); err != nil || d < 1 {
						return nil, report.Usagef("--peers %d --degree %d: expected at least 1 of each, and no more than 2^24", n, d)
					}
					for trial := range max(1, int(f.Trials)) {
						all = append(all, setting{protocol, share, n, d, f.Seed + uint64(trial)})
					}
				}
			}
		}
	}
	return all, nil
}

// model returns the model of the simulated machine and network.
func (f *Flags) model(d Defaults) simulate.Model {
	m := simulate.Model{
		Step: f.Step, Slice: f.Slice, Latency: f.Latency, Overhead: f.Overhead, Bandwidth: f.Bandwidth, Link: f.Link, Spread: f.Spread, Seed: f.Seed,
	}
	if m.Step == 0 {
		m.Step = d.Step
	}
	if m.Slice == 0 {
		m.Slice = d.SimulatedSlice
	}
	return m
}

// A Task prepares a problem just before it is run. It also returns a row with the fields that are the same in all rows
// of the problem.
type Task func() (Problem, Row, error)

// Run runs every problem with every setting, and prints and draws the rows.
func (f *Flags) Run(ctx context.Context, out report.Output, d Defaults, tasks []Task) error {
	settings, err := f.settings()
	if err != nil {
		return err
	}
	if f.Slice < 0 {
		return report.Usagef("--slice %d: expected at least 1", f.Slice)
	}
	if !f.Local() {
		if err := f.model(d).Validate(); err != nil {
			return report.Usagef("%v", err)
		}
	}
	var rows []Row
	out.Begin("runs", int64(len(tasks)*len(settings)))
	defer out.End()
	table := newTable(out, f.JSON)
	for _, prepare := range tasks {
		p, template, err := prepare()
		if err != nil {
			return err
		}
		alone := time.Duration(0)
		for _, s := range settings {
			row := template
			row.Protocol, row.Share, row.Peers, row.Degree, row.Seed = s.protocol.String(), s.share.String(), s.peers, s.degree, s.seed
			if err := f.runOne(ctx, d, p, s, &row, &alone); err != nil {
				return err
			}
			rows = append(rows, row)
			if err := table.add(row); err != nil {
				return err
			}
			out.Step(1)
		}
	}
	if err := table.close(); err != nil {
		return err
	}
	if f.Plot != "" {
		return drawFigures(out.Folder(string(f.Plot)), rows)
	}
	return nil
}

// runOne runs a problem with one setting and writes the results to row. alone is the time of one peer alone. If it is
// 0, a local run measures it.
func (f *Flags) runOne(ctx context.Context, d Defaults, p Problem, s setting, row *Row, alone *time.Duration) error {
	net, err := overlay.New(overlay.Options{Protocol: s.protocol, Peers: s.peers, Degree: s.degree, Share: s.share, Seed: s.seed})
	if err != nil {
		return err
	}
	pools := make([]overlay.Pool, s.peers)
	for i := range pools {
		pools[i] = p.Pool()
	}
	p.Plant(pools[net.Holder()])
	if f.Local() {
		if err = f.setTimeAlone(ctx, d, p, alone); err == nil {
			err = f.runLocal(ctx, net, pools, f.localSlice(d), row, *alone)
		}
	} else {
		err = f.runSimulated(ctx, d, net, pools, row)
	}
	if err != nil {
		return err
	}
	if s.protocol == overlay.Keep {
		// With the protocol Keep, the peer that held the work at the beginning gets all results, so only its pool has
		// any.
		pools = pools[net.Holder() : net.Holder()+1]
	}
	if err := p.Collect(pools, row); err != nil {
		return fmt.Errorf("%s, %v, %d peers: %w", p.Name(), s.protocol, s.peers, err)
	}
	if !f.Local() {
		row.Efficiency = report.Number(float64(row.Nodes) * f.model(d).Step.Seconds() / (row.Seconds * float64(s.peers)))
	}
	return nil
}

// localSlice returns the number of steps of work after which a local peer reads its messages.
func (f *Flags) localSlice(d Defaults) int { return cmp.Or(f.Slice, d.LocalSlice) }

// setTimeAlone sets alone to the time that one peer needs. It does nothing if alone is known or --no-alone is set.
func (f *Flags) setTimeAlone(ctx context.Context, d Defaults, p Problem, alone *time.Duration) (err error) {
	if *alone == 0 && !f.NoAlone {
		*alone, err = timeAlone(ctx, p, f.localSlice(d))
	}
	return err
}

// runLocal runs a problem with goroutines as peers and writes the results to row. alone is the time of one peer.
func (f *Flags) runLocal(ctx context.Context, net *overlay.Overlay, pools []overlay.Pool, slice int, row *Row, alone time.Duration) error {
	row.Transport = "local"
	begin := time.Now()
	each, err := local.Run(ctx, net, pools, slice)
	if err != nil {
		return err
	}
	row.Seconds = time.Since(begin).Seconds()
	row.addCounters(each)
	if f.NoAlone {
		row.Efficiency = report.Number(math.NaN())
		return nil
	}
	cores := min(net.Peers(), runtime.GOMAXPROCS(0))
	row.Efficiency = report.Number(alone.Seconds() / (row.Seconds * float64(cores)))
	return nil
}

// minTimeAlone is the least total time for which one peer alone is timed, in several runs if necessary. A single run of
// a few milliseconds is too slow, because its caches are cold. Efficiencies relative to it were up to 3.
const minTimeAlone = 200 * time.Millisecond

// timeAlone returns the shortest time in which one peer solves a problem.
func timeAlone(ctx context.Context, p Problem, slice int) (time.Duration, error) {
	least := time.Duration(math.MaxInt64)
	for start := time.Now(); time.Since(start) < minTimeAlone; {
		pool := p.Pool()
		p.Plant(pool)
		begin := time.Now()
		for !pool.Empty() {
			pool.Work(slice)
			if ctx.Err() != nil {
				return 0, context.Cause(ctx)
			}
		}
		least = min(least, time.Since(begin))
	}
	return max(least, 1), nil
}

// runSimulated runs a problem on the simulated network and writes the results to row.
func (f *Flags) runSimulated(ctx context.Context, d Defaults, net *overlay.Overlay, pools []overlay.Pool, row *Row) error {
	row.Transport = "simulated"
	result, err := simulate.Run(ctx, f.model(d), net, pools)
	if err != nil {
		return err
	}
	row.Seconds = result.Time.Seconds()
	row.addCounters(result.Each)
	return nil
}

// addCounters sets the sums of the peers' counters.
func (r *Row) addCounters(each []overlay.Counters) {
	r.counters = slices.Clone(each)
	var sum overlay.Counters
	for _, c := range each {
		sum.Add(c)
	}
	r.Requests, r.Messages, r.Parcels, r.Bytes = sum.Requests, sum.Messages, sum.Parcels, sum.Bytes
}

// problemName returns the name of the tree or of the instance.
func (r *Row) problemName() string { return r.Tree + r.Instance }
