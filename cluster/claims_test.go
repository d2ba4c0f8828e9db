package cluster_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"lockstep/cluster"
	"lockstep/cluster/server"
)

// TestNumbersOfRecords checks the numbers in a node's records. Sums over records must never become infinite or
// negative, because a status page cannot encode such sums.
func TestNumbersOfRecords(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	c := h.dial(h.admin)
	h.prepare(c)
	job, err := c.Submit(t.Context(), newJob(6))
	check(t, err)
	worker := h.dial(h.worker)
	for frame, record := range []string{`"seconds":1.7e308`, `"seconds":1.7e308,"bytes":1099511627776`, `"seconds":-1`, `"bytes":-1`, `"bytes":1099511627777`, `"seconds":0.5`} {
		check(t, worker.Publish(t.Context(), fmt.Sprintf("$KV.done.%s.%d", job.ID, frame), nil, []byte(`{"hash":"00","node":"x",`+record+`}`)))
	}
	s, err := c.Status(t.Context(), job.ID)
	check(t, err)
	sum := 0.0
	for _, d := range s.Done {
		sum += d.Seconds
	}
	if len(s.Done) != 3 || len(s.Malformed) != 3 || sum != 2*3600+0.5 {
		t.Errorf("%d records of %v seconds, malformed %v", len(s.Done), sum, s.Malformed)
	}
}

// TestInventedNodes checks a node that sends heartbeats under many names. It must not hide nodes of other keys, and
// invalid names must not be listed.
func TestInventedNodes(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	seed, public, err := server.NewKey()
	check(t, err)
	h.o.Nodes["honest"] = public
	check(t, h.s.SetNodes(h.o.Nodes))
	c := h.dial(h.admin)
	h.prepare(c)
	rogue := rawConn(t, h.worker)
	for i := range 600 {
		check(t, rogue.Publish(fmt.Sprintf("$KV.nodes.a%d", i), fmt.Appendf(nil, `{"name":"a%d","busy":-1e300,"cores":-7}`, i)))
	}
	check(t, rogue.Publish("$KV.nodes.a", []byte(`{"name":"\u001b[2J"}`))) // a name that clears a terminal
	check(t, rogue.FlushTimeout(patience))
	own := h.worker
	own.Seed = seed
	h.work(h.dial(own), "zoe", &fakeDrawer{})
	var nodes []cluster.Node
	listed := map[string]bool{}
	for end := time.Now().Add(patience); !listed["zoe"] && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		nodes, err = c.Nodes(t.Context())
		check(t, err)
		clear(listed)
		for _, n := range nodes {
			listed[n.Name] = true
			if n.Busy < 0 || n.Cores < 0 || strings.Contains(n.Name, "\x1b") {
				t.Fatalf("%+v", n)
			}
		}
	}
	if !listed["zoe"] || len(nodes) > 520 {
		t.Errorf("%d nodes, the honest one among them: %v", len(nodes), listed["zoe"])
	}
}

// TestRecordedWhileDrawnAgain gives a frame to two nodes, one after the other. The first node records the frame while
// the second draws it. The second node must not replace the first node's picture.
func TestRecordedWhileDrawnAgain(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	c := h.dial(h.admin)
	h.prepare(c)
	job, err := c.Submit(t.Context(), newJob(1))
	check(t, err)
	giveBack, err := h.dial(h.worker).Take(job)
	check(t, err)
	check(t, giveBack())
	acks, err := c.Acknowledged()
	check(t, err)
	s := &fakeDrawer{draw: func(ctx context.Context, k int) ([]byte, error) {
		return picture(k), c.Record(ctx, job, k, &cluster.Done{Hash: cluster.Hash(picture(k)), Node: "first"})
	}}
	h.work(h.dial(h.worker), "second", s)
	await(t, "the acknowledgement", acks)
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.saved) != 0 || s.drawn.Load() != 1 {
		t.Errorf("drawn %d times, saved %v", s.drawn.Load(), s.saved)
	}
}
