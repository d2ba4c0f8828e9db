package nbody

import (
	"math"
	"slices"
	"time"

	"lockstep/lb/criterion"
	"lockstep/lb/effort"
	"lockstep/lb/partition"
)

// An expense is the cost of making partitions, in three parts with their own units. Player.balancingSeconds converts it
// to seconds.
type expense struct {
	work            float64 // as a multiple of the time of a partition by RCB, or in seconds if Player.Timed is set
	forecastSeconds float64 // seconds that an element needs for forecasts of the particles
	messages        float64 // seconds for messages, in addition to the messages of a partition by RCB
}

func (e *expense) add(o expense) {
	e.work += o.work
	e.forecastSeconds += o.forecastSeconds
	e.messages += o.messages
}

// makePartition makes the next partition. It sets p.spent to the expense of making it, and p.own to the part of the
// expense that the chosen partitioner causes. rest is the number of remaining iterations.
func (p *Player) makePartition(y *System, iteration int, rest float64) (*partition.Partition, error) {
	p.updateBias(float64(iteration - p.madeIteration))
	switch {
	case len(p.Partitioners) == 1:
		p.partitioner = p.Partitioners[0]
	case p.Trials && p.selector == nil:
		p.selector, p.partitioner = effort.NewSelector(len(p.Partitioners)), p.Partitioners[0]
	case p.Trials:
		p.partitioner = p.Partitioners[p.selector.Next(p.Meter.Open())]
	case p.partition == nil:
		p.planner, p.bias = effort.NewPlanner(len(p.Partitioners)), 1
		return p.makeFirstPartition(y, rest)
	case p.planner.Due(p.Meter.Open(), rest/float64(iteration-p.madeIteration)):
		return p.makeBestPartition(y, rest)
	default:
		p.partitioner, p.currentForecast = p.Partitioners[p.planner.Used()], effort.Forecast{}
	}
	s, told := p.forecastParticles(y, p.partitioner.Lead)
	next, _, made, err := p.partitionSnapshot(y, p.partitioner, s)
	made.add(told)
	p.spent, p.own = made, made
	return next, err
}

// forecastParticles forecasts the particles at a later time. The argument `part` is the time from now to that time, as
// a fraction of the horizon. It also returns the expense: every element moves its particles and counts their
// neighbours, as in an iteration.
func (p *Player) forecastParticles(y *System, part float64) (snapshot, expense) {
	if part == 0 {
		return y.snapshot(&p.Costs), expense{}
	}
	began := time.Now()
	s := y.forecast(part*p.horizon, &p.Costs)
	if p.Timed {
		return s, expense{work: time.Since(began).Seconds()}
	}
	return s, expense{forecastSeconds: p.Costs.forecastSeconds(float64(y.Len())/float64(p.PEs), y.setup.forecastSteps(part*p.horizon)) + p.lastSeconds}
}

// partitionSnapshot partitions the particles in a snapshot. next.Owner holds the owners of the particles at their
// present positions. fitted holds the load of each part at the time of the snapshot.
func (p *Player) partitionSnapshot(y *System, partitioner Partitioner, s snapshot) (next *partition.Partition, fitted []float64, e expense, err error) {
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
	fitted = p.elementLoads(next.Owner, s.weight)
	if partitioner.Lead != 0 {
		next.LocateAll(next.Owner, y.coordinates(), 0, options)
		e.work += locateWork
	}
	if p.Timed {
		e.work = time.Since(began).Seconds()
	}
	return next, fitted, e, nil
}

// elementLoads returns for every element the sum of the weights of its particles.
func (p *Player) elementLoads(owner []int32, weight []float64) []float64 {
	load := make([]float64, p.PEs)
	for i, own := range owner {
		load[own] += weight[i]
	}
	return load
}

// forecastAges returns the times for which the loads of a new partition are forecast, as fractions of the horizon.
// These are the present, the middle of the horizon, and 1.25 horizons. If the run ends before that, the last time is
// the end of the run, but at least one horizon. Every partitioner's Lead must be one of the times.
func (p *Player) forecastAges(rest, step float64) []float64 {
	return []float64{0, 0.5, min(1.25, max(1, rest*step/p.horizon))}
}

// A particleForecasts holds forecasts of the particles at several ages, in increasing order. An age is the time from
// now to a forecast, as a fraction of the horizon.
type particleForecasts struct {
	age       []float64
	snapshots []snapshot
	expenses  []expense
}

// add adds a forecast of the particles at a new age, and returns its expense.
func (f *particleForecasts) add(p *Player, y *System, age float64) expense {
	at, _ := slices.BinarySearch(f.age, age)
	seen, told := p.forecastParticles(y, age)
	f.age, f.snapshots, f.expenses = slices.Insert(f.age, at, age), slices.Insert(f.snapshots, at, seen), slices.Insert(f.expenses, at, told)
	return told
}

// A candidate is a partition by one of the partitioners, with the forecast of its effort. The effort of an interval
// between balancings is the sum of the balancing's cost and the imbalance time, divided by the number of iterations
// (see package effort).
type candidate struct {
	made     *partition.Partition // nil if the partitioner is not tried
	own      expense              // cost of making this partition
	forecast effort.Forecast
	// relative is the least effort divided by the mean time of an iteration. It is +Inf if the partitioner is not
	// tried.
	relative float64
	length   float64 // number of iterations of the interval with the least effort
}

// A plan holds all candidates for the next partition.
type plan struct {
	partitioners []candidate
	shorter      candidate // by the partitioner in use, for half the horizon
	spent        expense   // total expense of making the plan
}

// relativeEfforts returns the field `relative` of the candidates of all partitioners.
func (a *plan) relativeEfforts() (e []float64) {
	for _, o := range a.partitioners {
		e = append(e, o.relative)
	}
	return e
}

// makePlan makes a partition with each partitioner that the planner wants to try, and forecasts its effort. rest is the
// number of remaining iterations.
func (p *Player) makePlan(y *System, rest float64) (*plan, error) {
	var f particleForecasts
	all := &plan{partitioners: make([]candidate, len(p.Partitioners))}
	for _, a := range p.forecastAges(rest, y.setup.Step) {
		all.spent.add(f.add(p, y, a))
	}
	for i, partitioner := range p.Partitioners {
		if !p.planner.Wanted(i) {
			all.partitioners[i].relative = math.Inf(1)
			continue
		}
		if err := p.tryPartitioner(y, partitioner, &f, rest, &all.partitioners[i], &all.spent); err != nil {
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
	return all, p.tryPartitioner(y, partitioner, &f, rest, &all.shorter, &all.spent)
}

// tryPartitioner makes a partition with partitioner and forecasts its effort. It stores both in o, and adds the expense
// to spent.
func (p *Player) tryPartitioner(y *System, partitioner Partitioner, f *particleForecasts, rest float64, o *candidate, spent *expense) error {
	lead, _ := slices.BinarySearch(f.age, partitioner.Lead)
	next, fitted, e, err := p.partitionSnapshot(y, partitioner, f.snapshots[lead])
	if err != nil {
		return err
	}
	spent.add(e)
	e.add(f.expenses[lead])
	forecast, mean, looked := p.forecastImbalance(y, next, fitted, lead, f)
	spent.add(looked)
	cost, first := p.balancingSeconds(y, e), 0.0
	if p.partition != nil {
		first = cost
	}
	for k := range forecast.Imbalance {
		forecast.Imbalance[k] *= p.bias
	}
	least, length := forecast.Best(cost, first, rest)
	*o = candidate{made: next, own: e, forecast: forecast, relative: least / mean, length: length}
	return nil
}

// forecastImbalance returns the imbalance times of a partition at the ages of all forecasts, the mean time of an
// iteration, and the expense. The partition was made for the age all.age[lead]. The loads at that age are `fitted`.
func (p *Player) forecastImbalance(y *System, next *partition.Partition, fitted []float64, lead int, all *particleForecasts) (f effort.Forecast, mean float64, e expense) {
	began := time.Now()
	for k, a := range all.age {
		var load []float64
		switch {
		case k == lead:
			load = fitted
		case a == 0:
			load = p.elementLoads(next.Owner, all.snapshots[0].weight)
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

// chooseCandidate returns the candidate that the planner chooses, and records the choice.
func (p *Player) chooseCandidate(y *System, all *plan) candidate {
	used := p.planner.Used()
	chosen := p.planner.Choose(all.relativeEfforts(), p.balancingSeconds(y, all.spent)-p.balancingSeconds(y, all.partitioners[used].own))
	o := all.partitioners[chosen]
	if chosen == used && all.shorter.relative < o.relative {
		o = all.shorter
		p.horizon /= 2
	}
	p.partitioner, p.spent, p.own, p.currentForecast = p.Partitioners[chosen], all.spent, o.own, o.forecast
	return o
}

// makeBestPartition makes a plan and returns the partition with the least forecast effort. All partitioners can
// exchange their messages at the same time, so the latency counts only once.
func (p *Player) makeBestPartition(y *System, rest float64) (*partition.Partition, error) {
	all, err := p.makePlan(y, rest)
	if err != nil {
		return nil, err
	}
	return p.chooseCandidate(y, all).made, nil
}

// maxFirstHorizon limits the horizon of the first plan, in iterations, if the end of the run is not known. The longest
// intervals of the papers' set-ups take some hundred iterations. For longer times forecasts are poor, because they
// ignore the forces between particles.
const maxFirstHorizon = 16 * firstHorizon

// makeFirstPartition makes the first partition. It does not know how long this partition will last. So it makes plans
// with growing horizons, each at least 1.5 times the previous, until the best interval is no longer than the horizon.
// If the best interval is shorter than 0.8 horizons, it makes a last plan, whose horizon is the length of that
// interval.
func (p *Player) makeFirstPartition(y *System, rest float64) (*partition.Partition, error) {
	longest := min(rest, maxFirstHorizon) * y.setup.Step
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
			return p.chooseCandidate(y, all).made, nil
		default:
			p.horizon = min(max(length, 1.5*p.horizon), longest)
		}
	}
}

// balancingSeconds returns the seconds of a balancing with this expense. It assumes that as many particles move as in
// the last balancing.
func (p *Player) balancingSeconds(y *System, e expense) float64 {
	if p.Timed {
		// e.work is the time for all particles. Each element handles an equal share.
		return p.Costs.Latency + e.messages + e.work/float64(p.PEs) + float64(p.Costs.Migrate*p.mostMoved)
	}
	return p.Costs.balancingSeconds(y.Len(), p.PEs, e.work, p.mostMoved) + e.forecastSeconds + e.messages
}
