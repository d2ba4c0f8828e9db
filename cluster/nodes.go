package cluster

import (
	"context"
	"errors"
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
}

// signOfLife is how often a node says that it is there.
const signOfLife = nodeMemory / 3

// appear says that a node is there, until stop is called.
func (n *node) appear(ctx context.Context) (stop func()) {
	host, _ := os.Hostname()
	me := Node{Name: n.Name, Host: host, Cores: runtime.GOMAXPROCS(0), Since: time.Now().UTC()}
	ctx, cancel := context.WithCancel(ctx)
	var ended sync.WaitGroup
	ended.Go(func() {
		for {
			_ = n.put(ctx, nodeStore, n.Name, me) // people look at it; nothing depends on it
			if sleep(ctx, signOfLife) != nil {
				return
			}
		}
	})
	return func() { cancel(); ended.Wait() }
}

// Nodes returns the nodes that gave a sign of life lately.
func (c *Cluster) Nodes(ctx context.Context) ([]Node, error) {
	keys, err := c.keys(ctx, nodeStore, ">")
	if err != nil {
		return nil, err
	}
	var nodes []Node
	for _, k := range keys {
		var n Node
		if err := c.get(ctx, nodeStore, k, &n); err == nil {
			nodes = append(nodes, n)
		} else if !errors.Is(err, jetstream.ErrKeyNotFound) {
			return nil, err
		}
	}
	return nodes, nil
}
