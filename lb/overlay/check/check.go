// Package check runs the protocols of overlay under difficult orders of events: messages between different pairs of
// peers may overtake each other, peers work and listen in any order, and a peer may crash at any moment. Runs with the
// same seed have the same events.
package check

import (
	"fmt"
	"math/rand/v2"

	"lockstep/lb/overlay"
)

// Options describe a run.
type Options struct {
	Overlay overlay.Options
	// Seed determines the order of events.
	Seed uint64
	// Slice is the largest number of steps of work that a peer does before it listens again. The default is 4.
	Slice int
	// Crash is the number of events after which a random peer crashes. 0 means that none crashes. The peer that held
	// all work at first crashes only if Anyone is set.
	Crash  int
	Anyone bool
	// Most is the number of events after which a run counts as endless. The default is 10 million.
	Most int
}

// Result describes a run.
type Result struct {
	Events  int
	Crashed int // the peer that crashed, or -1
	Failed  bool
	overlay.Counters
}

// Run runs a protocol on pools, one for each peer. It first calls plant, which puts all work into the pool that it
// gets. Run returns an error if
//   - a pool does not fit the protocol,
//   - the run does not end,
//   - it ends while there is work, or
//   - work is sent to a peer that has ended.
func Run(o Options, pools []overlay.Pool, plant func(overlay.Pool)) (Result, error) {
	if o.Slice == 0 {
		o.Slice = 4
	}
	if o.Most == 0 {
		o.Most = 10e6
	}
	net, err := overlay.New(o.Overlay)
	if err != nil {
		return Result{}, err
	}
	r := &run{
		options: o, pools: pools, random: rand.New(rand.NewPCG(o.Seed, 1)),
		index: make(map[pair]int), result: Result{Crashed: -1},
	}
	plant(pools[net.Holder()])
	for i, pool := range pools {
		p, err := net.Peer(i, pool, r)
		if err != nil {
			return Result{}, err
		}
		r.peers = append(r.peers, p)
	}
	for _, i := range r.random.Perm(len(r.peers)) {
		r.peers[i].Start()
	}
	err = r.loop(net.Holder())
	for _, p := range r.peers {
		r.result.Counters.Add(p.Counters())
		r.result.Failed = r.result.Failed || p.Failed()
	}
	return r.result, err
}

type pair struct{ from, to int32 }

// A link holds the messages on their way from one peer to another.
type link struct {
	pair
	queue []overlay.Message
}

type run struct {
	options Options
	peers   []*overlay.Peer
	pools   []overlay.Pool
	random  *rand.Rand
	links   []*link // links that have messages
	index   map[pair]int
	result  Result
}

// Send implements overlay.Transport.
func (r *run) Send(m overlay.Message) {
	if int(m.From) == r.result.Crashed || int(m.To) == r.result.Crashed {
		return
	}
	at := pair{m.From, m.To}
	i, found := r.index[at]
	if !found {
		i = len(r.links)
		r.index[at] = i
		r.links = append(r.links, &link{pair: at})
	}
	r.links[i].queue = append(r.links[i].queue, m)
}

// loop makes events happen, one after the other, until all peers are done.
func (r *run) loop(holder int) error {
	for ; ; r.result.Events++ {
		if r.result.Events > r.options.Most {
			return fmt.Errorf("no end after %d events", r.result.Events)
		}
		if r.options.Crash > 0 && r.result.Events == r.options.Crash && len(r.peers) > 1 {
			r.crash(holder)
		}
		busy := r.busy()
		choices := len(busy) + len(r.links)
		if choices == 0 {
			return r.verdict()
		}
		if c := r.random.IntN(choices); c < len(busy) {
			r.work(busy[c])
		} else if err := r.deliver(c - len(busy)); err != nil {
			return err
		}
	}
}

// busy returns the peers that have work and have not crashed.
func (r *run) busy() []int {
	var busy []int
	for i, p := range r.peers {
		if i != r.result.Crashed && !p.Done() && p.Busy() {
			busy = append(busy, i)
		}
	}
	return busy
}

func (r *run) work(i int) {
	r.pools[i].Work(1 + r.random.IntN(r.options.Slice))
	r.peers[i].Worked()
}

// deliver delivers the first message of link i.
func (r *run) deliver(i int) error {
	l := r.links[i]
	m := l.queue[0]
	l.queue = l.queue[1:]
	if len(l.queue) == 0 {
		delete(r.index, l.pair)
		last := len(r.links) - 1
		r.links[i] = r.links[last]
		if i != last {
			r.index[r.links[i].pair] = i
		}
		r.links = r.links[:last]
	}
	p := r.peers[m.To]
	if p.Done() && m.Kind == overlay.Work && r.result.Crashed < 0 {
		return fmt.Errorf("event %d: peer %d has stopped and is sent work by %d", r.result.Events, m.To, m.From)
	}
	p.Receive(m)
	return nil
}

// crash makes a peer crash, drops some of the latest messages on each of its links, and announces the crash.
func (r *run) crash(holder int) {
	dead := r.random.IntN(len(r.peers))
	for dead == holder && !r.options.Anyone {
		dead = r.random.IntN(len(r.peers))
	}
	kept := r.links
	r.links, r.index = nil, make(map[pair]int)
	for _, l := range kept {
		if int(l.to) == dead {
			continue
		}
		if int(l.from) == dead {
			l.queue = l.queue[:r.random.IntN(len(l.queue)+1)]
		}
		for _, m := range l.queue {
			r.Send(m)
		}
	}
	r.result.Crashed = dead
	for i := range r.peers {
		if i != dead {
			// The news goes over a link of its own. It may arrive before or after other messages on their way.
			r.announce(overlay.Message{From: int32(len(r.peers)), To: int32(i), Kind: overlay.Down, A: int64(dead)})
		}
	}
}

func (r *run) announce(m overlay.Message) {
	at := pair{m.From, m.To}
	r.index[at] = len(r.links)
	r.links = append(r.links, &link{pair: at, queue: []overlay.Message{m}})
}

// verdict is called when no further event can happen. It returns an error if the run ended wrongly.
func (r *run) verdict() error {
	for i, p := range r.peers {
		switch {
		case i == r.result.Crashed:
		case !p.Done():
			return fmt.Errorf("after %d events all wait and peer %d has not stopped", r.result.Events, i)
		case r.result.Crashed < 0 && !r.pools[i].Empty():
			return fmt.Errorf("peer %d has stopped with work left", i)
		}
	}
	return nil
}
