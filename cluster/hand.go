package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"lockstep/lb/overlay"
)

// A Via says that nodes hand the frames of a job to each other along a tree with bridges, see
// package overlay, instead of taking them from the queue one by one. Frames are kept and
// recorded as ever, so that a frame which two nodes draw counts once.
type Via struct {
	Degree int `json:"degree"` // children of a node in the tree; 0: overlay's default
}

// Subjects of a job's nodes. Nodes greet the coordinator, which answers with plans.
func greetSubject(job string) string { return "overlay." + job + ".greet" }
func planSubject(job string) string  { return "overlay." + job + ".plan" }
func peerSubject(job string, round uint64, peer int32) string {
	return fmt.Sprintf("overlay.%s.%d.%d", job, round, peer)
}

// A greeting is a node's sign of life.
type greeting struct {
	Name  string `json:"name"`
	Round uint64 `json:"round"` // whose messages it hears
	Going bool   `json:"going"` // it takes part
	Idle  bool   `json:"idle"`  // it has no frame, and knows of none
	Hands []int  `json:"hands"` // frames that it draws or records
}

// A handPlan says who takes part in a round. It is repeated: core messages may be lost.
type handPlan struct {
	Round uint64   `json:"round"`
	Peers []string `json:"peers"`
	Go    bool     `json:"go"` // all of them hear: the holder may begin
	// Careful is set after a node was lost, perhaps because of the frame that it drew. Each
	// node then holds one frame at a time, and names it before it begins.
	Careful bool `json:"careful"`
}

// overlay returns the network of a plan's peers, which follows from the plan alone.
func (p *handPlan) overlay(job *Job) (*overlay.Overlay, error) {
	return overlay.New(overlay.Options{Protocol: overlay.BTD, Peers: len(p.Peers), Degree: job.Via.Degree, Seed: p.Round})
}

// A stock is what the holder of a round hands out: runs of frames, from each even element up to
// the next one.
type stock []int32

// stockSubject is where the holder of a round gets it.
func stockSubject(job string, round uint64) string {
	return fmt.Sprintf("overlay.%s.%d.stock", job, round)
}

func newStock(frames int, left func(k int) bool) (s stock) {
	for k := 0; k < frames; k++ {
		if !left(k) {
			continue
		}
		if n := len(s); n > 0 && s[n-1] == int32(k) {
			s[n-1]++
		} else {
			s = append(s, int32(k), int32(k+1))
		}
	}
	return s
}

// in returns the frames of a stock, of so many that there are, in the order of films.
func (s stock) in(frames int) (list []int32) {
	have := make([]bool, frames)
	for i := 0; i+1 < len(s); i += 2 {
		for k := max(0, s[i]); k < min(s[i+1], int32(frames)); k++ {
			have[k] = true
		}
	}
	for _, k := range Order(frames) {
		if have[k] {
			list = append(list, int32(k))
		}
	}
	return list
}

// maxPeers bounds the nodes of a round.
const maxPeers = 1 << 16

// hand is a node's part in a job whose frames nodes hand to each other.
type hand struct {
	*node
	job     Job
	ctx     context.Context // of frames
	pool    framePool
	plan    handPlan
	id      int32 // in the plan; -1: it takes no part
	net     *overlay.Overlay
	peer    *overlay.Peer // nil until the plan says go
	early   []overlay.Message
	mail    *nats.Subscription // messages of the round
	letters chan *nats.Msg
	stock   *nats.Subscription // of the holder; nil: it has it, or is none
	stocks  chan *nats.Msg
	drawing bool
	drawn   chan error
	again   chan int // frames that failed
	wake    chan struct{}
	tries   map[int]int

	mu    sync.Mutex
	say   greeting
	hands map[int]bool
}

// partake draws frames of a job until it has ended.
func (n *node) partake(ctx, hard context.Context, job Job) (bool, error) {
	if err := n.open(ctx, job); err != nil {
		return false, err
	}
	h := &hand{node: n, job: job, ctx: hard, id: -1, letters: make(chan *nats.Msg, 1<<16), drawn: make(chan error, 1), tries: map[int]int{}, hands: map[int]bool{},
		again: make(chan int, 4), wake: make(chan struct{}, 1)}
	plans := make(chan *nats.Msg, 64)
	sub, err := n.nc.ChanSubscribe(planSubject(job.ID), plans)
	if err != nil {
		return false, err
	}
	defer sub.Unsubscribe()
	defer h.leaveRound()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var greeting sync.WaitGroup
	defer greeting.Wait()
	defer cancel()
	greeting.Go(func() { h.greet(ctx) })
	err = h.run(ctx, plans)
	if h.drawing {
		err = errors.Join(err, <-h.drawn)
	}
	return true, errors.Join(err, n.commits.wait())
}

// greet says that the node is there.
func (h *hand) greet(ctx context.Context) {
	for {
		h.greetOnce()
		select {
		case <-ctx.Done():
			return
		case <-h.wake:
		case <-time.After(h.job.Lease / 6):
		}
	}
}

func (h *hand) greetOnce() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.say.Name, h.say.Hands = h.Name, nil
	for k := range h.hands {
		h.say.Hands = append(h.say.Hands, k)
	}
	if b, err := json.Marshal(&h.say); err == nil {
		_ = h.nc.Publish(greetSubject(h.job.ID), b) // the next one follows
	}
}

// greetNow has the next greeting sent at once.
func (h *hand) greetNow() {
	select {
	case h.wake <- struct{}{}:
	default:
	}
}

// run follows plans until the job has ended. It returns now and then, for the node to look
// at the list of jobs.
func (h *hand) run(ctx context.Context, plans <-chan *nats.Msg) error {
	look := time.NewTicker(Turn)
	defer look.Stop()
	for {
		var err error
		select {
		case <-ctx.Done():
			return nil
		case m := <-plans:
			err = h.planned(m.Data)
		case m := <-h.letters:
			h.letter(m)
		case m := <-h.stocks:
			h.plant(m.Data)
		case err = <-h.drawn:
			h.drawing = false
			if h.peer != nil {
				h.peer.Worked()
			}
		case k := <-h.again:
			h.hold(k, false)
			h.pool.frames = append(h.pool.frames, int32(k))
		case <-look.C:
			job, e := h.Job(ctx, h.job.ID)
			switch {
			case e != nil: // the server may come back
			case job.Cancelled || job.Finished != nil || job.Via == nil:
				return nil
			case h.checkBlocked(ctx) != nil:
				return nil
			}
		}
		if err != nil {
			return err
		}
		h.next()
	}
}

// planned takes a plan.
func (h *hand) planned(body []byte) error {
	var p handPlan
	if err := json.Unmarshal(body, &p); err != nil || len(p.Peers) > maxPeers || p.Round < h.plan.Round {
		return nil // of another version, or late
	}
	if p.Round > h.plan.Round {
		if err := h.join(p); err != nil {
			return err
		}
	}
	if p.Go && h.peer == nil && h.id >= 0 && h.stock == nil {
		h.take()
	}
	return nil
}

// plant takes what there is to draw in a round, as its holder, and begins.
func (h *hand) plant(body []byte) {
	var s stock
	if err := json.Unmarshal(body, &s); err != nil || h.stock == nil {
		return
	}
	_ = h.stock.Unsubscribe()
	h.stock = nil
	h.pool.frames = append(h.pool.frames, s.in(h.job.Frames)...)
	h.take()
}

// take begins to take part.
func (h *hand) take() {
	h.peer = h.net.Peer(int(h.id), &h.pool, h)
	h.peer.Start()
	early := h.early
	h.early = nil
	for _, m := range early {
		if h.peer != nil {
			h.receive(m)
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.say.Going = true
	h.greetNow()
}

// join begins to hear the messages of a round. Frames of the one before are forgotten: its
// successor hands out all that are not recorded.
func (h *hand) join(p handPlan) (err error) {
	h.leaveRound()
	h.plan, h.id = p, int32(slices.Index(p.Peers, h.Name))
	if h.id >= 0 {
		if h.net, err = p.overlay(&h.job); err != nil {
			return err
		}
		h.letters = make(chan *nats.Msg, 1<<16)
		if h.mail, err = h.nc.ChanSubscribe(peerSubject(h.job.ID, p.Round, h.id), h.letters); err != nil {
			return err
		}
		if int(h.id) == h.net.Holder() {
			h.stocks = make(chan *nats.Msg, 16)
			if h.stock, err = h.nc.ChanSubscribe(stockSubject(h.job.ID, p.Round), h.stocks); err != nil {
				return err
			}
		}
		if err := h.nc.Flush(); err != nil { // the server knows before the coordinator does
			return err
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.say.Round, h.say.Idle, h.say.Going = p.Round, false, false
	h.greetNow()
	return nil
}

func (h *hand) leaveRound() {
	if h.mail != nil {
		_ = h.mail.Unsubscribe() // the connection may be gone, and the subscription with it
	}
	if h.stock != nil {
		_ = h.stock.Unsubscribe()
	}
	h.stock, h.stocks = nil, nil
	h.mail, h.peer, h.early, h.id, h.pool = nil, nil, nil, -1, framePool{}
}

// letter takes a message of another peer.
func (h *hand) letter(m *nats.Msg) {
	x, err := overlay.Decode(m.Data)
	if err != nil || m.Subject != peerSubject(h.job.ID, h.plan.Round, x.To) || x.To != h.id || x.From < 0 || int(x.From) >= len(h.plan.Peers) ||
		!validParcel(x.Parcel, h.job.Frames) {
		return // of an earlier round, or no message of ours
	}
	if h.peer == nil {
		h.early = append(h.early, x)
		return
	}
	h.receive(x)
}

// receive lets the protocol take a message. Its checks panic, for among peers of one mind a message
// that cannot be is a mistake of ours; here its sender is at fault, and this node leaves the round.
func (h *hand) receive(x overlay.Message) {
	defer func() {
		if why := recover(); why != nil {
			h.leaveRound()
			if h.Report != nil {
				h.Report(h.job, -1, fmt.Errorf("node %s sent a message that cannot be: %v: %w", h.plan.Peers[x.From], why, errMalformed))
			}
		}
	}()
	h.peer.Receive(x)
}

// Send implements overlay.Transport.
func (h *hand) Send(m overlay.Message) {
	_ = h.nc.Publish(peerSubject(h.job.ID, h.plan.Round, m.To), m.Append(nil)) // what is lost is met by a new round
}

// next begins to draw a frame if there is one.
func (h *hand) next() {
	if !h.drawing && !h.pool.Empty() {
		h.begin(h.pool.pop())
		if h.peer != nil {
			h.peer.Worked() // the pool may be empty now: another node is asked early
		}
	}
	h.mu.Lock()
	h.say.Idle = !h.drawing && h.pool.Empty() && len(h.hands) == 0
	h.mu.Unlock()
}

func (h *hand) begin(k int) {
	h.drawing = true
	h.tries[k]++
	h.hold(k, true)
	t := &task{job: h.job, frame: k, since: time.Now(), again: h.tries[k] > 1, tries: h.tries[k], release: func() {}}
	t.message = &handed{hand: h, task: t}
	careful := h.plan.Careful
	go func() {
		if careful {
			h.commits.under.Wait()
			h.greetOnce()
			_ = h.nc.FlushTimeout(h.job.Lease) // a server that is away will not hear of the frame either
		}
		h.drawn <- h.drawTask(h.ctx, t)
	}()
}

// hold notes that a frame is in this node's hands, or no longer.
func (h *hand) hold(k int, held bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if held {
		h.hands[k] = true
	} else {
		delete(h.hands, k)
	}
}

// handed is the message of a frame that came from another node: there is no queue to tell.
type handed struct {
	jetstream.Msg
	hand *hand
	task *task
}

// DoubleAck implements jetstream.Msg.
func (m *handed) DoubleAck(context.Context) error { m.hand.hold(m.task.frame, false); return nil }

// Nak implements jetstream.Msg: the node is leaving.
func (m *handed) Nak() error { m.hand.hold(m.task.frame, false); return nil }

// NakWithDelay implements jetstream.Msg: the frame is drawn again by this node, which counts
// its tries. One that could not be recorded is left to the next round, and to another node if
// this one has lost its connection.
func (m *handed) NakWithDelay(time.Duration) error {
	if m.task.drawn {
		m.hand.hold(m.task.frame, false)
		return fmt.Errorf("frame %d: %w", m.task.frame, errNotRecorded)
	}
	m.hand.again <- m.task.frame
	return nil
}

var errNotRecorded = errors.New("it was drawn and cannot be recorded")

// TermWithReason implements jetstream.Msg: the frame was given up.
func (m *handed) TermWithReason(string) error { m.hand.hold(m.task.frame, false); return nil }
