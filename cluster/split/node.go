package split

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"time"

	"lockstep/cluster/link"
)

// RootName is the name of the root among the nodes of a picture.
const RootName = "root"

// BeatTime is between two signs of life of a node.
const BeatTime = 500 * time.Millisecond

// Errors of a node.
var (
	// ErrRootGone is the error of a node whose root ended, or shut it out, before the film did.
	ErrRootGone = errors.New("the root has left")
	// ErrNoRoot is the error of a node that cannot reach the root.
	ErrNoRoot = errors.New("the root cannot be reached")
)

// NodeOptions say how a node takes part.
type NodeOptions struct {
	Links link.Options // Name is the node's
	Roots []string     // addresses of the root, host:port: the first one that answers
}

// Node draws parts of frames until the root says that the film has ended, which is no
// error, the root is lost, or ctx ends.
func Node(ctx context.Context, d Drawer, o NodeOptions) error {
	err := errors.New("no address of the root")
	for _, address := range o.Roots {
		var links *link.Links
		if links, err = connect(ctx, address, o.Links); err == nil {
			return runNode(ctx, d, links, &o.Links)
		}
		if errors.Is(err, link.ErrSecret) || errors.Is(err, link.ErrVersion) || ctx.Err() != nil {
			break
		}
	}
	return err
}

// connect begins to listen where the way to the root begins, and connects with it.
func connect(ctx context.Context, root string, o link.Options) (*link.Links, error) {
	var dialer net.Dialer
	way, err := dialer.DialContext(ctx, "udp", root) // sends nothing
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoRoot, err)
	}
	host, _, err := net.SplitHostPort(way.LocalAddr().String())
	way.Close()
	if err != nil {
		return nil, err
	}
	links, err := link.Listen(net.JoinHostPort(host, "0"), o)
	if err != nil {
		return nil, err
	}
	if err := links.Dial(ctx, root); err != nil {
		links.Close()
		return nil, fmt.Errorf("%w: %w", ErrNoRoot, err)
	}
	return links, nil
}

// runNode joins and draws.
func runNode(ctx context.Context, d Drawer, links *link.Links, o *link.Options) error {
	if _, ok := d.(Encoder); !ok && d.Shape().Band > 0 {
		links.Close()
		return errors.New("a drawer that does not encode has bands")
	}
	ctx, cancel := context.WithCancel(ctx)
	n := &node{ctx: ctx, drawer: d, shape: d.Shape(), links: links, name: o.Name, report: o.Report, plans: map[uint32]*epochPlan{},
		frames: map[place]*nodeFrame{}, dialled: make(chan dialled)}
	defer n.dialling.Wait()
	defer links.Close()
	defer cancel()
	body, err := json.Marshal(join{Address: links.Addr().String(), Shape: n.shape})
	if err != nil {
		return err
	}
	if err := links.Send(RootName, link.Message{Kind: kindJoin, Body: body}, nil); err != nil {
		return err
	}
	return n.run()
}

// node is a node that runs.
type node struct {
	ctx      context.Context
	drawer   Drawer
	shape    Shape
	links    *link.Links
	name     string
	report   func(error) // nil: none is told
	plans    map[uint32]*epochPlan
	latest   uint32 // epoch
	frames   map[place]*nodeFrame
	order    []*nodeFrame // as the root started them
	ended    bool
	dialled  chan dialled
	dialling sync.WaitGroup // and beats
	free     [][]byte       // bodies
	freeMu   sync.Mutex
}

// place names a frame in an epoch.
type place struct{ epoch, frame uint32 }

// epochPlan is a plan as a node holds it.
type epochPlan struct {
	*plan
	epoch  uint32
	me     int
	blocks []int // of this node
	ready  bool
	read   chan struct{} // closed when the blocks were read; nil: there is nothing to read
}

// nodeFrame is a frame on its way.
type nodeFrame struct {
	place
	plan  *epochPlan
	rows  *draw // nil: not yet started by the root
	need  Rows
	layer Layer // nil: not yet drawn
	keys  map[string][]byte

	lit     *litFrame         // nil: not yet lit, or pixels are sent
	borders map[string][]byte // pixels of other members
}

// dialled is the outcome of connecting with another node, or that blocks were read.
type dialled struct {
	name string
	err  error
}

// run takes messages, and works between them.
func (n *node) run() error {
	n.dialling.Go(n.beats)
	for {
		if err := n.takeAll(); err != nil || n.ended {
			return err
		}
		did, err := n.step()
		if err != nil {
			n.fail(err)
			return err
		}
		if did {
			continue
		}
		select {
		case e := <-n.links.Events():
			if err := n.take(e); err != nil {
				return err
			}
		case d := <-n.dialled:
			n.connected(d)
		case <-n.ctx.Done():
			return n.ctx.Err()
		}
	}
}

// beats tells the root that this process lives, whatever it draws, until ctx ends.
func (n *node) beats() {
	t := time.NewTicker(BeatTime)
	defer t.Stop()
	for {
		select {
		case <-n.ctx.Done():
			return
		case <-t.C:
			_ = n.links.Send(RootName, link.Message{Kind: kindBeat}, nil) // a lost root is an event
		}
	}
}

// fail tells the root why this node ends.
func (n *node) fail(err error) {
	if n.ctx.Err() != nil {
		return
	}
	_ = n.links.Send(RootName, link.Message{Kind: kindFailed, Body: []byte(err.Error())}, nil)
	time.Sleep(failTime)
}

// failTime is how long a node that failed lets its last message leave.
const failTime = 50 * time.Millisecond

// takeAll takes what has arrived without waiting.
func (n *node) takeAll() error {
	for {
		select {
		case e := <-n.links.Events():
			if err := n.take(e); err != nil {
				return err
			}
		case d := <-n.dialled:
			n.connected(d)
		default:
			return n.ctx.Err()
		}
	}
}

// take takes one event.
func (n *node) take(e link.Event) error {
	switch {
	case e.Change == link.Went && e.From == RootName:
		return fmt.Errorf("%w: %w", ErrRootGone, e.Err)
	case e.Change == link.Came:
		n.checkReady()
		return nil
	case e.Change == link.Went:
		if errors.Is(e.Err, link.ErrMalformed) {
			n.refuse(e.From, e.Err)
		}
		n.lost(e.From)
		return nil
	}
	err := n.message(&e.Message)
	if err != nil {
		err = fmt.Errorf("message from %s: %w", e.From, err)
		if e.From != RootName { // another node's fault must not end this one
			n.refuse(e.From, err)
			n.links.Drop(e.From, err)
			return nil
		}
	}
	return err
}

// refuse says that the connection with another node ends, and why.
func (n *node) refuse(name string, why error) {
	if n.report != nil {
		n.report(fmt.Errorf("the connection with node %s ends: %w", name, why))
	}
}

// message takes one message.
func (n *node) message(m *link.Message) error {
	if fromRoot := m.From == RootName; fromRoot == (m.Kind == kindKeys || m.Kind == kindBorder) {
		return fmt.Errorf("%w: kind %d", errWire, m.Kind)
	}
	switch m.Kind {
	case kindPlan:
		return n.propose(m)
	case kindDraw:
		return n.start(m)
	case kindKeys:
		return n.keep(m)
	case kindBorder:
		return n.keepBorder(m)
	case kindEnd:
		n.ended = true
		return nil
	}
	return fmt.Errorf("%w: kind %d", errWire, m.Kind)
}

// frameAt returns a frame of an epoch that this node knows, nil of others.
func (n *node) frameAt(m *link.Message) *nodeFrame {
	at := place{m.Epoch, m.Frame}
	f := n.frames[at]
	if f == nil {
		p := n.plans[m.Epoch]
		if p == nil || int64(m.Frame) >= int64(n.shape.Frames) {
			return nil
		}
		f = &nodeFrame{place: at, plan: p, keys: map[string][]byte{}, borders: map[string][]byte{}}
		n.frames[at] = f
	}
	return f
}

// start takes the root's order to draw a frame.
func (n *node) start(m *link.Message) error {
	f := n.frameAt(m)
	if f == nil || f.rows != nil {
		return fmt.Errorf("%w: draw frame %d of epoch %d", errWire, m.Frame, m.Epoch)
	}
	rows, err := parseDraw(m.Body, int(m.Frame), len(f.plan.Members), &n.shape)
	if err != nil {
		return err
	}
	f.rows = rows
	if f.need, err = n.drawer.Needed(int(f.frame), rows.own(f.plan.me)); err != nil {
		return err
	}
	n.order = append(n.order, f)
	n.forget(rows.Oldest)
	return nil
}

// forget gives up what belongs to epochs before the oldest that holds.
func (n *node) forget(oldest uint32) {
	n.order = slices.DeleteFunc(n.order, func(f *nodeFrame) bool { return f.epoch < oldest })
	for at, f := range n.frames {
		if at.epoch < oldest {
			n.drop(f)
		}
	}
	for epoch := range n.plans {
		if epoch < oldest {
			delete(n.plans, epoch)
		}
	}
}

// drop forgets a frame.
func (n *node) drop(f *nodeFrame) {
	delete(n.frames, f.place)
	if f.layer != nil {
		f.layer.Release()
		f.layer = nil
	}
	for _, bodies := range []map[string][]byte{f.keys, f.borders} {
		for _, body := range bodies {
			n.links.Recycle(body)
		}
	}
	f.keys, f.borders = nil, nil
	if f.lit != nil {
		n.recycle(f.lit.first)
		n.recycle(f.lit.rest)
		f.lit = nil
	}
}

// keep takes another node's keys. Those of an epoch that this node does not know are late.
func (n *node) keep(m *link.Message) error {
	f := n.frameAt(m)
	if f == nil {
		return nil
	}
	if _, twice := f.keys[m.From]; twice {
		return fmt.Errorf("%w: keys of frame %d again", errWire, m.Frame)
	}
	f.keys[m.From] = m.Body
	return nil
}
