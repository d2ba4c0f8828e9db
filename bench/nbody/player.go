package nbody

import (
	"math"

	"lockstep/lb/criterion"
	"lockstep/lb/effort"
	"lockstep/lb/partition"
)

// A Partitioner is a method of partitioning, with its options and the cost of running it.
type Partitioner struct {
	Name string
	partition.Method
	// Work is the time of making a partition, divided by the time that RCB takes. BenchmarkWorks measures it.
	Work float64
	// Weighted balances numbers of interactions, not of particles.
	Weighted bool
	Fixed    bool // the value of partition.Options.Fixed
	// The horizon is the time that a partition is to last. Lead is the point of time for which the partition is made,
	// as a fraction of the horizon. If Lead is 0, the present particles are partitioned. Otherwise the particles are
	// forecast for that time and then partitioned.
	Lead float64
	// If Serial is set, all elements together find one cut after the other. Otherwise all cuts of a level are found at
	// the same time.
	Serial bool
}

// messages returns how many seconds the messages of a partition take beyond Costs.Latency. It is 0 unless Serial is
// set.
func (w *Partitioner) messages(c *Costs, pes int) float64 {
	if !w.Serial {
		return 0
	}
	return c.Latency * max(0, float64(pes-1)/bisectionLevels(pes)-1)
}

// A Player computes how long a run takes on processing elements. It has its own partitioner and criterion.
type Player struct {
	// Partitioners are the partitioners from which the player chooses. If there are several, an effort.Planner chooses
	// by forecasts of the particles. If Trials is set, an effort.Selector chooses instead, by trying the partitioners.
	Partitioners []Partitioner
	Trials       bool
	Criterion    criterion.Criterion
	PEs          int
	Costs        Costs
	// Iterations is the number of iterations of the run, or 0 if the player does not know it.
	Iterations int
	// Strict makes the player balance whenever the criterion says so, even if the rest of the run cannot repay the
	// cost.
	Strict bool
	// If Timed is set, the times for the forces of every element and for the partitions are measured. Otherwise they
	// are computed from Costs.
	Timed bool
	// Noise is a standard deviation, at most 0.5. Each element's time of each iteration is multiplied by a random
	// factor with the mean 1 and this standard deviation.
	Noise float64

	Seconds  float64 // time of the run so far, without making the first partition
	Ideal    float64 // sum over the iterations of the mean time of an element
	Balances []int   // iterations before which the player balanced, without the first partition
	Migrated int     // number of times that a particle changed its element, for any reason
	Meter    effort.Meter
	// Imbalance holds the imbalance time of every iteration: the longest time of an element minus the mean time.
	Imbalance []float64

	random          random
	selector        *effort.Selector
	planner         *effort.Planner
	currentForecast effort.Forecast // forecast of the present partition, if one was made
	bias            float64         // factor that corrects forecasts of the imbalance time
	partitioner     Partitioner     // partitioner of the present partition
	partition       *partition.Partition
	madeAt          float64 // when the partition was made, in seconds since the start
	madeIteration   int     // the iteration before which the partition was made
	// horizon is the time that a partition is to last: the next partition while it is being made, otherwise the present
	// one.
	horizon float64
	owner   []int32 // owner of each particle after the last iteration
	spare   []int32
	busy    []float64
	cost    float64 // cost of the latest balancing, in seconds
	// plainCost is the value that the field `cost` would have if only the chosen candidate had been made. Most
	// balancings have only one candidate.
	plainCost float64
	// spent is the expense of the last balancing, including the candidates that were not chosen. own is the expense of
	// the chosen candidate alone.
	spent, own  expense
	lastSeconds float64 // seconds of the last iteration
	// imbalanceNow is the imbalance time of the last iteration. leastImbalance is the least imbalance time since the
	// last balancing.
	imbalanceNow, leastImbalance float64
	mostMoved                    float64 // most particles that an element sent or received in the last balancing
	balanced                     bool
}

// Before decides whether to balance before an iteration, and balances if so. y holds the positions and the neighbours
// after the last iteration. now is the time since the start. The first call makes the first partition. The cost of the
// first partition does not count.
func (p *Player) Before(iteration int, y *System, now float64) error {
	first := p.partition == nil
	rest := p.iterationsLeft(iteration)
	if !first && (!p.Criterion.Decide().Balance || !p.Strict && !p.isBalancingWorthwhile(float64(iteration-p.madeIteration), rest, y.setup.Step)) {
		return nil
	}
	p.horizon = firstHorizon * y.setup.Step
	if !first {
		p.horizon = p.nextHorizon(now-p.madeAt, y.setup.Step)
	}
	p.horizon = effort.Divide(rest*y.setup.Step, p.horizon)
	next, err := p.makePartition(y, iteration, rest)
	if err != nil {
		return err
	}
	p.adoptPartition(y, next, now)
	p.madeIteration, p.balanced = iteration, true
	if !first {
		p.Balances = append(p.Balances, iteration)
		p.Seconds += p.cost
	}
	return nil
}

// adoptPartition replaces the partition by next. It renumbers the parts of next so that few particles move. It sets the
// costs of this balancing.
func (p *Player) adoptPartition(y *System, next *partition.Partition, now float64) {
	most := float64(y.Len()) // in the first distribution all particles come from one place
	if p.partition != nil {
		next.Renumber(partition.Stay(p.owner, next.Owner, nil, p.PEs))
		moved := partition.Moved(p.owner, next.Owner, nil, p.PEs)
		p.Migrated += moved.Points
		most = moved.Most
	}
	p.mostMoved = most
	p.cost, p.plainCost = p.balancingSeconds(y, p.spent), p.balancingSeconds(y, p.own)
	p.partition, p.madeAt = next, now
	p.owner = append(p.owner[:0], next.Owner...)
}

// After adds the times of the iteration that has just ended. y holds the particles at the end of this iteration. now is
// the time since the start. The iteration counts as several iterations, if the argument times is above 1. The times
// include sending particles that have left their element's region to their new element.
func (p *Player) After(y *System, now float64, times int) criterion.Sample {
	p.spare = resize(p.spare, y.Len())
	p.partition.LocateAll(p.spare, y.coordinates(), now-p.madeAt, partition.Options{})
	p.busy = resize(p.busy, p.PEs)
	clear(p.busy)
	if p.Timed {
		y.timeOwners(p.busy, p.spare)
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
	return p.recordIteration(times)
}

// recordIteration adds up the times of an iteration. It reports them to the criterion and the meter.
func (p *Player) recordIteration(times int) criterion.Sample {
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
	p.lastSeconds = s.Max / float64(times)
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

// coordinates returns the positions as a slice for each dimension.
func (s *System) coordinates() [][]float64 { return s.At[:s.Dim:s.Dim] }
