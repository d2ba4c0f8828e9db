package cluster

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/nats-io/nats.go"

	"lockstep/lb/overlay"
)

// A round of a job whose frames nodes hand to each other: what follows from its plan, and how a node
// joins it, hears its messages and leaves it.

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
