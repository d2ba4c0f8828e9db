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

// RootName is the name of the root in package link.
const RootName = "root"

// HeartbeatInterval is the time between two heartbeats of a node.
const HeartbeatInterval = 500 * time.Millisecond

// NodeOptions configure a node.
type NodeOptions struct {
	Links link.Options // Links.Name is the name of the node
	// Roots are addresses of the root, host:port. Node uses the first that it can reach.
	Roots []string
}

// Node draws parts of frames until the root announces the end of the film, the connection with the root is lost, or ctx
// ends. It returns nil only after the announcement.
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

// connect connects with the root. It also listens for other nodes, on the network interface that leads to the root.
func connect(ctx context.Context, root string, o link.Options) (*link.Links, error) {
	var dialer net.Dialer
	probe, err := dialer.DialContext(ctx, "udp", root) // sends nothing, but finds the interface
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoRoot, err)
	}
	host, _, err := net.SplitHostPort(probe.LocalAddr().String())
	probe.Close()
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

// runNode joins the root and draws.
func runNode(ctx context.Context, d Drawer, links *link.Links, o *link.Options) error {
	if _, ok := d.(Encoder); !ok && d.Shape().Slab > 0 {
		links.Close()
		return errors.New("a drawer that does not encode has slabs")
	}
	ctx, cancel := context.WithCancel(ctx)
	n := &node{ctx: ctx, drawer: d, shape: d.Shape(), links: links, name: o.Name, report: o.Report, plans: map[uint32]*epochPlan{},
		frames: map[frameID]*nodeFrame{}, results: make(chan backgroundResult), dialling: map[string]bool{}}
	defer n.background.Wait()
	defer links.Close()
	defer cancel()
	body, err := json.Marshal(joinMessage{Address: links.Addr().String(), Shape: n.shape})
	if err != nil {
		return err
	}
	if err := links.Send(RootName, link.Message{Kind: kindJoin, Body: body}, nil); err != nil {
		return err
	}
	return n.run()
}

// A node holds the state of the function Node.
type node struct {
	ctx    context.Context
	drawer Drawer
	shape  Shape
	links  *link.Links
	name   string
	report func(error) // receives errors; may be nil
	plans  map[uint32]*epochPlan
	// latest is the latest epoch for which a plan was received.
	latest  uint32
	frames  map[frameID]*nodeFrame
	order   []*nodeFrame // in the order in which the root started them
	ended   bool
	results chan backgroundResult
	// dialling holds the names of nodes to which a connection is being made.
	dialling map[string]bool
	// background waits for goroutines that connect, prefetch and send heartbeats.
	background sync.WaitGroup
	// freeBodies are bodies of messages for reuse.
	freeBodies [][]byte
	freeMu     sync.Mutex
}

// A frameID identifies a frame of an epoch.
type frameID struct{ epoch, frame uint32 }

// An epochPlan is the plan of an epoch, and what this node knows about it.
type epochPlan struct {
	*planMessage
	epoch  uint32
	self   int
	blocks []int // owned by this node
	ready  bool
	// prefetched is closed when the blocks have been read. It is nil if the drawer cannot read ahead.
	prefetched chan struct{}
}

// A nodeFrame is a frame that a node is drawing.
type nodeFrame struct {
	frameID
	plan  *epochPlan
	rows  *drawMessage // nil until the root has started the frame
	need  Rows
	layer Layer // nil until it is drawn
	keys  map[string][]byte

	// lit is this node's part after lighting, encoded except for the first slab. It is nil before that. It stays nil if
	// nodes send pixels.
	lit *litFrame
	// borders holds the pixels of other members that the first slab needs, by name of the member.
	borders map[string][]byte
}

// A backgroundResult is the result of a background goroutine. If name is set, the goroutine tried to connect with the
// node of that name. Otherwise it prefetched blocks.
type backgroundResult struct {
	name string
	err  error
}

// run handles events. Whenever no event is waiting, it does a step of drawing.
func (n *node) run() error {
	n.background.Go(n.sendHeartbeats)
	for {
		if err := n.drainEvents(); err != nil || n.ended {
			return err
		}
		did, err := n.step()
		if err != nil {
			n.sendFailure(err)
			return err
		}
		if did {
			continue
		}
		select {
		case e := <-n.links.Events():
			if err := n.handleEvent(e); err != nil {
				return err
			}
		case d := <-n.results:
			n.handleResult(d)
		case <-n.ctx.Done():
			return n.ctx.Err()
		}
	}
}

// sendHeartbeats sends heartbeats to the root until ctx ends, even while a frame is being drawn.
func (n *node) sendHeartbeats() {
	t := time.NewTicker(HeartbeatInterval)
	defer t.Stop()
	for {
		select {
		case <-n.ctx.Done():
			return
		case <-t.C:
			// An error is ignored: it means that the connection with the root is lost, which another event reports.
			_ = n.links.Send(RootName, link.Message{Kind: kindHeartbeat}, nil)
		}
	}
}

// sendFailure sends the root the error with which this node ends.
func (n *node) sendFailure(err error) {
	if n.ctx.Err() != nil {
		return
	}
	_ = n.links.Send(RootName, link.Message{Kind: kindFailed, Body: []byte(err.Error())}, nil)
	time.Sleep(failTime)
}

// failTime is how long a node waits after its last message, to let the message be sent.
const failTime = 50 * time.Millisecond

// drainEvents handles all events that have arrived, without waiting for more.
func (n *node) drainEvents() error {
	for {
		select {
		case e := <-n.links.Events():
			if err := n.handleEvent(e); err != nil {
				return err
			}
		case d := <-n.results:
			n.handleResult(d)
		default:
			return n.ctx.Err()
		}
	}
}

// handleEvent handles one event.
func (n *node) handleEvent(e link.Event) error {
	switch {
	case e.Change == link.PeerDisconnected && e.From == RootName:
		return fmt.Errorf("%w: %w", ErrRootGone, e.Err)
	case e.Change == link.PeerConnected:
		n.checkReady()
		return nil
	case e.Change == link.PeerDisconnected:
		if errors.Is(e.Err, link.ErrMalformed) {
			n.reportDisconnect(e.From, e.Err)
		}
		// A new connection may have replaced the one that ended. Then the node can still be reached. If a new
		// connection is still being made, handleResult reports a failure.
		if !n.links.Connected(e.From) && !n.dialling[e.From] {
			n.reportLost(e.From)
		}
		return nil
	}
	err := n.handleMessage(&e.Message)
	if err != nil {
		err = fmt.Errorf("message from %s: %w", e.From, err)
		if e.From != RootName { // a faulty node must not end this one
			n.reportDisconnect(e.From, err)
			n.links.Drop(e.From, err)
			return nil
		}
	}
	return err
}

// reportDisconnect reports why the connection with another node ends.
func (n *node) reportDisconnect(name string, why error) {
	if n.report != nil {
		n.report(fmt.Errorf("the connection with node %s ends: %w", name, why))
	}
}

// handleMessage handles one message.
func (n *node) handleMessage(m *link.Message) error {
	if fromRoot := m.From == RootName; fromRoot == (m.Kind == kindKeys || m.Kind == kindBorder) {
		return fmt.Errorf("%w: kind %d", errWire, m.Kind)
	}
	switch m.Kind {
	case kindPlan:
		return n.receivePlan(m)
	case kindDraw:
		return n.startFrame(m)
	case kindKeys:
		return n.storeKeys(m)
	case kindBorder:
		return n.storeBorder(m)
	case kindEnd:
		n.ended = true
		return nil
	}
	return fmt.Errorf("%w: kind %d", errWire, m.Kind)
}

// frameOf returns the frame of a message, or nil if this node does not know its epoch.
func (n *node) frameOf(m *link.Message) *nodeFrame {
	at := frameID{m.Epoch, m.Frame}
	f := n.frames[at]
	if f == nil {
		p := n.plans[m.Epoch]
		if p == nil || int64(m.Frame) >= int64(n.shape.Frames) {
			return nil
		}
		f = &nodeFrame{frameID: at, plan: p, keys: map[string][]byte{}, borders: map[string][]byte{}}
		n.frames[at] = f
	}
	return f
}

// startFrame handles the root's order to draw a frame.
func (n *node) startFrame(m *link.Message) error {
	f := n.frameOf(m)
	if f == nil || f.rows != nil {
		return fmt.Errorf("%w: draw frame %d of epoch %d", errWire, m.Frame, m.Epoch)
	}
	rows, err := parseDraw(m.Body, int(m.Frame), len(f.plan.Members), &n.shape)
	if err != nil {
		return err
	}
	f.rows = rows
	if f.need, err = n.drawer.Needed(int(f.frame), rows.rowsOf(f.plan.self)); err != nil {
		return err
	}
	n.order = append(n.order, f)
	n.dropBefore(rows.Oldest)
	return nil
}

// dropBefore drops the frames and plans of epochs before the epoch `oldest`.
func (n *node) dropBefore(oldest uint32) {
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

// drop removes a frame and releases its memory.
func (n *node) drop(f *nodeFrame) {
	delete(n.frames, f.frameID)
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

// storeKeys stores the keys that another node has sent. It ignores keys of ended epochs.
func (n *node) storeKeys(m *link.Message) error {
	f := n.frameOf(m)
	if f == nil {
		return nil
	}
	if _, twice := f.keys[m.From]; twice {
		return fmt.Errorf("%w: keys of frame %d again", errWire, m.Frame)
	}
	f.keys[m.From] = m.Body
	return nil
}
