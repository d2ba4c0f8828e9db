// Package simulate runs the protocols of overlay in virtual time. It simulates discrete events of up to hundreds of
// thousands of peers. Each peer is a processor that works, listens and sends, one thing at a time, on a network with
// latency and bandwidth. Runs with the same options have the same result.
//
// The work is real: pools do all their steps, so counts are exact. Only the time is simulated.
package simulate

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"lockstep/lb/overlay"
)

// A Model describes the machine, as in LogGP (Alexandrov and others, SPAA 1995). A message keeps its sender busy for
// the time Overhead, and its receiver for the same time. It leaves the sender after all earlier messages of this
// sender. It then travels for the time Latency.
type Model struct {
	// Step is the time that a step of work takes.
	Step time.Duration
	// Slice is the number of steps of work that a peer does before it listens. The default is 1.
	Slice int
	// Latency is the time that a message travels after it has left its sender.
	Latency time.Duration
	// Overhead is the time that a message costs its sender, and once more its receiver.
	Overhead time.Duration
	// Bandwidth is the number of bytes that a peer can send per second. 0 means no limit.
	Bandwidth float64
	// Link is the time that a peer needs for each of its connections whenever it listens, as with select(2) and
	// poll(2). From the start it has a connection to each of its [overlay.Overlay.Links].
	Link time.Duration
	// Spread makes peers differ in speed: a step takes between 1-Spread and 1+Spread times Step. Each peer has its own
	// factor, drawn from Seed.
	Spread float64
	Seed   uint64
}

// Validate returns an error that lists all faults of the model.
func (m Model) Validate() error {
	var faults []error
	if m.Step <= 0 {
		faults = append(faults, fmt.Errorf("step of %v: expected more than 0", m.Step))
	}
	if m.Slice < 0 {
		faults = append(faults, fmt.Errorf("slice of %d steps: expected at least 1", m.Slice))
	}
	if m.Latency < 0 || m.Overhead < 0 || m.Latency+m.Overhead == 0 {
		faults = append(faults, fmt.Errorf("latency %v, overhead %v: expected at least 0, and one above", m.Latency, m.Overhead))
	}
	if m.Link < 0 {
		faults = append(faults, fmt.Errorf("%v a connection: expected at least 0", m.Link))
	}
	if !(m.Bandwidth >= 0) {
		faults = append(faults, fmt.Errorf("bandwidth of %v bytes a second: expected at least 0", m.Bandwidth))
	}
	if !(m.Spread >= 0 && m.Spread < 1) {
		faults = append(faults, fmt.Errorf("spread %v: expected 0 to 1", m.Spread))
	}
	return errors.Join(faults...)
}

// Result holds the measurements of a run.
type Result struct {
	// Time is the virtual time at which the last peer stopped.
	Time time.Duration
	// Busy is the sum of the times that peers worked.
	Busy time.Duration
	// Steps is the number of steps that all peers did.
	Steps int64
	// Each holds, for every peer, the counters of the messages that it has sent. The embedded Counters are their sum.
	Each []overlay.Counters
	overlay.Counters
	// Events is the number of events that the simulator handled.
	Events int64
}

// Efficiency returns the fraction of the run's time that peers spent working, averaged over the peers.
func (r *Result) Efficiency() float64 {
	if r.Time == 0 {
		return 1
	}
	return float64(r.Busy) / (float64(r.Time) * float64(len(r.Each)))
}

// Run runs the peers of an overlay, each on its own pool. At the start the pool of the peer net.Holder() has all work.
// It returns an error if the model is faulty, a pool does not fit the protocol, or the run cannot end.
func Run(ctx context.Context, m Model, net *overlay.Overlay, pools []overlay.Pool) (Result, error) {
	if err := m.Validate(); err != nil {
		return Result{}, err
	}
	if ctx == nil || net == nil || len(pools) != net.Peers() || slices.Contains(pools, nil) {
		return Result{}, errors.New("expected a context, an overlay, and a pool for each of its peers")
	}
	if m.Slice == 0 {
		m.Slice = 1
	}
	s, err := newSimulation(m, net, pools)
	if err != nil {
		return Result{}, err
	}
	for i := range s.machines {
		s.wake(int32(i))
	}
	for len(s.queue.events) > 0 && s.running > 0 {
		if s.result.Events%(1<<16) == 0 && ctx.Err() != nil {
			return Result{}, context.Cause(ctx)
		}
		s.result.Events++
		s.handle(s.queue.pop())
	}
	if s.running > 0 {
		return Result{}, fmt.Errorf("%d of %d peers wait for ever", s.running, len(s.machines))
	}
	for i := range s.machines {
		c := s.machines[i].peer.Counters()
		s.result.Each = append(s.result.Each, c)
		s.result.Counters.Add(c)
	}
	return s.result, nil
}

// A machine is the processor of one peer.
type machine struct {
	peer       *overlay.Peer
	pool       overlay.Pool
	step       int64 // time of a step, in nanoseconds
	clock      int64 // time at which the peer finishes what it is doing, in nanoseconds
	sent       int64 // time at which the peer's last message has left, in nanoseconds
	inbox      []int32
	working    bool // the peer works on a slice that ends at clock
	woken      bool // an event without a message is scheduled for the peer
	started    bool
	done       bool
	listenTime int64 // nanoseconds for looking at all connections
}

type simulation struct {
	model    Model
	machines []machine
	queue    queue
	messages []overlay.Message
	free     []int32 // indices of unused messages
	running  int
	result   Result
}

func newSimulation(m Model, net *overlay.Overlay, pools []overlay.Pool) (*simulation, error) {
	s := &simulation{model: m, machines: make([]machine, net.Peers()), running: net.Peers()}
	r, links := rand.New(rand.NewPCG(m.Seed, 2)), net.Links()
	for i := range s.machines {
		factor := 1 + m.Spread*(2*r.Float64()-1)
		peer, err := net.Peer(i, pools[i], s)
		if err != nil {
			return nil, err
		}
		s.machines[i] = machine{
			peer: peer, pool: pools[i], step: max(1, int64(factor*float64(m.Step))),
			listenTime: int64(m.Link) * int64(links[i]),
		}
	}
	return s, nil
}

// Send implements overlay.Transport.
func (s *simulation) Send(m overlay.Message) {
	from := &s.machines[m.From]
	from.clock += int64(s.model.Overhead)
	leaves := max(from.clock, from.sent)
	if s.model.Bandwidth > 0 {
		leaves += int64(float64(m.Size()) / s.model.Bandwidth * 1e9)
	}
	from.sent = leaves
	var slot int32
	if last := len(s.free) - 1; last >= 0 {
		slot, s.free = s.free[last], s.free[:last]
		s.messages[slot] = m
	} else {
		slot = int32(len(s.messages))
		s.messages = append(s.messages, m)
	}
	s.queue.push(event{at: leaves + int64(s.model.Latency), peer: m.To, message: slot})
}

func (s *simulation) handle(e event) {
	m := &s.machines[e.peer]
	if e.message < 0 {
		m.woken = false
		s.wake(e.peer)
		return
	}
	m.inbox = append(m.inbox, e.message)
	switch {
	case m.woken:
	case m.clock > e.at:
		m.woken = true
		s.queue.push(event{at: m.clock, peer: e.peer, message: -1})
	default:
		m.clock = e.at
		s.wake(e.peer)
	}
}

// wake ends the peer's slice of work if it has one. It then lets the peer receive its messages, and starts the next
// slice.
func (s *simulation) wake(id int32) {
	m := &s.machines[id]
	if !m.started {
		m.started = true
		m.peer.Start()
	}
	if m.working {
		m.working = false
		m.peer.Worked()
	}
	m.clock += m.listenTime
	for i := 0; i < len(m.inbox); i++ {
		slot := m.inbox[i]
		message := s.messages[slot]
		s.messages[slot] = overlay.Message{}
		s.free = append(s.free, slot)
		m.clock += int64(s.model.Overhead)
		m.peer.Receive(message)
	}
	m.inbox = m.inbox[:0]
	if m.done {
		return
	}
	if m.peer.Done() {
		m.done = true
		s.running--
		s.result.Time = max(s.result.Time, time.Duration(m.clock))
		return
	}
	if m.peer.Busy() {
		steps := m.pool.Work(s.model.Slice)
		s.result.Steps += int64(steps)
		s.result.Busy += time.Duration(int64(steps) * m.step)
		m.clock += int64(steps) * m.step
		m.working, m.woken = true, true
		s.queue.push(event{at: m.clock, peer: id, message: -1})
	}
}
