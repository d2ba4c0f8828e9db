package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

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

// handed is the receipt of a frame that came from another node: there is no queue to tell.
type handed struct {
	hand *hand
	task *task
}

// InProgress implements receipt: there is no lease.
func (m *handed) InProgress() error { return nil }

// DoubleAck implements receipt.
func (m *handed) DoubleAck(context.Context) error { m.hand.hold(m.task.frame, false); return nil }

// Nak implements receipt: the node is leaving.
func (m *handed) Nak() error { m.hand.hold(m.task.frame, false); return nil }

// NakWithDelay implements receipt: the frame is drawn again by this node, which counts
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

// TermWithReason implements receipt: the frame was given up.
func (m *handed) TermWithReason(string) error { m.hand.hold(m.task.frame, false); return nil }
