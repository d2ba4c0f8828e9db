package nbody

import (
	"math"
	"slices"
	"time"

	"lockstep/lb/criterion"
	"lockstep/lb/effort"
	"lockstep/lb/partition"
)

// An expense is the time that it takes to make partitions.
type expense struct {
	work            float64 // work on an element's share of the particles, relative to RCB's; if Timed is set, seconds for all shares
	forecastSeconds float64 // seconds that forecasts of the particles take an element
	messages        float64 // seconds that messages take in addition to those of a partition by RCB
}

func (e *expense) add(o expense) {
	e.work += o.work
	e.forecastSeconds += o.forecastSeconds
	e.messages += o.messages
}

// divide makes the next partition. It sets spent to the expense of making it, and own to the part of this expense that
// the chosen partitioner alone causes. rest is the number of iterations left.
func (p *Player) divide(y *System, iteration int, rest float64) (*partition.Partition, error) {
	p.learn(float64(iteration - p.madeIteration))
	switch {
	case len(p.Partitioners) == 1:
		p.partitioner = p.Partitioners[0]
	case p.Trials && p.selector == nil:
		p.selector, p.partitioner = effort.NewSelector(len(p.Partitioners)), p.Partitioners[0]
	case p.Trials:
		p.partitioner = p.Partitioners[p.selector.Next(p.Meter.Open())]
	case p.partition == nil:
		p.planner, p.bias = effort.NewPlanner(len(p.Partitioners)), 1
		return p.begin(y, rest)
	case p.planner.Due(p.Meter.Open(), rest/float64(iteration-p.madeIteration)):
		return p.plan(y, rest)
	default:
		p.partitioner, p.currentForecast = p.Partitioners[p.planner.Used()], effort.Forecast{}
	}
	s, told := p.forecastParticles(y, p.partitioner.Lead)
	next, _, made, err := p.cut(y, p.partitioner, s)
	made.add(told)
	p.spent, p.own = made, made
	return next, err
}

// forecastParticles forecasts the particles after the given fraction of the horizon. It also returns the expense: every
// element moves its particles and counts their neighbours, as in an iteration.
func (p *Player) forecastParticles(y *System, part float64) (snapshot, expense) {
	if part == 0 {
		return y.snapshot(&p.Costs), expense{}
	}
	began := time.Now()
	s := y.ahead(part*p.horizon, &p.Costs)
	if p.Timed {
		return s, expense{work: time.Since(began).Seconds()}
	}
	return s, expense{forecastSeconds: p.Costs.aheadSeconds(float64(y.Len())/float64(p.PEs), y.setup.aheadSteps(part*p.horizon)) + p.last}
}

// cut makes a partition of the particles in a snapshot with the given partitioner. fitted has the loads of the parts in
// the snapshot.
func (p *Player) cut(y *System, partitioner Partitioner, s snapshot) (next *partition.Partition, fitted []float64, e expense, err error) {
	options := partition.Options{Horizon: p.horizon, Fixed: partitioner.Fixed}
	points := partition.Points{At: s.at, Velocity: s.velocity}
	if partitioner.Weighted {
		points.Weight = s.weight
	}
	began := time.Now()
	if next, err = partitioner.Method(points, p.PEs, options); err != nil {
		return nil, nil, e, err
	}
	e.work, e.messages = partitioner.Work, partitioner.messages(&p.Costs, p.PEs)
	fitted = p.loads(next.Owner, s.weight)
	if partitioner.Lead != 0 {
		next.LocateAll(next.Owner, y.columns(), 0, options)
		e.work += locateWork
	}
	if p.Timed {
		e.work = time.Since(began).Seconds()
	}
	return next, fitted, e, nil
}

// loads returns the sum of the weights of every owner's particles.
func (p *Player) loads(owner []int32, weight []float64) []float64 {
	load := make([]float64, p.PEs)
	for i, own := range owner {
		load[own] += weight[i]
	}
	return load
}

// ages returns the ages at which loads are forecast, as fractions of the horizon: now, the middle of the horizon, and a
// quarter of the horizon beyond its end, or the end of the run if that comes first. Every partitioner's Lead is one of
// these ages.
func (p *Player) ages(rest, step float64) []float64 {
	return []float64{0, 0.5, min(1.25, max(1, rest*step/p.horizon))}
}

// particleForecasts has forecasts of the particles at several ages, which are fractions of the horizon.
type particleForecasts struct {
	age       []float64
	snapshots []snapshot
	expenses  []expense
}

// add adds a forecast of the particles at an age for which there is none yet.
func (f *particleForecasts) add(p *Player, y *System, age float64) expense {
	at, _ := slices.BinarySearch(f.age, age)
	seen, told := p.forecastParticles(y, age)
	f.age, f.snapshots, f.expenses = slices.Insert(f.age, at, age), slices.Insert(f.snapshots, at, seen), slices.Insert(f.expenses, at, told)
	return told
}

// An option is a partition made by one of the partitioners, with the forecast of its effort.
type option struct {
	made     *partition.Partition // nil if the partitioner is left out
	own      expense
	forecast effort.Forecast
	relative float64 // least effort divided by the mean time of an iteration
	length   float64 // length, in iterations, of the interval with the least effort
}

// A plan holds all options that were tried.
type plan struct {
	partitioners []option
	shorter      option  // the partitioner in use, with a partition made for an interval half as long
	spent        expense // total expense of making the plan
}

// relatives returns the relative efforts of the partitioners. The effort of a partitioner that is left out is infinite.
func (a *plan) relatives() (e []float64) {
	for _, o := range a.partitioners {
		e = append(e, o.relative)
	}
	return e
}

// makePlan makes the partitions of the partitioners that the planner wants, and forecasts the effort of each in the
// remaining iterations, rest.
func (p *Player) makePlan(y *System, rest float64) (*plan, error) {
	var f particleForecasts
	all := &plan{partitioners: make([]option, len(p.Partitioners))}
	for _, a := range p.ages(rest, y.setup.Step) {
		all.spent.add(f.add(p, y, a))
	}
	for i, partitioner := range p.Partitioners {
		if !p.planner.Wanted(i) {
			all.partitioners[i].relative = math.Inf(1)
			continue
		}
		if err := p.try(y, partitioner, &f, rest, &all.partitioners[i], &all.spent); err != nil {
			return nil, err
		}
	}
	partitioner := p.Partitioners[p.planner.Used()]
	all.shorter.relative = math.Inf(1)
	if p.partition == nil || partitioner.Lead == 0 {
		return all, nil
	}
	partitioner.Lead /= 2
	all.spent.add(f.add(p, y, partitioner.Lead))
	return all, p.try(y, partitioner, &f, rest, &all.shorter, &all.spent)
}

// try makes a partition and forecasts its effort. It adds the expense to spent.
func (p *Player) try(y *System, partitioner Partitioner, f *particleForecasts, rest float64, o *option, spent *expense) error {
	lead, _ := slices.BinarySearch(f.age, partitioner.Lead)
	next, fitted, e, err := p.cut(y, partitioner, f.snapshots[lead])
	if err != nil {
		return err
	}
	spent.add(e)
	e.add(f.expenses[lead])
	forecast, mean, looked := p.forecast(y, next, fitted, lead, f)
	spent.add(looked)
	cost, first := p.balancingSeconds(y, e), 0.0
	if p.partition != nil {
		first = cost
	}
	for k := range forecast.Imbalance {
		forecast.Imbalance[k] *= p.bias
	}
	least, length := forecast.Best(cost, first, rest)
	*o = option{made: next, own: e, forecast: forecast, relative: least / mean, length: length}
	return nil
}

// forecast forecasts the imbalance time of a partition at all ages from its loads at these ages. It also returns the
// mean time of an iteration. The loads at the age for which the partition was made are already known (fitted), and the
// present loads follow from next.Owner.
func (p *Player) forecast(y *System, next *partition.Partition, fitted []float64, lead int, all *particleForecasts) (f effort.Forecast, mean float64, e expense) {
	began := time.Now()
	for k, a := range all.age {
		var load []float64
		switch {
		case k == lead:
			load = fitted
		case a == 0:
			load = p.loads(next.Owner, all.snapshots[0].weight)
		default:
			load = next.Loads(all.snapshots[k].at, all.snapshots[k].weight, a*p.horizon, partition.Options{})
			e.work += forecastWork
		}
		s := criterion.Of(load)
		f.Age = append(f.Age, a*p.horizon/y.setup.Step)
		f.Imbalance = append(f.Imbalance, s.Max-s.Mean)
		mean += s.Mean / float64(len(all.age))
	}
	if p.Timed {
		e.work = time.Since(began).Seconds()
	}
	return f, mean, e
}

// choose chooses among the options of a plan and records the choice.
func (p *Player) choose(y *System, all *plan) option {
	used := p.planner.Used()
	chosen := p.planner.Choose(all.relatives(), p.balancingSeconds(y, all.spent)-p.balancingSeconds(y, all.partitioners[used].own))
	o := all.partitioners[chosen]
	if chosen == used && all.shorter.relative < o.relative {
		o = all.shorter
		p.horizon /= 2
	}
	p.partitioner, p.spent, p.own, p.currentForecast = p.Partitioners[chosen], all.spent, o.own, o.forecast
	return o
}

// plan makes the partition with the least forecast effort. The partitioners exchange their messages at the same time,
// and the sums of a forecast take one exchange, so the latency is the same as for one partition.
func (p *Player) plan(y *System, rest float64) (*partition.Partition, error) {
	all, err := p.makePlan(y, rest)
	if err != nil {
		return nil, err
	}
	return p.choose(y, all).made, nil
}

// longestFirst bounds the horizon of the first plan, in iterations, if the end of the run is not known. The longest
// intervals of the papers' set-ups take some hundred iterations. Beyond that, motion without forces is a poor forecast.
const longestFirst = 16 * firstHorizon

// begin makes the first partition. It is not known how long this partition should last. So begin tries growing
// horizons, each at least half as long again as the one before, until the horizon covers the length of the best
// interval. Then it shrinks the horizon to that length once.
func (p *Player) begin(y *System, rest float64) (*partition.Partition, error) {
	longest := min(rest, longestFirst) * y.setup.Step
	if p.Iterations > 0 {
		longest = rest * y.setup.Step
	}
	for fitting := false; ; {
		all, err := p.makePlan(y, rest)
		if err != nil {
			return nil, err
		}
		best := all.partitioners[0]
		for _, o := range all.partitioners {
			if o.relative < best.relative {
				best = o
			}
		}
		length := best.length * y.setup.Step
		switch covered := length <= p.horizon*(1+1e-9) || p.horizon >= longest; {
		case covered && length < 0.8*p.horizon && !fitting:
			fitting, p.horizon = true, length
		case covered || fitting:
			return p.choose(y, all).made, nil
		default:
			p.horizon = min(max(length, 1.5*p.horizon), longest)
		}
	}
}

// balancingSeconds returns the seconds of a balancing with the given expense, if it moves as many particles as the last
// balancing.
func (p *Player) balancingSeconds(y *System, e expense) float64 {
	if p.Timed {
		// e.work is the time for all particles, of which each element handles an equal share.
		return p.Costs.Latency + e.messages + e.work/float64(p.PEs) + float64(p.Costs.Migrate*p.most)
	}
	return p.Costs.balance(y.Len(), p.PEs, e.work, p.most) + e.forecastSeconds + e.messages
}
