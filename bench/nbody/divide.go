package nbody

import (
	"math"
	"time"

	"lockstep/lb/criterion"
	"lockstep/lb/effort"
	"lockstep/lb/partition"
)

// An expense is the time of making partitions.
type expense struct {
	work        float64 // on the element's share of the particles, over RCB's; with Timed, seconds of all shares
	foretelling float64 // seconds of an element
	messages    float64 // seconds beyond those of one partition by RCB
}

func (e *expense) add(o expense) {
	e.work += o.work
	e.foretelling += o.foretelling
	e.messages += o.messages
}

// divide makes the next partition, and sets what was spent and what of it the way itself takes.
func (p *Player) divide(y *System, first bool) (*partition.Partition, error) {
	switch {
	case len(p.Ways) == 1:
		p.way = p.Ways[0]
	case p.Trials && p.selector == nil:
		p.selector, p.way = effort.NewSelector(len(p.Ways)), p.Ways[0]
	case p.Trials:
		p.way = p.Ways[p.selector.Next(p.Meter.Open())]
	case first:
		p.planner = effort.NewPlanner(len(p.Ways))
		return p.begin(y)
	case p.planner.Due(p.Meter.Open()):
		return p.plan(y)
	default:
		p.way = p.Ways[p.planner.Used()]
	}
	s, told := p.foretell(y, p.way.Lead)
	next, _, made, err := p.cut(y, p.way, s)
	made.add(told)
	p.spent, p.own = made, made
	return next, err
}

// foretell returns the particles after a part of the horizon, and the expense: every
// element follows its particles and counts their neighbours, as in an iteration.
func (p *Player) foretell(y *System, part float64) (snapshot, expense) {
	if part == 0 {
		return y.snapshot(&p.Costs), expense{}
	}
	began := time.Now()
	s := y.ahead(part*p.horizon, &p.Costs, p.loop())
	if p.Timed {
		return s, expense{work: time.Since(began).Seconds()}
	}
	return s, expense{foretelling: p.Costs.aheadSeconds(float64(y.Len())/float64(p.PEs)) + p.last}
}

// cut makes a partition of the particles in a snapshot. fitted are the loads there.
func (p *Player) cut(y *System, way Partitioner, s snapshot) (next *partition.Partition, fitted []float64, e expense, err error) {
	options := partition.Options{For: p.For, Horizon: p.horizon, Fixed: way.Fixed}
	points := partition.Points{At: s.at, Velocity: s.velocity}
	if way.Weighted {
		points.Weight = s.weight
	}
	began := time.Now()
	if next, err = way.Method(points, p.PEs, options); err != nil {
		return nil, nil, e, err
	}
	e.work, e.messages = way.Work, way.messages(&p.Costs, p.PEs)
	fitted = p.loads(next.Owner, s.weight)
	if way.Lead != 0 {
		next.LocateAll(next.Owner, y.columns(), 0, options)
		e.work += locateWork
	}
	if p.Timed {
		e.work = time.Since(began).Seconds()
	}
	return next, fitted, e, nil
}

// loads adds up the weights of every owner's particles.
func (p *Player) loads(owner []int32, weight []float64) []float64 {
	load := make([]float64, p.PEs)
	for i, own := range owner {
		load[own] += weight[i]
	}
	return load
}

// ages are those at which loads are foretold, over the horizon: now, in the middle of an
// interval like the last, and after a longer one. Leads are among them.
var ages = [...]float64{0, 0.5, 1.25}

// A plan is what was foretold of the ways.
type plan struct {
	made     []*partition.Partition // nil of ways that are left out
	own      []expense              // of each
	relative []float64              // least effort of each over the mean time of an iteration
	length   []float64              // of the interval with the least effort, in iterations
	spent    expense                // on all
}

// foresee makes the partitions of the ways that the planner asks for and foretells the effort
// of each.
func (p *Player) foresee(y *System) (*plan, error) {
	var seen [len(ages)]snapshot
	var told [len(ages)]expense
	n := len(p.Ways)
	all := &plan{made: make([]*partition.Partition, n), own: make([]expense, n), relative: make([]float64, n), length: make([]float64, n)}
	for k, a := range ages {
		seen[k], told[k] = p.foretell(y, a)
		all.spent.add(told[k])
	}
	for i, way := range p.Ways {
		all.relative[i] = math.Inf(1)
		if !p.planner.Wanted(i) {
			continue
		}
		lead := 0
		for ages[lead] != way.Lead {
			lead++
		}
		next, fitted, e, err := p.cut(y, way, seen[lead])
		if err != nil {
			return nil, err
		}
		all.spent.add(e)
		e.add(told[lead])
		all.made[i], all.own[i] = next, e
		f, mean, spent := p.forecast(y, next, fitted, lead, seen[:])
		all.spent.add(spent)
		least, length := f.Best(p.charge(y, e))
		all.relative[i], all.length[i] = least/mean, length
	}
	return all, nil
}

// forecast foretells the imbalance time of a partition from its loads at all ages, and their mean.
// Those at the age that it is made for are known, and with Owner those of the present.
func (p *Player) forecast(y *System, next *partition.Partition, fitted []float64, lead int, seen []snapshot) (f effort.Forecast, mean float64, e expense) {
	began := time.Now()
	for k, a := range ages {
		var load []float64
		switch {
		case k == lead:
			load = fitted
		case a == 0:
			load = p.loads(next.Owner, seen[0].weight)
		default:
			load = next.Loads(seen[k].at, seen[k].weight, a*p.horizon, partition.Options{For: p.For})
			e.work += forecastWork
		}
		s := criterion.Of(load)
		f.Age = append(f.Age, a*p.horizon/y.setup.Step)
		f.Imbalance = append(f.Imbalance, s.Max-s.Mean)
		mean += s.Mean / float64(len(ages))
	}
	if p.Timed {
		e.work = time.Since(began).Seconds()
	}
	return f, mean, e
}

// plan makes the partition of the least effort that can be foreseen. The ways' messages
// travel together, and the sums of a forecast take one exchange, so the latency is that
// of one partition.
func (p *Player) plan(y *System) (*partition.Partition, error) {
	all, err := p.foresee(y)
	if err != nil {
		return nil, err
	}
	chosen := p.planner.Choose(all.relative, p.charge(y, all.spent)-p.charge(y, all.own[p.planner.Used()]))
	p.way, p.spent, p.own = p.Ways[chosen], all.spent, all.own[chosen]
	return all.made[chosen], nil
}

// longestFirst bounds the horizon of the first plan: the longest intervals of the papers' set-ups are
// of some hundred iterations, and the motion without forces is soon a poor guess.
const longestFirst = 16 * firstHorizon

// begin makes the first partition. How long it should last is not known, so the horizon grows by half until
// it covers the length of the best interval.
func (p *Player) begin(y *System) (*partition.Partition, error) {
	for {
		all, err := p.foresee(y)
		if err != nil {
			return nil, err
		}
		best := 0
		for i, e := range all.relative {
			if e < all.relative[best] {
				best = i
			}
		}
		if all.length[best]*y.setup.Step <= p.horizon || 1.5*p.horizon > longestFirst*y.setup.Step {
			chosen := p.planner.Choose(all.relative, p.charge(y, all.spent)-p.charge(y, all.own[p.planner.Used()]))
			p.way, p.spent, p.own = p.Ways[chosen], all.spent, all.own[chosen]
			return all.made[chosen], nil
		}
		p.horizon *= 1.5
	}
}

// charge returns the seconds of a balancing with the given expense that moves as many particles as the last.
func (p *Player) charge(y *System, e expense) float64 {
	if p.Timed {
		// The points' share of the time falls with the number of elements.
		return p.Costs.Latency + e.messages + e.work/float64(p.PEs) + float64(p.Costs.Migrate*p.most)
	}
	return p.Costs.balance(y.Len(), p.PEs, e.work, p.most) + e.foretelling + e.messages
}
