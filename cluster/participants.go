package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// A Node describes a process that draws frames.
type Node struct {
	Name  string    `json:"name"`
	Host  string    `json:"host"`
	Cores int       `json:"cores"`
	Since time.Time `json:"since"`
	// Busy is the fraction of the time since the previous heartbeat that the node spent drawing whole frames.
	Busy float64 `json:"busy"`
}

// Participants are the nodes of a server. With Work, this process becomes one of them.
type Participants struct{ cluster *Cluster }

// heartbeatInterval is the time between two heartbeats of a node.
const heartbeatInterval = nodeExpiry / 6

// announce sends heartbeats until stop is called.
func (n *node) announce(ctx context.Context) (stop func()) {
	host, _ := os.Hostname()
	self := Node{Name: n.Name, Host: host, Cores: runtime.GOMAXPROCS(0), Since: time.Now().UTC()}
	ctx, cancel := context.WithCancel(ctx)
	var ended sync.WaitGroup
	ended.Go(func() {
		for last := time.Now(); ; last = time.Now() {
			self.Busy = n.busy.fraction(last, time.Now())
			next := heartbeatInterval
			if n.put(ctx, nodeStore, n.Name, self) != nil { // the server may be restarting
				next = reconnectWait
			}
			if sleep(ctx, next) != nil {
				return
			}
		}
	})
	return func() { cancel(); ended.Wait() }
}

// check returns an error if the name of a node is invalid. It limits the node's numbers to plausible values.
func (n *Node) check() error {
	if !validKey(n.Name) {
		return fmt.Errorf("a node %q", n.Name)
	}
	n.Busy, n.Cores = max(0, min(1, n.Busy)), max(0, n.Cores)
	return nil
}

// nodesPerKey limits the nodes that are listed for each key. It is also the largest number of nodes that may connect
// with one key. Without the limit, a node could send heartbeats under invented names and fill the list.
const nodesPerKey = 512

// Nodes returns the nodes that sent a heartbeat within nodeExpiry. The server stores each heartbeat under the name of
// the node, followed by the name of the node's key.
func (p *Participants) Nodes(ctx context.Context) ([]Node, error) {
	c := p.cluster
	keys, err := c.keys(ctx, nodeStore, ">")
	if err != nil {
		return nil, err
	}
	var nodes []Node
	listed := map[string]int{} // number of nodes by key
	for _, k := range keys {
		_, key, _ := strings.Cut(k, ".")
		if listed[key]++; listed[key] > nodesPerKey {
			continue
		}
		var n Node
		if err := c.get(ctx, nodeStore, k, &n); err == nil {
			nodes = append(nodes, n)
		} else if !errors.Is(err, jetstream.ErrKeyNotFound) && !errors.Is(err, errMalformed) {
			return nil, err
		}
	}
	return nodes, nil
}

// checkBlocked returns ErrBlocked if the node is blocked.
func (n *node) checkBlocked(ctx context.Context) error {
	var reason string
	author := Author{n.signer.public, n.Name}
	switch err := n.get(ctx, blockedStore, author.storeKey(), &reason); {
	case err == nil:
		return fmt.Errorf("%w: %s", ErrBlocked, reason)
	case errors.Is(err, jetstream.ErrKeyNotFound):
		return nil
	default:
		return err
	}
}

// A node holds the state of a call of Participants.Work.
type node struct {
	*Cluster
	WorkOptions
	signer  signer
	drawer  Drawer
	job     Job // the job to which frames belongs
	frames  Frames
	commits commit
	busy    busyMeter
	// lastDrawTime is how long drawing the latest frame of the job took. It is 0 before the first frame.
	lastDrawTime time.Duration
	// openAfter holds the times until which the node ignores jobs, by job ID. It ignores jobs that it could not open,
	// and shared jobs that it has taken part in.
	openAfter map[string]time.Time
	// lastPause is the latest pause of pauseJob. It is 0 after a success.
	lastPause time.Duration
	// lossesSeen is how many times the connection had been lost when the node started its latest frame.
	lossesSeen int
	// rechecks is the number of coming frames that the node must look up in the records before it draws them, see
	// recheckFrames.
	rechecks int
}

// WorkOptions configure a node.
type WorkOptions struct {
	// Name consists of letters, digits, - and _. Two running nodes must not have the same name.
	Name string
	// Idle is how long Work waits for something to draw before it returns nil. 0 means forever.
	Idle time.Duration
	// Report receives errors of frames and other errors. For other errors, frame is -1. Report may be called
	// concurrently. It may be nil.
	Report func(job Job, frame int, err error)
	// Opened is a job that the Drawer has opened already, or nil. Work closes its frames.
	Opened *Opened
	// Seed is the private key with which the node signs its records, the seed of an nkey. nil means the key of the
	// connection.
	Seed []byte

	noHeartbeat  bool          // set by tests to let leases expire while frames are drawn
	savePatience time.Duration // 0 means the constant savePatience
}

// Opened is a job that is ready to be drawn.
type Opened struct {
	Job    Job
	Frames Frames
}

// A busyMeter measures the fraction of time that a node spends drawing.
type busyMeter struct {
	mu sync.Mutex
	// began is when the current frame began. It is zero between frames.
	began time.Time
	// drawn is the drawing time since the latest call of fraction.
	drawn time.Duration
}

// begin notes that drawing a frame begins.
func (g *busyMeter) begin() { g.mu.Lock(); defer g.mu.Unlock(); g.began = time.Now() }

// end notes that drawing the frame ends.
func (g *busyMeter) end() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.drawn += time.Since(g.began)
	g.began = time.Time{}
}

// fraction returns the fraction of the time from last to now that was spent drawing. last is the time of the previous
// call.
func (g *busyMeter) fraction(last, now time.Time) float64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	drawn := g.drawn
	g.drawn = 0
	if !g.began.IsZero() {
		drawn += now.Sub(g.began)
		g.began = now
	}
	if now.Sub(last) <= 0 {
		return 0
	}
	return min(1, drawn.Seconds()/now.Sub(last).Seconds())
}
