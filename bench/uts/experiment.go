package uts

import (
	"context"
	"fmt"
	"strings"
	"time"

	"lockstep/bench/report"
	"lockstep/bench/sharing"
	"lockstep/lb/overlay"
)

// Experiment counts the nodes of sample trees with the protocols of lb/overlay. With --figure it reproduces Table I and
// Figures 2 and 5 of Vu and others, "Overlay-Centric Load Balancing", CLUSTER 2012.
type Experiment struct {
	sharing.Flags
	Tree []string `placeholder:"NAME" help:"Sample trees: R599, T1 to T5, T1L, T2L, T3L, T1XL, T3XXL, ..., or parameters as the reference has them: 't1 a3 d10 b4 r19' (default T1L, simulated T1)."`
}

// Run implements [report.Experiment].
func (e Experiment) Run(ctx context.Context, out report.Output) error {
	if err := e.Adopt(); err != nil {
		return err
	}
	names := e.Tree
	if len(names) == 0 {
		names = []string{"T1"}
		if e.Local() {
			names = []string{"T1L"}
		}
	}
	var tasks []sharing.Task
	for _, name := range names {
		p, err := newProblem(name)
		if err != nil {
			return err
		}
		tasks = append(tasks, func() (sharing.Problem, sharing.Row, error) {
			return p, sharing.Row{Experiment: "uts", Tree: p.Name()}, nil
		})
	}
	return e.Flags.Run(ctx, out, sharing.Defaults{Step: time.Microsecond, LocalSlice: localSlice, SimulatedSlice: 50}, tasks)
}

// localSlice is the number of nodes that a peer visits before it reads its messages again. Visiting so many nodes takes
// 50 microseconds.
const localSlice = 2048

// A problem is a tree whose nodes peers count together.
type problem struct {
	Sample
	tree *Tree
}

func newProblem(name string) (*problem, error) {
	var known []string
	for _, s := range Samples {
		if strings.EqualFold(s.Name, name) {
			tree, err := New(s.Params)
			return &problem{s, tree}, err
		}
		known = append(known, s.Name)
	}
	// Without this check an unknown name such as T9 would be parsed as the parameter -t, the kind of a tree.
	if !strings.ContainsAny(name, " -") {
		return nil, report.Usagef("--tree: no sample tree %q: expected %s, or parameters as in 't1 a3 d10 b4 r19'", name, strings.Join(known, ", "))
	}
	params, err := ParseParams(name)
	if err != nil {
		return nil, report.Usagef("--tree %q: %v", name, err)
	}
	tree, err := New(params)
	return &problem{Sample{Name: params.String(), Params: params}, tree}, err
}

// Name implements sharing.Problem.
func (p *problem) Name() string { return p.Sample.Name }

// Pool implements sharing.Problem.
func (p *problem) Pool() overlay.Pool { return p.tree.NewPool() }

// Plant implements sharing.Problem.
func (p *problem) Plant(pool overlay.Pool) { pool.(*Pool).Plant() }

// Collect implements sharing.Problem. It returns an error if the counts differ from the known counts of the tree.
func (p *problem) Collect(pools []overlay.Pool, row *sharing.Row) error {
	var sum Counts
	for _, pool := range pools {
		sum.Add(pool.(*Pool).Counts())
	}
	row.Nodes, row.Leaves, row.Depth = sum.Nodes, sum.Leaves, sum.Depth
	want := p.Counts
	if want.Nodes == 0 { // the tree is no sample, so its size is not known
		want = sum
	}
	if want.Leaves == 0 { // not published
		want.Leaves = sum.Leaves
	}
	if sum != want {
		return fmt.Errorf("found %+v, expected %+v", sum, want)
	}
	row.Proved = true
	return nil
}
