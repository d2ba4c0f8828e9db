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

// Owners decides which node owns which block. Its methods are called by one goroutine.
type Owners interface {
	// Assign returns the owner of every block when the nodes are new: a number below nodes.
	Assign(blocks, nodes int) []int
	// Frame learns from a frame that was drawn by the latest assignment, of all the frame
	// says but its pixels, and returns a new assignment, or nil for none.
	Frame(p *Picture) []int
}

// RootOptions say how a root works.
type RootOptions struct {
	Links   link.Options // Name is not used
	Address string       // to listen at; "": a free port of loopback
	Shape   Shape
	Frames  []int // to draw, in this order
	Owners  Owners
	Window  int           // frames on their way at once (2)
	Least   int           // nodes that are waited for before the first frame (1)
	Lease   time.Duration // without a sign of life before a node counts as lost (5 s)
	// Check returns an error unless part holds bands lo to hi (exclusive) of a picture. It is called
	// where Shape.Band is not 0. A whole check decodes the part, which takes long, so it is asked
	// only of each node's first part and of every hundredth after it.
	Check func(part []byte, lo, hi int, whole bool) error
}

// A Picture is a frame that is complete.
type Picture struct {
	Frame   int
	Pixels  []byte   // RGBA; nil where Shape.Band is not 0
	Parts   [][]byte // of the nodes, in the order of their rows, where Shape.Band is not 0: encoded bands
	Covered int      // pixels that show something
	Epoch   uint32
	Nodes   int
	Names   []string  // of the nodes; like Owner it is that of the epoch and must not be written
	Owner   []int     // node, by block
	Seconds []float64 // by block
	Light   []float64 // seconds of lighting and encoding, by node
	Bytes   int64     // of keys, of all nodes' layers
	Elapsed time.Duration
}

// A Root organises a film. Listen makes one, Run draws.
type Root struct {
	o        RootOptions
	links    *link.Links
	members  []*nodeState // that take part, as they came
	shutOut  map[string]bool
	epoch    uint32
	current  *epochState // frames are begun by it; nil: none is ready
	proposed *epochState
	todo     []int
	flying   []*rootFrame
	active   []float64 // cost of lighting, by row, as the latest frame had it
	planAt   time.Time // when the next plan is due; zero: none is
	free     [][]byte  // pictures
	failure  error     // of the last node that said that it cannot draw
	failedAt time.Time
}

// nodeState is a node as the root sees it.
type nodeState struct {
	member
	seen    time.Time
	accused int // times that other nodes could not reach it
	parts   int // that it encoded
}

// epochState is a plan as the root sees it.
type epochState struct {
	epoch   uint32
	members []*nodeState
	names   []string // of these
	owner   []int
	share   [][]int // blocks by member
	ready   map[string]bool
	asked   time.Time
}

// rootFrame is a frame on its way.
type rootFrame struct {
	frame int
	*epochState
	cuts    []int
	strips  map[string]bool
	active  []float64
	started time.Time
	bodies  [][]byte // of the messages that Parts are in
	Picture
}

// Limits of a root.
const (
	defaultWindow = 2
	defaultLease  = 5 * time.Second
	// joinPause is how long a plan waits for nodes that come at nearly the same time.
	joinPause = 100 * time.Millisecond
	// readyTime is how long members may take to connect with each other.
	readyTime = 15 * time.Second
	// accusations is how often others may fail to reach a node before it is shut out.
	accusations = 3
)

// Listen begins to wait for nodes.
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
	if o.Shape.Band > 0 && o.Check == nil {
		return nil, errors.New("bands need a check of what nodes send")
	}
	o.Links.Name = RootName
	links, err := link.Listen(o.Address, o.Links)
	if err != nil {
		return nil, err
	}
	return &Root{o: o, links: links, shutOut: map[string]bool{}, todo: slices.Clone(o.Frames)}, nil
}

// Addr returns where nodes reach the root, host:port.
func (r *Root) Addr() string { return r.links.Addr().String() }

// Close ends all connections.
func (r *Root) Close() { r.links.Close() }

// Run draws all frames and hands each to done when it is complete, in any order. The
// picture is done's until it returns. Without nodes it waits for some. When all frames are
// drawn the nodes are told that the film has ended.
func (r *Root) Run(ctx context.Context, done func(*Picture) error) error {
	tick := time.NewTicker(BeatTime / 5)
	defer tick.Stop()
	for len(r.todo)+len(r.flying) > 0 {
		if err := r.begin(); err != nil {
			return err
		}
		select {
		case e := <-r.links.Events():
			if err := r.take(e, done); err != nil {
				return err
			}
		case <-tick.C:
			if err := r.look(); err != nil {
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

// endTime bounds how long the root waits for nodes to leave.
const endTime = 2 * time.Second

// awaitEnd waits until all nodes have left, so that they know why.
func (r *Root) awaitEnd(ctx context.Context) {
	end := time.After(endTime)
	for len(r.members) > 0 {
		select {
		case e := <-r.links.Events():
			if e.Change == link.Went {
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

// member returns a node that takes part, nil for others.
func (r *Root) member(name string) *nodeState {
	for _, m := range r.members {
		if m.Name == name {
			return m
		}
	}
	return nil
}

// take takes one event.
func (r *Root) take(e link.Event, done func(*Picture) error) error {
	m := r.member(e.From)
	switch {
	case e.Change == link.Came:
		return nil // until it joins
	case e.Change == link.Went:
		if m != nil {
			r.lose(m, e.Err)
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
		return nil // late
	}
	m.seen = time.Now()
	if err := r.message(m, &e.Message, done); err != nil {
		var failed *doneError
		if errors.As(err, &failed) {
			return failed.err
		}
		r.expel(m, err)
	}
	return nil
}

// doneError is an error of the caller's, not of a node.
type doneError struct{ err error }

func (e *doneError) Error() string { return e.err.Error() }

// message takes a member's message; an error is the member's fault.
func (r *Root) message(m *nodeState, msg *link.Message, done func(*Picture) error) error {
	switch msg.Kind {
	case kindBeat:
		return nil
	case kindReady:
		r.ready(m, msg.Epoch)
		return nil
	case kindStrip:
		if r.o.Shape.Band == 0 {
			defer r.links.Recycle(msg.Body) // its pixels are copied
		}
		return r.strip(m, msg, done)
	case kindLost:
		r.accuse(m, string(msg.Body))
		return nil
	case kindFailed:
		r.failure = errors.New(strings.ToValidUTF8(string(msg.Body[:min(len(msg.Body), maxFailure)]), "?"))
		r.failedAt = time.Now()
		return r.failure
	}
	return fmt.Errorf("%w: kind %d", errWire, msg.Kind)
}

// maxFailure bounds what a node may say of its failure, in bytes.
const maxFailure = 1000

// join takes a node in.
func (r *Root) join(msg *link.Message) error {
	var j join
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
	if old := r.member(msg.From); old != nil { // it lost its connection and came back
		r.remove(old)
	}
	r.members = append(r.members, &nodeState{member: member{Name: msg.From, Address: j.Address}, seen: time.Now()})
	r.plan(joinPause)
	return nil
}

// maxMembers bounds the nodes of a picture: owners are 16-bit numbers.
const maxMembers = 1 << 12

// plan makes a new plan due, but not before a pause.
func (r *Root) plan(pause time.Duration) {
	if at := time.Now().Add(pause); r.planAt.IsZero() || at.Before(r.planAt) {
		r.planAt = at
	}
}

// lose goes on without a node, which may come back.
func (r *Root) lose(m *nodeState, why error) {
	r.report("node %s is lost: %w", m.Name, why)
	r.remove(m)
	r.links.Drop(m.Name, why)
	r.plan(0)
}

// expel goes on without a node for good.
func (r *Root) expel(m *nodeState, why error) {
	r.shutOut[m.Name] = true
	r.lose(m, why)
}

// accuse notes that one node cannot reach another. The two connect anew for the next plan;
// when that fails again and again the one that is not reached goes.
func (r *Root) accuse(by *nodeState, name string) {
	m := r.member(name)
	if m == nil {
		return
	}
	if m.accused++; m.accused >= accusations {
		r.expel(m, fmt.Errorf("node %s cannot reach it", by.Name))
		return
	}
	r.endEpochs(m)
	r.plan(joinPause)
}

// remove takes a node out of everything.
func (r *Root) remove(m *nodeState) {
	r.members = slices.DeleteFunc(r.members, func(x *nodeState) bool { return x == m })
	r.endEpochs(m)
}

// endEpochs ends the epochs of a member: frames of theirs begin again.
func (r *Root) endEpochs(m *nodeState) {
	if r.proposed.has(m) {
		r.proposed = nil
	}
	if r.current.has(m) {
		r.current = nil
	}
	var again []int
	r.flying = slices.DeleteFunc(r.flying, func(f *rootFrame) bool {
		if f.has(m) {
			again = append(again, f.frame)
			r.release(f)
			return true
		}
		return false
	})
	r.todo = append(again, r.todo...)
}

// has reports whether a node is a member.
func (e *epochState) has(m *nodeState) bool { return e != nil && slices.Contains(e.members, m) }

// look does what time asks for. It returns an error when no node is left and the last one
// said that it cannot draw.
func (r *Root) look() error {
	now := time.Now()
	if len(r.members) == 0 && r.failure != nil && now.Sub(r.failedAt) > r.o.Lease {
		return fmt.Errorf("no node is left: the last one failed: %w", r.failure)
	}
	for _, m := range slices.Clone(r.members) {
		if now.Sub(m.seen) > r.o.Lease {
			r.lose(m, fmt.Errorf("no sign of life for %v", r.o.Lease))
		}
	}
	if p := r.proposed; p != nil && now.Sub(p.asked) > readyTime {
		for _, m := range p.members {
			if !p.ready[m.Name] {
				r.lose(m, fmt.Errorf("not ready after %v", readyTime))
			}
		}
	}
	if !r.planAt.IsZero() && now.After(r.planAt) {
		r.planAt = time.Time{}
		r.propose(nil)
	}
	return nil
}
