package simulate

import (
	"container/heap"
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"lockstep/lb/overlay"
	"lockstep/lb/overlay/check"
)

var model = Model{Step: time.Microsecond, Slice: 16, Latency: 10 * time.Microsecond, Overhead: time.Microsecond, Bandwidth: 1e9}

func run(t *testing.T, m Model, o overlay.Options, shape check.Shape) (Result, []overlay.Pool) {
	t.Helper()
	net, err := overlay.New(o)
	if err != nil {
		t.Fatal(err)
	}
	pools := make([]overlay.Pool, o.Peers)
	for i := range pools {
		pools[i] = check.NewTree(shape)
	}
	pools[net.Holder()].(*check.Tree).Plant()
	result, err := Run(context.Background(), m, net, pools)
	if err != nil {
		t.Fatalf("%v: %v", o.Protocol, err)
	}
	return result, pools
}

// TestOnePeer checks that a single peer works without pause.
func TestOnePeer(t *testing.T) {
	shape := check.Shape{Seed: 1, Root: 100, Branches: 2, Chance: 0.49, Depth: 1000}
	for p := overlay.TR; p <= overlay.Keep; p++ {
		result, _ := run(t, model, overlay.Options{Protocol: p, Peers: 1}, shape)
		if want := time.Duration(shape.Nodes()) * model.Step; result.Time != want || result.Efficiency() != 1 {
			t.Errorf("%v: %v, want %v", p, result.Time, want)
		}
	}
}

// Of the two peers the master sends all work to the worker, which does it and asks again. The time of every step is
// known.
func TestKnownTimes(t *testing.T) {
	m := Model{Step: time.Microsecond, Slice: 1000, Latency: 10 * time.Microsecond, Overhead: 2 * time.Microsecond, Bandwidth: 1e6}
	shape := check.Shape{Seed: 1, Root: 7, Depth: 1} // 8 nodes
	result, _ := run(t, m, overlay.Options{Protocol: overlay.MW, Peers: 2}, shape)
	// A message of 33 bytes takes 2 + 33 + 10 + 2 microseconds. The parcel has 12 bytes more.
	message := 47 * time.Microsecond
	want := message + (message + 12*time.Microsecond) + 8*time.Microsecond + message + message
	if result.Time != want {
		t.Errorf("took %v, want %v", result.Time, want)
	}
	if result.Messages != 4 || result.Parcels != 1 || result.Requests != 2 || result.Bytes != 4*33+12 {
		t.Errorf("counted %+v", result.Counters)
	}
}

// The master is looking at its only connection when the first message arrives, so it looks once more. Each receiver
// of the three following messages also looks once.
func TestLinks(t *testing.T) {
	m := Model{Step: time.Microsecond, Slice: 1000, Latency: 10 * time.Microsecond}
	shape := check.Shape{Seed: 1, Root: 7, Depth: 1} // 8 nodes
	free, _ := run(t, m, overlay.Options{Protocol: overlay.MW, Peers: 2}, shape)
	m.Link = 100 * time.Microsecond
	dear, _ := run(t, m, overlay.Options{Protocol: overlay.MW, Peers: 2}, shape)
	if want := free.Time - m.Latency + 5*m.Link; dear.Time != want {
		t.Errorf("took %v, want %v", dear.Time, want)
	}
}

// TestEveryNodeOnce checks that all nodes are visited exactly once with any number of peers, and repeating a run
// gives the same result.
func TestEveryNodeOnce(t *testing.T) {
	shape := check.Shape{Seed: 2, Root: 2000, Branches: 2, Chance: 0.49, Depth: 5000}
	want := shape.Nodes()
	for p := overlay.TR; p <= overlay.Keep; p++ {
		for _, peers := range []int{2, 3, 64, 1000} {
			m := model
			m.Spread = 0.1
			o := overlay.Options{Protocol: p, Peers: peers, Seed: 7}
			result, pools := run(t, m, o, shape)
			visited := int64(0)
			for _, pool := range pools {
				visited += pool.(*check.Tree).Visited
			}
			if visited != want || result.Steps != want {
				t.Errorf("%v, %d peers: visited %d nodes of %d", p, peers, visited, want)
			}
			if again, _ := run(t, m, o, shape); again.Time != result.Time || again.Counters != result.Counters {
				t.Errorf("%v, %d peers: %+v, then %+v", p, peers, result.Counters, again.Counters)
			}
		}
	}
}

func TestFaultyModels(t *testing.T) {
	net, err := overlay.New(overlay.Options{Peers: 1})
	if err != nil {
		t.Fatal(err)
	}
	_, err = Run(context.Background(), Model{Slice: -1, Spread: 2, Bandwidth: -1, Link: -1}, net, nil)
	for _, word := range []string{"step", "slice", "latency", "spread", "bandwidth", "connection"} {
		if err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("%v does not name %s", err, word)
		}
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	why := errors.New("enough")
	cancel(why)
	net, err := overlay.New(overlay.Options{Peers: 2})
	if err != nil {
		t.Fatal(err)
	}
	pools := []overlay.Pool{check.NewTree(check.Shape{Root: 9}), check.NewTree(check.Shape{})}
	pools[0].(*check.Tree).Plant()
	if _, err := Run(ctx, model, net, pools); err != why {
		t.Errorf("got %v", err)
	}
}

type reference []event

func (r reference) Len() int           { return len(r) }
func (r reference) Less(i, j int) bool { return r[i].before(&r[j]) }
func (r reference) Swap(i, j int)      { r[i], r[j] = r[j], r[i] }
func (r *reference) Push(x any)        { *r = append(*r, x.(event)) }
func (r *reference) Pop() any {
	last := (*r)[len(*r)-1]
	*r = (*r)[:len(*r)-1]
	return last
}

// TestQueue checks that the queue returns events in the same order as the heap of the standard library.
func TestQueue(t *testing.T) {
	var q queue
	var ref reference
	r := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		if r.IntN(5) < 3 {
			e := event{at: int64(r.IntN(50)), peer: r.Int32()}
			q.push(e)
			e.order = q.orders
			heap.Push(&ref, e)
		} else if len(ref) > 0 {
			if got, want := q.pop(), heap.Pop(&ref).(event); got != want {
				t.Fatalf("got %+v, want %+v", got, want)
			}
		}
	}
}

// TestWorkSpreads checks that if a tree has plenty of work, no protocol leaves most peers without work. BTD once did,
// when work came to a peer over a bridge while its parent believed that the peer was idle.
func TestWorkSpreads(t *testing.T) {
	shape := check.Shape{Seed: 4, Root: 2000, Branches: 2, Chance: 0.495, Depth: 5000}
	for _, p := range []overlay.Protocol{overlay.TD, overlay.BTD, overlay.RWS, overlay.MW, overlay.Lifeline, overlay.Reach, overlay.Keep} {
		for seed := range uint64(3) {
			m := Model{Step: 10 * time.Microsecond, Slice: 4, Latency: time.Microsecond, Overhead: 100}
			result, _ := run(t, m, overlay.Options{Protocol: p, Peers: 40, Degree: 3, Seed: seed}, shape)
			if e := result.Efficiency(); e < 0.4 {
				t.Errorf("%v, seed %d: efficiency %.2f", p, seed, e)
			}
		}
	}
}

// TestEndsSoon checks that a run of many peers ends soon after all work is done, because reports to the root do not
// pile up. With a report for every parcel these runs took 6 to 19 milliseconds of virtual time.
func TestEndsSoon(t *testing.T) {
	shape := check.Shape{Seed: 3, Root: 2000, Branches: 2, Chance: 0.49, Depth: 5000}
	for _, p := range []overlay.Protocol{overlay.RWS, overlay.Lifeline, overlay.Reach} {
		result, _ := run(t, model, overlay.Options{Protocol: p, Peers: 3000, Seed: 1}, shape)
		if result.Time > 3*time.Millisecond {
			t.Errorf("%v: %v", p, result.Time)
		}
	}
}

// TestBandwidth checks that a message waits until the message before it has left the sender.
func TestBandwidth(t *testing.T) {
	net, err := overlay.New(overlay.Options{Peers: 2})
	if err != nil {
		t.Fatal(err)
	}
	m := Model{Step: 1, Latency: 1000, Overhead: 10, Bandwidth: 1e9}
	s, _ := newSimulation(m, net, []overlay.Pool{check.NewTree(check.Shape{}), check.NewTree(check.Shape{})})
	for range 2 {
		s.Send(overlay.Message{From: 0, To: 1, Parcel: make([]byte, 467)}) // takes 500 nanoseconds with its header
	}
	for _, want := range []int64{10 + 500 + 1000, 10 + 500 + 500 + 1000} {
		if got := s.queue.pop().at; got != want {
			t.Errorf("arrives at %d, want %d", got, want)
		}
	}
}

// TestNilArgumentsAreErrors checks that a nil argument is reported as an error and does not cause a panic later.
func TestNilArgumentsAreErrors(t *testing.T) {
	net, err := overlay.New(overlay.Options{Peers: 2})
	if err != nil {
		t.Fatal(err)
	}
	var none context.Context
	good := []overlay.Pool{check.NewTree(check.Shape{Root: 9}), check.NewTree(check.Shape{})}
	second := func(_ any, err error) error { return err }
	for name, err := range map[string]error{
		"context": second(Run(none, model, net, good)),
		"overlay": second(Run(context.Background(), model, nil, good)),
		"pools":   second(Run(context.Background(), model, net, good[:1])),
		"pool":    second(Run(context.Background(), model, net, []overlay.Pool{good[0], nil})),
	} {
		if err == nil {
			t.Errorf("without a %s: no error", name)
		}
	}
}
