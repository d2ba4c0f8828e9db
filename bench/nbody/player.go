package nbody

import (
	"math"

	"lockstep/lb/criterion"
	"lockstep/lb/effort"
	"lockstep/lb/partition"
)

// A Partitioner is a method with the cost of running it.
type Partitioner struct {
	Name string
	partition.Method
	// Work is the time of a partition relative to RCB, as BenchmarkWorks measures it.
	Work float64
	// Weighted balances interactions instead of particles.
	Weighted bool
	Fixed    bool // partition.Options.Fixed
	// Lead makes the partition for forecast instead of present particles. The forecast is for the time Lead times the
	// horizon ahead.
	Lead float64
	// Serial lets all elements take part in every cut, one cut after the other. Otherwise half of the elements cut each
	// of the two halves at the same time.
	Serial bool
}

// messages returns the additional seconds that the messages of a partition take, compared with a partition that finds
// all cuts of a level at the same time.
func (w *Partitioner) messages(c *Costs, pes int) float64 {
	if !w.Serial {
		return 0
	}
	return c.Latency * max(0, float64(pes-1)/levels(pes)-1)
}

// A Player runs the particles on processing elements of the counted machine, with its own partitioner and criterion.
type Player struct {
	// Partitioners are the partitioners from which the player chooses. If there are several, an effort.Planner chooses
	// by forecasts of the particles. If Trials is set, an effort.Selector chooses by trying instead.
	Partitioners []Partitioner
	Trials       bool
	Criterion    criterion.Criterion
	PEs          int
	Costs        Costs
	// Iterations is the length of the run, which a planner divides into intervals; 0 if it is not known.
	Iterations int
	// Strict balances whenever the criterion says so, even if too little of the run is left to repay the cost.
	Strict bool
	// Timed measures how long every element takes for its forces, instead of counting interactions, and how long
	// partitions take.
	Timed bool
	// Noise is the standard deviation of a random factor with the mean 1. Each element's time of each iteration is
	// multiplied by such a factor. It is at most 0.5.
	Noise float64

	Seconds  float64 // time of the run so far, without the first partition
	Ideal    float64 // sum of the mean times
	Balances []int
	Migrated int // number of times that a particle changed its element, for any reason
	Meter    effort.Meter
	// Imbalance holds the imbalance time of every iteration.
	Imbalance []float64

	random          random
	selector        *effort.Selector
	planner         *effort.Planner
	currentForecast effort.Forecast // forecast of the present partition, if one was made
	bias            float64         // ratio of the actual to the forecast imbalance time
	partitioner     Partitioner     // partitioner of the present partition
	partition       *partition.Partition
	madeAt          float64 // time at which the partition was made
	madeIteration   int     // iteration at which it was made
	horizon         float64
	owner           []int32 // owner of each particle after the last iteration
	spare           []int32
	busy            []float64
	cost            float64 // cost of a balancing before the next iteration
	plainCost       float64 // cost of a balancing with the same partitioner but without forecasts; most balancings are of this kind
	spent, own      expense // expense of the last balancing, with and without forecasts
	last            float64 // seconds of the last iteration
	// imbalanceNow is the imbalance time of the last iteration, and leastImbalance the least imbalance time of an
	// iteration since the last balancing.
	imbalanceNow, leastImbalance float64
	most                         float64 // most particles that an element sent or received in the last balancing
	balanced                     bool
}

// Before decides whether to balance before an iteration, and does so. y holds the positions and the neighbours of the
// last iteration, and now is the time that has passed. The first call distributes the particles free of charge.
func (p *Player) Before(iteration int, y *System, now float64) error {
	first := p.partition == nil
	rest := p.rest(iteration)
	if !first && (!p.Criterion.Decide().Balance || !p.Strict && !p.repays(float64(iteration-p.madeIteration), rest, y.setup.Step)) {
		return nil
	}
	p.horizon = firstHorizon * y.setup.Step
	if !first {
		p.horizon = p.nextHorizon(now-p.madeAt, y.setup.Step)
	}
	p.horizon = effort.Divide(rest*y.setup.Step, p.horizon)
	next, err := p.divide(y, iteration, rest)
	if err != nil {
		return err
	}
	p.adopt(y, next, now)
	p.madeIteration, p.balanced = iteration, true
	if !first {
		p.Balances = append(p.Balances, iteration)
		p.Seconds += p.cost
	}
	return nil
}

// adopt replaces the partition by next and sets the costs of this balancing.
func (p *Player) adopt(y *System, next *partition.Partition, now float64) {
	most := float64(y.Len()) // in the first distribution all particles come from one place
	if p.partition != nil {
		next.Renumber(partition.Stay(p.owner, next.Owner, nil, p.PEs))
		moved := partition.Moved(p.owner, next.Owner, nil, p.PEs)
		p.Migrated += moved.Points
		most = moved.Most
	}
	p.most = most
	p.cost, p.plainCost = p.balancingSeconds(y, p.spent), p.balancingSeconds(y, p.own)
	p.partition, p.madeAt = next, now
	p.owner = append(p.owner[:0], next.Owner...)
}

// After charges the iteration that ended with the particles y at time now. The iteration stands for as many iterations
// as times says. Particles that have left their element's region first move to their new element.
func (p *Player) After(y *System, now float64, times int) criterion.Sample {
	p.spare = resize(p.spare, y.Len())
	p.partition.LocateAll(p.spare, y.columns(), now-p.madeAt, partition.Options{})
	p.busy = resize(p.busy, p.PEs)
	clear(p.busy)
	if p.Timed {
		y.measure(p.busy, p.spare)
	} else {
		for i, own := range p.spare {
			p.busy[own] += p.Costs.Particle + float64(p.Costs.Interaction*float64(y.Neighbours[i]))
		}
	}
	for k := range p.busy {
		p.busy[k] *= float64(times)
		if p.Noise > 0 {
			p.busy[k] *= 1 + p.Noise*math.Sqrt(3)*(2*p.random.float()-1)
		}
	}
	for i, own := range p.spare {
		if was := p.owner[i]; was != own {
			p.busy[own] += p.Costs.Migrate
			p.busy[was] += p.Costs.Migrate
			p.Migrated++
		}
	}
	p.owner, p.spare = p.spare, p.owner
	return p.observe(times)
}

// observe passes the iteration to the criterion and the meter, and adds up its times.
func (p *Player) observe(times int) criterion.Sample {
	s := criterion.Of(p.busy)
	p.imbalanceNow = (s.Max - s.Mean) / float64(times)
	if p.balanced || p.imbalanceNow < p.leastImbalance {
		p.leastImbalance = p.imbalanceNow
	}
	if p.balanced {
		s.Balanced, s.Cost = true, p.plainCost
		p.balanced = false
	}
	p.Seconds += s.Max
	p.last = s.Max / float64(times)
	p.Ideal += s.Mean
	p.Imbalance = append(p.Imbalance, s.Max-s.Mean)
	p.Criterion.Observe(s)
	s.Cost = p.cost // including the cost of forecasts
	if len(p.Balances) == 0 {
		s.Cost = 0 // the first distribution is free
	}
	p.Meter.Observe(s)
	return s
}

// Owners returns the element of every particle after the last iteration.
func (p *Player) Owners() []int32 { return p.owner }

// columns returns the positions as one column for each dimension.
func (s *System) columns() [][]float64 { return s.At[:s.Dim:s.Dim] }
