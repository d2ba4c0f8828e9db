package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// A Node is a process that draws.
type Node struct {
	Name  string    `json:"name"`
	Host  string    `json:"host"`
	Cores int       `json:"cores"`
	Since time.Time `json:"since"`
	Busy  float64   `json:"busy"` // share of the time since the last sign of life that it drew whole frames
}

// Participants are the nodes that draw, of which this process may be one, see Work.
type Participants struct{ all *Cluster }

// signOfLife is how often a node says that it is there.
const signOfLife = nodeMemory / 6

// appear says that a node is there, until stop is called.
func (n *node) appear(ctx context.Context) (stop func()) {
	host, _ := os.Hostname()
	me := Node{Name: n.Name, Host: host, Cores: runtime.GOMAXPROCS(0), Since: time.Now().UTC()}
	ctx, cancel := context.WithCancel(ctx)
	var ended sync.WaitGroup
	ended.Go(func() {
		for last := time.Now(); ; last = time.Now() {
			me.Busy = n.busy.share(last, time.Now())
			next := signOfLife
			if n.put(ctx, nodeStore, n.Name, me) != nil { // the server may be on its way
				next = reconnectWait
			}
			if sleep(ctx, next) != nil {
				return
			}
		}
	})
	return func() { cancel(); ended.Wait() }
}

// Nodes returns the nodes that gave a sign of life lately.
func (p *Participants) Nodes(ctx context.Context) ([]Node, error) {
	c := p.all
	keys, err := c.keys(ctx, nodeStore, ">")
	if err != nil {
		return nil, err
	}
	var nodes []Node
	for _, k := range keys {
		var n Node
		if err := c.get(ctx, nodeStore, k, &n); err == nil {
			nodes = append(nodes, n)
		} else if !errors.Is(err, jetstream.ErrKeyNotFound) && !errors.Is(err, errMalformed) {
			return nil, err
		}
	}
	return nodes, nil
}

// checkBlocked returns ErrBlocked for a node that was shut out.
func (n *node) checkBlocked(ctx context.Context) error {
	var reason string
	switch err := n.get(ctx, blockedStore, n.Name, &reason); {
	case err == nil:
		return fmt.Errorf("%w: %s", ErrBlocked, reason)
	case errors.Is(err, jetstream.ErrKeyNotFound):
		return nil
	default:
		return err
	}
}
