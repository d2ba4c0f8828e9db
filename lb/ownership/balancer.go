package ownership

import (
	"fmt"
	"math"
	"slices"

	"lockstep/lb/criterion"
)

// Options say when and how to balance. The zero value is the default.
type Options struct {
	When  string    // "payback", or a criterion by name, see criterion.Named; "" is "payback"
	How   string    // a method by name, see Methods; "" is "auto"
	Bytes []float64 // bytes that moving each block takes; nil means 1 byte each
	// Price returns the expected cost of a change, in the unit of the times. If it is nil, the cost of the last change
	// is expected, and 0 before the first.
	Price func(*Change) float64
}

// A Change is a new assignment of blocks to nodes.
type Change struct {
	Owner []int32 // new owner of each block
	// Saves is the time by which the next frame will probably become shorter.
	Saves  float64
	Blocks int     // number of blocks that change their node
	Bytes  float64 // total size of these blocks
	// Most is the largest number of bytes that a single node sends or receives.
	Most float64
	Why  criterion.Decision
}

// Loads holds the times and the positions of the blocks in a frame.
type Loads struct {
	Seconds []float64 // time of each block
	// X and Y are the positions of the blocks in the picture. VX and VY are their motion until the next frame. They are
	// nil if they are not known. Geometric methods need positions.
	X, Y, VX, VY []float64
}

// A Balancer decides frame by frame whether to change the owners. Make one with New. Several goroutines must not use it
// at once.
type Balancer struct {
	options    Options
	methods    []method
	newRule    func(iterations int) criterion.Criterion // nil if the rule is Payback
	controller criterion.Controller
	frames     int
	nodes      int
	owner      []int32
	expected   []float64  // expected seconds of each block in the next frame
	load       []float64  // load of each node
	since      int        // number of frames since the last change
	tests      []planTest // for Payback: a test of each method's plans
	paid       float64    // cost of the last change
	first      []int32    // owners before the first change
	// unpaidCost is the cost of all changes minus their savings, compared with the first owners. It is at least 0.
	unpaidCost float64
	changes    int
	drawn      int // number of frames drawn
}

// A planTest adds up how much time a method's plans would have saved, in frames after they were made.
type planTest struct {
	owner []int32 // owners in the plan under test, or nil
	age   int     // number of frames for which this plan has been tested
	saved float64 // time that this plan and earlier ones would have saved since the last change
}

// New returns a balancer for a film of this number of frames.
func New(frames int, o Options) (*Balancer, error) {
	if o.When == "" {
		o.When = Payback
	}
	if o.How == "" {
		o.How = Auto
	}
	b := &Balancer{options: o, frames: frames}
	var err error
	if b.methods, err = methodsNamed(o.How); err != nil {
		return nil, fmt.Errorf("ownership: %w", err)
	}
	if o.When == Payback {
		return b, nil
	}
	if b.newRule, err = criterion.Named(o.When); err != nil {
		return nil, fmt.Errorf("ownership: when to balance: %w", err)
	}
	return b, nil
}

// Payback is the rule that tests plans on later frames. After every frame it takes a plan that was made earlier, and
// computes how much time the frame would have saved under this plan. It adds up these savings since the last change.
// When the sum exceeds the price of a new plan, the new plan is carried out. A plan that follows noise saves nothing in
// later frames, so it is not carried out.
//
// A change at the best possible time would have cost the price too. So the time lost by waiting and the price together
// are at most twice the unavoidable cost. This is the rule of the ski rental problem (Karlin et al., "Competitive
// snoopy caching", Algorithmica 3, 1988).
//
// Earlier changes may have cost more than they have saved so far, compared with the owners at the start of the film.
// This debt is added to the price. So after useless changes the next change must save the debt too.
const Payback = "payback"

// Auto chooses among several methods. Under Payback it takes the plan of the method whose plans would have saved the
// most. Under other rules it takes the plan that saves the most.
const Auto = "auto"

// Assign divides the blocks among a new set of nodes and returns the owner of every block. Each node gets a range of
// consecutive blocks. The ranges take equal times if times are known, and otherwise have equal numbers of blocks.
// Assign starts with a new rule that has not learned any loads, because the loads of the former nodes do not predict
// those of the new nodes.
func (b *Balancer) Assign(blocks, nodes int) []int32 {
	if nodes < 1 || blocks < 0 {
		panic(fmt.Sprintf("ownership: %d blocks for %d nodes", blocks, nodes))
	}
	b.nodes, b.since, b.changes, b.drawn = nodes, 0, 0, 0
	b.tests = make([]planTest, len(b.methods))
	b.load = make([]float64, nodes)
	if b.newRule != nil {
		b.controller = criterion.Controller{Criterion: b.newRule(b.frames)}
		if b.options.Price != nil {
			b.controller.Balanced(b.options.Price(new(Change)))
		}
	}
	weight := b.expected
	if len(weight) != blocks {
		b.expected = nil
		weight = make([]float64, blocks)
		for i := range weight {
			weight[i] = 1
		}
	}
	b.owner = consecutive(weight, nodes)
	b.first, b.unpaidCost = b.owner, 0
	return slices.Clone(b.owner)
}

// Owner returns the owner of each block. The caller must not change the slice.
func (b *Balancer) Owner() []int32 { return b.owner }

// Frame records how long the blocks took in a frame. It returns a change to make before the next frame, or nil. A
// caller that makes the change must then call Balanced.
func (b *Balancer) Frame(l Loads) (*Change, error) {
	if len(l.Seconds) != len(b.owner) {
		return nil, fmt.Errorf("ownership: times of %d blocks: expected %d", len(l.Seconds), len(b.owner))
	}
	for i, t := range l.Seconds {
		if !(t >= 0 && t <= math.MaxFloat32) {
			return nil, fmt.Errorf("ownership: block %d took %g; expected a finite time of at least 0", i, t)
		}
	}
	b.learn(l.Seconds)
	b.since++
	b.drawn++
	if b.newRule == nil {
		return b.payback(l)
	}
	clear(b.load)
	for i, s := range l.Seconds {
		b.load[b.owner[i]] += s
	}
	if err := b.controller.Observe(b.load...); err != nil {
		return nil, fmt.Errorf("ownership: %w", err)
	}
	why := b.controller.Decide()
	if !why.Balance {
		return nil, nil
	}
	c, err := b.plan(l)
	if c != nil {
		c.Why = why
	}
	return c, err
}

// payback decides for Frame under the rule Payback.
func (b *Balancer) payback(l Loads) (best *Change, err error) {
	now := b.longest(b.owner, l.Seconds)
	b.unpaidCost = max(b.unpaidCost+now-b.longest(b.first, l.Seconds), 0)
	most := 0.0
	for i := range b.tests {
		t := &b.tests[i]
		if t.owner != nil {
			t.age++
			t.saved = max(t.saved+now-b.longest(t.owner, l.Seconds), 0)
		}
		c, err := b.planBy(i, l)
		if err != nil {
			return nil, err
		}
		if c != nil && t.saved > most {
			if limit := b.price(c) + b.unpaidCost; t.saved > limit {
				most, best = t.saved, c
				c.Why = criterion.Decision{Balance: true, What: "saved by plans since the last change > price, and what is owed", Value: t.saved, Limit: limit}
			}
		}
		if t.owner == nil || t.age >= b.testFrames() {
			t.owner, t.age = nil, 0
			if c != nil {
				t.owner = c.Owner
			}
		}
	}
	return best, nil
}

// testFrames returns the number of frames for which a plan is tested: half the mean number of frames between changes so
// far, but at least one.
func (b *Balancer) testFrames() int { return max(b.drawn/(b.changes+1)/2, 1) }

// price returns the expected cost of change c.
func (b *Balancer) price(c *Change) float64 {
	if b.options.Price == nil {
		return b.paid
	}
	return b.options.Price(c)
}

// plan returns the change that saves the most, or nil if none makes a frame shorter.
func (b *Balancer) plan(l Loads) (best *Change, err error) {
	for i := range b.methods {
		c, err := b.planBy(i, l)
		if err != nil {
			return nil, err
		}
		if c != nil && (best == nil || c.Saves > best.Saves) {
			best = c
		}
	}
	return best, nil
}

// planBy returns the change that method i plans, or nil if it does not make a frame shorter.
func (b *Balancer) planBy(i int, l Loads) (*Change, error) {
	l.Seconds = b.expected
	next, err := b.methods[i](b, l)
	if err != nil {
		return nil, fmt.Errorf("ownership: %s: %w", b.options.How, err)
	}
	return b.changeTo(next), nil
}

// smoothing is the weight of a new time in the expected time of a block. Times vary from frame to frame, because the
// processor does other work too. A weight of one half averages out most of this variation within two frames. In two
// frames a camera moves only a little.
const smoothing = 0.5

// learn updates the expected times with the times of a frame.
func (b *Balancer) learn(seconds []float64) {
	if b.expected == nil {
		b.expected = slices.Clone(seconds)
		return
	}
	for i, s := range seconds {
		b.expected[i] += smoothing * (s - b.expected[i])
	}
}

// changeTo returns the change to these owners, or nil if they would not make a frame shorter.
func (b *Balancer) changeTo(next []int32) *Change {
	c := &Change{Owner: next}
	c.Saves = b.longest(b.owner, b.expected) - b.longest(next, b.expected)
	if !(c.Saves > 0) {
		return nil
	}
	sent, received := make([]float64, b.nodes), make([]float64, b.nodes)
	for i, to := range next {
		if from := b.owner[i]; from != to {
			c.Blocks++
			c.Bytes += b.bytes(i)
			sent[from] += b.bytes(i)
			received[to] += b.bytes(i)
		}
	}
	c.Most = max(slices.Max(sent), slices.Max(received))
	return c
}

// longest returns the time of the slowest node in a frame with the given time of each block.
func (b *Balancer) longest(owner []int32, seconds []float64) float64 {
	load := make([]float64, b.nodes)
	for i, s := range seconds {
		load[owner[i]] += s
	}
	return slices.Max(load)
}

func (b *Balancer) bytes(block int) float64 {
	if b.options.Bytes == nil {
		return 1
	}
	return b.options.Bytes[block]
}

// Balanced tells the balancer that change c was made, and its cost in the unit of the times.
func (b *Balancer) Balanced(c *Change, cost float64) {
	if math.IsNaN(cost) || cost < 0 {
		cost = 0
	}
	b.owner, b.since, b.paid = c.Owner, 0, cost
	b.unpaidCost += cost
	clear(b.tests)
	b.changes++
	if b.newRule != nil {
		b.controller.Balanced(cost)
	}
}
