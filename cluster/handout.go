package cluster

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
)

// Times of a coordinator.
const (
	handTick  = 20 * time.Millisecond  // between two looks
	handPause = 200 * time.Millisecond // for nodes that come at nearly the same time
	handJoin  = 3 * time.Second        // before a round ends because nodes came
)

// A coordinator says who takes part in drawing a job whose frames nodes hand to each other.
// A node that falls silent ends the round, as do lost messages, by which all come to be idle
// while frames are left: the next round hands out what is not recorded, but for what is in
// the hands of nodes that live.
type coordinator struct {
	*Cluster
	job     Job
	seen    map[string]*nodeSeen
	plan    handPlan
	holder  string    // of the frames, at first
	stock   []byte    // these, as its message
	at      time.Time // the plan is from
	idle    time.Time // since when all are; zero: they are not
	said    time.Time // the plan was repeated
	deaths  map[int]int
	careful bool // a node was lost
}

type nodeSeen struct {
	greeting
	last time.Time
}

// HandOut coordinates the nodes of a job with Via until ctx ends.
func (c *Cluster) HandOut(ctx context.Context, job Job) error {
	if err := job.check(); err != nil {
		return err
	}
	o := &coordinator{Cluster: c, job: job, seen: map[string]*nodeSeen{}, deaths: map[int]int{}}
	greetings := make(chan *nats.Msg, 1<<14)
	sub, err := c.nc.ChanSubscribe(greetSubject(job.ID), greetings)
	if err != nil {
		return err
	}
	defer sub.Unsubscribe()
	t := time.NewTicker(handTick)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case m := <-greetings:
			o.greeted(m.Data, time.Now())
		case <-t.C:
			o.look(ctx, time.Now())
		}
	}
}

func (o *coordinator) greeted(body []byte, now time.Time) {
	var g greeting
	if err := json.Unmarshal(body, &g); err != nil || !validKey(g.Name) || len(o.seen) >= maxPeers && o.seen[g.Name] == nil {
		return
	}
	o.seen[g.Name] = &nodeSeen{g, now}
}

// look begins a round where one is due, and repeats the plan.
func (o *coordinator) look(ctx context.Context, now time.Time) {
	lost := false
	for name, n := range o.seen {
		if now.Sub(n.last) > o.job.Lease {
			delete(o.seen, name)
			if slices.Contains(o.plan.Peers, name) {
				lost = true
				o.careful = true
				o.mourn(ctx, n)
			}
		}
	}
	switch {
	case len(o.seen) == 0:
		o.plan.Peers, o.plan.Go, o.at = nil, false, now
		return
	case lost, len(o.plan.Peers) == 0 && now.Sub(o.at) > handPause, o.came() && now.Sub(o.at) > handJoin, o.stalled(ctx, now):
		o.begin(now)
	case !o.plan.Go && o.all(func(n *nodeSeen) bool { return n.Round == o.plan.Round }):
		o.supply(ctx)
	}
	if len(o.plan.Peers) > 0 && now.Sub(o.said) > o.job.Lease/6 {
		o.said = now
		if b, err := json.Marshal(&o.plan); err == nil {
			_ = o.nc.Publish(planSubject(o.job.ID), b)
		}
		if o.plan.Go && !o.seen[o.holder].Going {
			_ = o.nc.Publish(stockSubject(o.job.ID, o.plan.Round), o.stock)
		}
	}
}

// supply lets a round begin with the frames that are neither recorded nor in anyone's hands.
func (o *coordinator) supply(ctx context.Context) {
	net, err := o.plan.overlay(&o.job)
	if err != nil {
		return // more nodes than an overlay has
	}
	s, err := o.Status(ctx, o.job.ID)
	if err != nil {
		return // the server may come back
	}
	held := map[int]bool{}
	for _, n := range o.seen {
		for _, k := range n.Hands {
			held[k] = true
		}
	}
	left := newStock(o.job.Frames, func(k int) bool { return s.Done[k] == nil && s.Failed[k] == nil && !held[k] })
	if o.stock, err = json.Marshal(left); err == nil {
		o.holder = o.plan.Peers[net.Holder()]
		o.plan.Go, o.said = true, time.Time{}
	}
}

// all reports whether something holds for all nodes of the round.
func (o *coordinator) all(holds func(*nodeSeen) bool) bool {
	for _, name := range o.plan.Peers {
		if n := o.seen[name]; n == nil || !holds(n) {
			return false
		}
	}
	return true
}

// came reports whether there are nodes beyond those of the round.
func (o *coordinator) came() bool { return len(o.seen) > len(o.plan.Peers) }

// begin begins a round. Its number is larger than all before, of earlier coordinators too.
func (o *coordinator) begin(now time.Time) {
	o.plan = handPlan{Careful: o.careful, Round: max(o.plan.Round+1, uint64(now.UnixMilli()))}
	for name := range o.seen {
		o.plan.Peers = append(o.plan.Peers, name)
	}
	slices.Sort(o.plan.Peers)
	o.at, o.idle, o.said = now, time.Time{}, time.Time{}
}

// stalled reports whether all nodes have been idle for a while though frames are left.
func (o *coordinator) stalled(ctx context.Context, now time.Time) bool {
	idle := o.plan.Go && o.all(func(n *nodeSeen) bool { return n.Idle && n.Round == o.plan.Round && n.last.After(o.at) })
	if !idle {
		o.idle = time.Time{}
		return false
	}
	if o.idle.IsZero() {
		o.idle = now
	}
	if now.Sub(o.idle) < o.job.Lease/2 {
		return false
	}
	o.idle = now // if nothing is left it is asked again after a while
	s, err := o.Status(ctx, o.job.ID)
	return err == nil && s.Left() > 0
}

// mourn counts what a node that fell silent had in its hands. A frame that ends every node
// which draws it is given up.
func (o *coordinator) mourn(ctx context.Context, n *nodeSeen) {
	for _, k := range n.Hands {
		if k < 0 || k >= o.job.Frames {
			continue
		}
		if o.deaths[k]++; o.deaths[k] < o.job.Tries {
			continue
		}
		if d, err := o.Recorded(ctx, o.job, k); err == nil && d == nil {
			_ = o.Fail(ctx, o.job, k, &Failure{Node: n.Name, Tries: o.deaths[k], Round: o.job.Round, Error: "every node that drew it ended or hung"})
		}
	}
}
