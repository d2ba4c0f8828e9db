package nbody

import (
	"math"
	"slices"
	"time"

	"lockstep/lb/criterion"
	"lockstep/lb/effort"
	"lockstep/lb/partition"
)

// divide makes the next partition and sets what making it costs.
func (p *Player) divide(y *System) (*partition.Partition, error) {
	p.work, p.foretelling = 0, 0
	switch {
	case len(p.Ways) == 1:
		p.way = p.Ways[0]
	case p.Trials && p.selector == nil:
		p.selector, p.way = effort.NewSelector(len(p.Ways)), p.Ways[0]
	case p.Trials:
		p.way = p.Ways[p.selector.Next(p.Meter.Open())]
	case p.planner == nil:
		p.planner = effort.NewPlanner(len(p.Ways))
		return p.plan(y)
	case p.planner.Due(p.Meter.Open()):
		return p.plan(y)
	default:
		p.way = p.Ways[p.planner.Used()]
	}
	return p.cut(y, p.way, p.foretell(y, p.way.Lead))
}

// foretell returns the particles after a part of the horizon, and charges for it: every
// element follows its particles and counts their neighbours, as in an iteration.
func (p *Player) foretell(y *System, part float64) snapshot {
	began := time.Now()
	if part == 0 {
		return snapshot{y.columns(), y.weights(&p.Costs)}
	}
	s := y.ahead(part*p.horizon, &p.Costs, p.loop())
	if p.Timed {
		p.work += time.Since(began).Seconds()
	} else {
		p.foretelling += p.Costs.aheadSeconds(float64(y.Len())/float64(p.PEs)) + p.last
	}
	return s
}

// cut makes a partition of the particles in a snapshot.
func (p *Player) cut(y *System, way Partitioner, s snapshot) (*partition.Partition, error) {
	options := partition.Options{For: p.For, Horizon: p.horizon, Fixed: way.Fixed}
	points := partition.Points{At: s.at, Velocity: y.Velocity[:y.Dim]}
	if way.Weighted {
		points.Weight = s.weight
	}
	began := time.Now()
	next, err := way.Method(points, p.PEs, options)
	if err != nil {
		return nil, err
	}
	if way.Lead != 0 {
		next.LocateAll(next.Owner, y.columns(), 0, options)
	}
	if p.Timed {
		p.work += time.Since(began).Seconds()
	} else {
		p.work += way.Work
	}
	return next, nil
}

// ages are those at which loads are foretold, over the horizon.
var ages = [...]float64{0, 0.25, 0.5, 0.75, 1.25}

// plan makes the partitions of the ways that the planner asks for, foretells the effort
// of each, and returns the one of least effort. The ways' messages travel together, and
// the sums of a forecast take one exchange, so the latency is that of one partition.
func (p *Player) plan(y *System) (*partition.Partition, error) {
	var seen [len(ages)]snapshot
	for k, a := range ages {
		seen[k] = p.foretell(y, a)
	}
	all := make([]*partition.Partition, len(p.Ways))
	relative := make([]float64, len(p.Ways))
	for i, way := range p.Ways {
		relative[i] = math.Inf(1)
		if !p.planner.Wanted(i) {
			continue
		}
		next, err := p.cut(y, way, seen[slices.Index(ages[:], way.Lead)])
		if err != nil {
			return nil, err
		}
		all[i], relative[i] = next, p.foresee(y, next, way, seen[:])
	}
	chosen := p.planner.Choose(relative)
	p.way = p.Ways[chosen]
	return all[chosen], nil
}

// foresee returns the least effort of a partition that can be expected, over the mean time
// of an iteration.
func (p *Player) foresee(y *System, next *partition.Partition, way Partitioner, seen []snapshot) float64 {
	began := time.Now()
	var f effort.Forecast
	mean := 0.0
	for k, a := range ages {
		load := criterion.Of(next.Loads(seen[k].at, seen[k].weight, a*p.horizon, partition.Options{For: p.For}))
		f.Age = append(f.Age, a*p.horizon/y.setup.Step)
		f.Imbalance = append(f.Imbalance, load.Max-load.Mean)
		mean += load.Mean / float64(len(ages))
	}
	if p.Timed {
		p.work += time.Since(began).Seconds()
	} else {
		p.work += forecastWork
	}
	return f.Least(p.Costs.balance(y.Len(), p.PEs, way.Work, p.most)) / mean
}
