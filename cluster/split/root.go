package split

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"lockstep/cluster/link"
)

// A Root coordinates the nodes of a film. Listen creates one, and Run draws the film.
type Root struct {
	o       RootOptions
	links   *link.Links
	members []*nodeState // in the order in which they joined
	shutOut map[string]bool
	epoch   uint32
	// current is the epoch in which new frames are started, or nil if no plan is ready.
	current    *epochState
	proposed   *epochState
	pending    []int
	inProgress []*rootFrame
	// latestCosts are the costs of lighting each tile row in the latest frame, in seconds.
	latestCosts []float64
	planAt      time.Time // when to propose a new plan; zero means never
	free        [][]byte  // memory for pictures
	// failure is the error of the latest node that failed.
	failure  error
	failedAt time.Time
}

// A nodeState is a node as the root knows it.
type nodeState struct {
	memberInfo
	seen time.Time
	// unreachable counts how many times other nodes could not reach this node.
	unreachable int
	parts       int // number of parts with slabs that this node has sent
}

// An epochState is an epoch and its plan, as the root knows them.
type epochState struct {
	epoch      uint32
	members    []*nodeState
	names      []string // names of the members
	owner      []int
	blocks     [][]int // the blocks that each member owns
	ready      map[string]bool
	proposedAt time.Time
}

// A rootFrame is a frame that is being drawn.
type rootFrame struct {
	frame int
	*epochState
	cuts     []int // first tile row of each member, see drawMessage
	received map[string]bool
	samples  []float64 // by tile row: the number of samples in which blocks of any node show something
	started  time.Time
	// bodies are the bodies of the messages that hold Picture.Parts.
	bodies [][]byte
	Picture
}

// Defaults and limits of a root.
const (
	defaultWindow = 2
	defaultLease  = 5 * time.Second
	// joinPause delays a new plan, so that nodes that join at nearly the same time get into the same plan.
	joinPause = 100 * time.Millisecond
	// readyTime limits how long the members of a plan may take to get ready.
	readyTime = 15 * time.Second
	// maxUnreachable is how many times other nodes may fail to reach a node before the root expels it.
	maxUnreachable = 3
)

// Listen starts to accept nodes.
func Listen(o RootOptions) (*Root, error) {
	if o.Window == 0 {
		o.Window = defaultWindow
	}
	if o.Lease == 0 {
		o.Lease = defaultLease
	}
	if o.Address == "" {
		o.Address = "127.0.0.1:0"
	}
	for _, f := range o.Frames {
		if f < 0 || f >= o.Shape.Frames {
			return nil, fmt.Errorf("frame %d: expected 0 to %d", f, o.Shape.Frames-1)
		}
	}
	if o.Shape.Slab > 0 && o.Check == nil {
		return nil, errors.New("slabs need a check of what nodes send")
	}
	o.Links.Name = RootName
	links, err := link.Listen(o.Address, o.Links)
	if err != nil {
		return nil, err
	}
	return &Root{o: o, links: links, shutOut: map[string]bool{}, pending: slices.Clone(o.Frames)}, nil
}

// Addr returns the address of the root, host:port.
func (r *Root) Addr() string { return r.links.Addr().String() }

// Close ends all connections.
func (r *Root) Close() { r.links.Close() }

// Run draws all frames. It passes each complete frame to the function `done`, in any order. That function must not keep
// the picture. While there are no nodes, Run waits. After the last frame it tells the nodes that the film has ended.
func (r *Root) Run(ctx context.Context, done func(*Picture) error) error {
	tick := time.NewTicker(HeartbeatInterval / 5)
	defer tick.Stop()
	for len(r.pending)+len(r.inProgress) > 0 {
		if err := r.startFrames(); err != nil {
			return err
		}
		select {
		case e := <-r.links.Events():
			if err := r.handleEvent(e, done); err != nil {
				return err
			}
		case <-tick.C:
			if err := r.checkTimes(); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	for _, m := range r.members {
		_ = r.links.Send(m.Name, link.Message{Kind: kindEnd}, nil)
	}
	r.awaitEnd(ctx)
	return nil
}

// endTime limits how long the root waits for nodes to leave.
const endTime = 2 * time.Second

// awaitEnd waits until all nodes have left. They must receive the message that the film has ended.
func (r *Root) awaitEnd(ctx context.Context) {
	end := time.After(endTime)
	for len(r.members) > 0 {
		select {
		case e := <-r.links.Events():
			if e.Change == link.PeerDisconnected {
				r.members = slices.DeleteFunc(r.members, func(m *nodeState) bool { return m.Name == e.From })
			}
		case <-end:
			return
		case <-ctx.Done():
			return
		}
	}
}

func (r *Root) report(format string, args ...any) {
	if r.o.Links.Report != nil {
		r.o.Links.Report(fmt.Errorf(format, args...))
	}
}

// member returns the member with this name, or nil.
func (r *Root) member(name string) *nodeState {
	for _, m := range r.members {
		if m.Name == name {
			return m
		}
	}
	return nil
}

// handleEvent handles one event.
func (r *Root) handleEvent(e link.Event, done func(*Picture) error) error {
	m := r.member(e.From)
	switch {
	case e.Change == link.PeerConnected:
		return nil // the node becomes a member when it sends kindJoin
	case e.Change == link.PeerDisconnected:
		if m != nil {
			r.forget(m, e.Err)
		} else if errors.Is(e.Err, link.ErrMalformed) {
			r.report("connection of %s refused: %w", e.From, e.Err)
		}
		return nil
	case e.Kind == kindJoin:
		if err := r.join(&e.Message); err != nil {
			r.report("node %s is refused: %w", e.From, err)
			r.links.Drop(e.From, err)
		}
		return nil
	case m == nil:
		return nil // the node is not a member any more
	}
	m.seen = time.Now()
	if err := r.handleMessage(m, &e.Message, done); err != nil {
		var failed *callbackError
		if errors.As(err, &failed) {
			return failed.err
		}
		r.expel(m, err)
	}
	return nil
}

// A callbackError is an error of the caller's function `done`. Other errors are errors of a node.
type callbackError struct{ err error }

func (e *callbackError) Error() string { return e.err.Error() }

// handleMessage handles a message of a member. An error means that the member is faulty.
func (r *Root) handleMessage(m *nodeState, msg *link.Message, done func(*Picture) error) error {
	switch msg.Kind {
	case kindHeartbeat:
		return nil
	case kindReady:
		r.markReady(m, msg.Epoch)
		return nil
	case kindPart:
		if r.o.Shape.Slab == 0 {
			defer r.links.Recycle(msg.Body) // the pixels have been copied
		}
		return r.receivePart(m, msg, done)
	case kindLost:
		r.handleUnreachable(m, string(msg.Body))
		return nil
	case kindFailed:
		r.failure = errors.New(strings.ToValidUTF8(string(msg.Body[:min(len(msg.Body), maxFailureText)]), "?"))
		r.failedAt = time.Now()
		return r.failure
	}
	return fmt.Errorf("%w: kind %d", errWire, msg.Kind)
}

// maxFailureText limits the text of a node's failure, in bytes.
const maxFailureText = 1000

// join makes a node a member.
func (r *Root) join(msg *link.Message) error {
	var j joinMessage
	if err := json.Unmarshal(msg.Body, &j); err != nil {
		return fmt.Errorf("%w: join: %w", errWire, err)
	}
	switch {
	case j.Shape != r.o.Shape:
		return fmt.Errorf("it would draw something else: %+v, not %+v", j.Shape, r.o.Shape)
	case r.shutOut[msg.From]:
		return errors.New("it was shut out")
	case len(r.members) >= maxMembers:
		return fmt.Errorf("there are %d nodes", maxMembers)
	}
	if old := r.member(msg.From); old != nil { // the node connects again
		r.remove(old)
	}
	r.members = append(r.members, &nodeState{memberInfo: memberInfo{Name: msg.From, Address: j.Address}, seen: time.Now()})
	r.schedulePlan(joinPause)
	return nil
}

// maxMembers limits the nodes of a film. Plans could hold 1<<16, because owners are 16-bit numbers.
const maxMembers = 1 << 12

// schedulePlan schedules a new plan after a pause, unless a plan is due earlier.
func (r *Root) schedulePlan(pause time.Duration) {
	if at := time.Now().Add(pause); r.planAt.IsZero() || at.Before(r.planAt) {
		r.planAt = at
	}
}

// forget removes a member whose connection has ended. It closes no connection, because a new process of the same name
// may be connected by now.
func (r *Root) forget(m *nodeState, why error) {
	r.report("node %s is lost: %w", m.Name, why)
	r.remove(m)
	r.schedulePlan(0)
}

// dropMember removes a member and ends its connection. The node may join again.
func (r *Root) dropMember(m *nodeState, why error) {
	r.forget(m, why)
	r.links.Drop(m.Name, why)
}

// expel removes a member and never lets it join again.
func (r *Root) expel(m *nodeState, why error) {
	r.shutOut[m.Name] = true
	r.dropMember(m, why)
}

// handleUnreachable handles a node's message that it cannot reach another node. The next plan makes the two try again.
// A node that others fail to reach repeatedly is expelled.
func (r *Root) handleUnreachable(by *nodeState, name string) {
	m := r.member(name)
	if m == nil {
		return
	}
	if m.unreachable++; m.unreachable >= maxUnreachable {
		r.expel(m, fmt.Errorf("node %s cannot reach it", by.Name))
		return
	}
	r.endEpochs(m)
	r.schedulePlan(joinPause)
}

// remove removes a member and ends the epochs that it belongs to.
func (r *Root) remove(m *nodeState) {
	r.members = slices.DeleteFunc(r.members, func(x *nodeState) bool { return x == m })
	r.endEpochs(m)
}

// endEpochs ends the epochs that m is a member of. Their unfinished frames are drawn again.
func (r *Root) endEpochs(m *nodeState) {
	if r.proposed.hasMember(m) {
		r.proposed = nil
	}
	if r.current.hasMember(m) {
		r.current = nil
	}
	var again []int
	r.inProgress = slices.DeleteFunc(r.inProgress, func(f *rootFrame) bool {
		if f.hasMember(m) {
			again = append(again, f.frame)
			r.release(f)
			return true
		}
		return false
	})
	r.pending = append(again, r.pending...)
}

// hasMember reports whether a node is a member of the epoch. A nil epoch has no members.
func (e *epochState) hasMember(m *nodeState) bool { return e != nil && slices.Contains(e.members, m) }

// checkTimes removes members that are silent or not ready in time, and proposes the next plan when it is due. If no
// node is left and the last one failed, it returns the error of that node.
func (r *Root) checkTimes() error {
	now := time.Now()
	if len(r.members) == 0 && r.failure != nil && now.Sub(r.failedAt) > r.o.Lease {
		return fmt.Errorf("no node is left: the last one failed: %w", r.failure)
	}
	for _, m := range slices.Clone(r.members) {
		if now.Sub(m.seen) > r.o.Lease {
			r.dropMember(m, fmt.Errorf("no heartbeat for %v", r.o.Lease))
		}
	}
	if p := r.proposed; p != nil && now.Sub(p.proposedAt) > readyTime {
		for _, m := range p.members {
			if !p.ready[m.Name] {
				r.dropMember(m, fmt.Errorf("not ready after %v", readyTime))
			}
		}
	}
	if !r.planAt.IsZero() && now.After(r.planAt) {
		r.planAt = time.Time{}
		r.proposePlan(nil)
	}
	return nil
}
