package nbody

import (
	"context"
	"math"
	"slices"
	"strings"

	"lockstep/lb/criterion"
	"lockstep/lb/partition"
	"lockstep/lb/scenario"
)

// A recording holds the particles before and after every iteration that players see. Each iteration can then be
// replayed with any partition. A nil recording records nothing.
type recording struct {
	setup  *Setup
	every  int
	starts []*System // particles before each iteration
	ends   []*System // particles after each iteration
}

func (t *recording) recordStart(y *System) {
	if t != nil {
		t.starts = append(t.starts, y.Clone())
	}
}

func (t *recording) recordEnd(y *System) {
	if t != nil {
		t.ends = append(t.ends, y.Clone())
	}
}

// findOptima finds the least possible time of each entry whose partitions depend on the particles alone.
func (t *recording) findOptima(ctx context.Context, entries []entry) error {
	for i := range entries {
		e := &entries[i]
		if e.best != nil || slices.Contains(historyDependent, e.partitioner) || strings.Contains(e.partitioner, "@") {
			continue
		}
		partitioners, err := partitionersOf(e.partitioner, e.weighted)
		if err != nil {
			return err
		}
		best, err := scenario.Optimum(ctx, &replay{recording: t, partitioner: partitioners[0], costs: e.costs, made: make([]*partition.Partition, len(t.starts))})
		if err != nil {
			return err
		}
		for k := i; k < len(entries); k++ {
			if o := &entries[k]; o.partitioner == e.partitioner && o.weighted == e.weighted && o.factor == e.factor {
				o.best = &best
			}
		}
	}
	return nil
}

// historyDependent are the partitioners whose partitions also depend on the length of earlier intervals between
// balancings. findOptima skips them.
var historyDependent = []string{"flow", "drift", "auto", "trial"}

// A replay is a recording as a scenario.Application, for which scenario.Optimum can find the best times to balance.
type replay struct {
	*recording
	partitioner Partitioner
	costs       Costs
	// made holds the results of partitionBefore, by iteration. They are nil before its first call.
	made []*partition.Partition
}

// Iterations implements scenario.Application.
func (r *replay) Iterations() int { return len(r.starts) }

// Mean implements scenario.Application. It returns a lower bound, so it subtracts the largest possible rounding error.
func (r *replay) Mean(t int) float64 {
	c := &r.costs
	work := float64(c.Particle*float64(r.setup.Particles)) + float64(c.Interaction*float64(r.ends[t].interactions()))
	return work * float64(r.iterationCount(t)) / float64(r.setup.PEs) * (1 - 1e-9)
}

// iterationCount returns the number of iterations for which iteration t of the recording stands.
func (r *replay) iterationCount(t int) int { return min(r.every, r.setup.Iterations-t*r.every) }

func (r *replay) startTime(t int) float64 { return float64(t*r.every) * r.setup.Step }

// partitionBefore returns the partition that a balancing before iteration t makes.
func (r *replay) partitionBefore(t int) *partition.Partition {
	if r.made[t] == nil {
		p := &Player{Partitioners: []Partitioner{r.partitioner}, partitioner: r.partitioner, PEs: r.setup.PEs, Costs: r.costs}
		now, _ := p.forecastParticles(r.starts[t], 0)
		made, _, _, err := p.partitionSnapshot(r.starts[t], r.partitioner, now)
		if err != nil {
			panic("nbody: particles that have been partitioned cannot be: " + err.Error())
		}
		r.made[t] = made
	}
	return r.made[t]
}

// Balanced implements scenario.Application.
func (r *replay) Balanced(t int) scenario.Run {
	made := r.partitionBefore(t)
	p := &Player{partitioner: r.partitioner, Criterion: criterion.Never{}, PEs: r.setup.PEs, Costs: r.costs, partition: made, madeAt: r.startTime(t)}
	p.owner = append(p.owner, made.Owner...)
	return &replayRun{r: r, p: p, next: t}
}

// A replayRun is the part of a run from one balancing to the next. It implements scenario.Run.
type replayRun struct {
	r    *replay
	p    *Player
	next int
}

// Step implements scenario.Run.
func (r *replayRun) Step() scenario.Iteration {
	t := r.next
	r.next++
	s := r.p.After(r.r.ends[t], r.r.startTime(t)+r.r.setup.Step, r.r.iterationCount(t))
	return scenario.Iteration{Max: s.Max, Mean: s.Mean, Min: s.Min}
}

// Cost implements scenario.Run.
func (r *replayRun) Cost() float64 {
	next := append([]int32(nil), r.r.partitionBefore(r.next).Owner...)
	to := partition.Stay(r.p.owner, next, nil, r.p.PEs)
	for i, own := range next {
		next[i] = to[own]
	}
	moved := partition.Moved(r.p.owner, next, nil, r.p.PEs)
	partitioner := &r.r.partitioner
	return r.p.Costs.balancingSeconds(len(next), r.p.PEs, partitioner.Work, moved.Most) + partitioner.messages(&r.p.Costs, r.p.PEs)
}

// relativeCost returns cost/best, or 1 if both are 0.
func relativeCost(cost, best float64) float64 {
	if cost == best {
		return 1
	}
	if best == 0 {
		return math.Inf(1)
	}
	return cost / best
}
