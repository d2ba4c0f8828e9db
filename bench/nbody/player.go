package nbody

import (
	"time"

	"lockstep/lb/criterion"
	"lockstep/lb/effort"
	"lockstep/lb/partition"
)

// A Partitioner is a method with what running it costs.
type Partitioner struct {
	Name string
	partition.Method
	// Work is the time of a partition over RCB's, as BenchmarkPartition measures it.
	Work float64
	// Weighted balances interactions in place of particles.
	Weighted bool
	Fixed    bool // see partition.Options
}

// A Player runs the particles on processing elements of the counted machine, with a
// partitioner and a criterion of its own.
type Player struct {
	// Ways are the partitioners; with several, an effort.Selector chooses.
	Ways      []Partitioner
	Criterion criterion.Criterion
	PEs       int
	Costs     Costs
	For       partition.For
	// Timed measures how long every element takes for its forces, in place of counting
	// interactions, and how long partitions take.
	Timed bool

	Seconds  float64 // of the run so far, without the first partition
	Ideal    float64 // sum of the mean times
	Balances []int
	Migrated int // particles that changed their element, for whichever reason
	Meter    effort.Meter
	// Imbalance holds the imbalance time of every iteration.
	Imbalance []float64

	selector *effort.Selector
	way      Partitioner // of the present partition
	now      *partition.Partition
	since    float64 // time at which the partition was made
	horizon  float64
	weight   []float64
	owner    []int32 // after the last iteration
	spare    []int32
	busy     []float64
	cost     float64 // of a balancing before the next iteration
	balanced bool
}

// firstHorizon is how long the first partition is made to last, in iterations; later ones are
// made for the length of the interval before. Intervals of the papers' set-ups take 10 to 300.
const firstHorizon = 100

// Before decides whether to balance before an iteration, for which y holds the places
// and the neighbours of the last one. now is the time that has passed. The first call
// distributes the particles, free of charge.
func (p *Player) Before(iteration int, y *System, now float64) error {
	if p.now != nil && !p.Criterion.Decide().Balance {
		return nil
	}
	first := p.now == nil
	if first {
		p.selector, p.way = effort.NewSelector(len(p.Ways)), p.Ways[0]
		p.horizon = firstHorizon * y.setup.Step
	} else {
		p.horizon = now - p.since
		p.way = p.Ways[p.selector.Next(p.Meter.Open())]
	}
	if err := p.partition(y, now); err != nil {
		return err
	}
	p.balanced = true
	if !first {
		p.Balances = append(p.Balances, iteration)
		p.Seconds += p.cost
	}
	return nil
}

// points describes the particles to a partitioner.
func (p *Player) points(y *System) partition.Points {
	var points partition.Points
	for d := range y.Dim {
		points.At = append(points.At, y.At[d])
		points.Velocity = append(points.Velocity, y.Velocity[d])
	}
	if p.way.Weighted {
		p.weight = resize(p.weight, y.Len())
		for i, n := range y.Neighbours {
			p.weight[i] = p.Costs.Particle + float64(p.Costs.Interaction*float64(n))
		}
		points.Weight = p.weight
	}
	return points
}

// partition replaces the partition and sets the cost of doing so.
func (p *Player) partition(y *System, now float64) error {
	options := partition.Options{For: p.For, Horizon: p.horizon, Fixed: p.way.Fixed}
	began := time.Now()
	next, err := p.way.Method(p.points(y), p.PEs, options)
	if err != nil {
		return err
	}
	took := time.Since(began).Seconds()
	most := float64(y.Len()) // the first time all come from one place
	if p.now != nil {
		next.Renumber(partition.Stay(p.owner, next.Owner, nil, p.PEs))
		moved := partition.Moved(p.owner, next.Owner, nil, p.PEs)
		p.Migrated += moved.Points
		most = moved.Most
	}
	p.cost = p.Costs.balance(y.Len(), p.PEs, p.way.Work, most)
	if p.Timed {
		// The points' share of the time falls with the number of elements.
		p.cost = p.Costs.Latency + took/float64(p.PEs) + float64(p.Costs.Migrate*most)
	}
	p.now, p.since = next, now
	p.owner = append(p.owner[:0], next.Owner...)
	return nil
}

// After charges an iteration, which ended with y at time now, several times: as often as
// iterations are observed. Particles that have left their element's region go to their
// new one first.
func (p *Player) After(y *System, now float64, times int) criterion.Sample {
	p.spare = resize(p.spare, y.Len())
	p.now.LocateAll(p.spare, y.columns(), now-p.since, partition.Options{For: p.For})
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
	}
	for i, own := range p.spare {
		if was := p.owner[i]; was != own {
			p.busy[own] += p.Costs.Migrate
			p.busy[was] += p.Costs.Migrate
			p.Migrated++
		}
	}
	p.owner, p.spare = p.spare, p.owner
	return p.observe()
}

// observe tells the criterion and adds up.
func (p *Player) observe() criterion.Sample {
	s := criterion.Of(p.busy)
	if p.balanced {
		s.Balanced, s.Cost = true, p.cost
		p.balanced = false
	}
	p.Seconds += s.Max
	p.Ideal += s.Mean
	p.Imbalance = append(p.Imbalance, s.Max-s.Mean)
	p.Criterion.Observe(s)
	if len(p.Balances) == 0 {
		s.Cost = 0 // the first distribution is free
	}
	p.Meter.Observe(s)
	return s
}

// Owners returns the element of every particle after the last iteration.
func (p *Player) Owners() []int32 { return p.owner }

// columns returns the places as columns of the system's dimension.
func (s *System) columns() [][]float64 { return s.At[:s.Dim:s.Dim] }
