package cluster_test

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"testing"
	"time"

	natsd "github.com/nats-io/nats-server/v2/server"

	"lockstep/cluster"
	"lockstep/internal/clitest"
)

// startThree starts a cluster of three servers without keys. It also returns the address of one server.
func startThree(t *testing.T) (servers []*natsd.Server, address cluster.Address) {
	t.Helper()
	port := func() int {
		n, err := strconv.Atoi(clitest.FreePort(t))
		check(t, err)
		return n
	}
	var routes []*url.URL
	ports := [3]int{port(), port(), port()}
	for _, p := range ports {
		routes = append(routes, &url.URL{Scheme: "nats", Host: "127.0.0.1:" + strconv.Itoa(p)})
	}
	for i, p := range ports {
		s, err := natsd.NewServer(&natsd.Options{
			ServerName: "s" + strconv.Itoa(i), Host: "127.0.0.1", Port: natsd.RANDOM_PORT, NoLog: true, NoSigs: true,
			JetStream: true, StoreDir: t.TempDir(), JetStreamMaxStore: 1 << 30,
			Cluster: natsd.ClusterOpts{Name: "three", Host: "127.0.0.1", Port: p}, Routes: routes,
		})
		check(t, err)
		started := make(chan struct{})
		go func() { defer close(started); s.Start() }()
		t.Cleanup(func() { <-started; s.Shutdown(); s.WaitForShutdown() })
		if !s.ReadyForConnections(patience) {
			t.Fatal("a server takes no connections")
		}
		servers, address.URL = append(servers, s), s.ClientURL()
	}
	return servers, address
}

// prepareSoon calls Prepare until it succeeds. The servers do not answer before they have elected a leader.
func prepareSoon(t *testing.T, servers []*natsd.Server, c *cluster.Cluster, l cluster.Limits) {
	t.Helper()
	end := time.Now().Add(patience)
	for !slices.ContainsFunc(servers, (*natsd.Server).JetStreamIsLeader) && time.Now().Before(end) {
		time.Sleep(20 * time.Millisecond)
	}
	for {
		ctx, cancel := context.WithTimeout(t.Context(), few) // the leader may also be lost during a call
		err := c.Prepare(ctx, l)
		cancel()
		if err == nil || time.Now().After(end) {
			check(t, err)
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// TestMoreCopies checks a film that asks for three copies after a film of one copy. It is refused, with or without
// limits of its own, and the refusal changes nothing. After the queue is removed, the film gets its copies.
func TestMoreCopies(t *testing.T) {
	t.Parallel()
	servers, address := startThree(t)
	c, err := cluster.Dial(t.Context(), address)
	check(t, err)
	t.Cleanup(c.Close)
	prepareSoon(t, servers, c, cluster.Limits{Bytes: 64 << 20})
	job, err := c.Submit(t.Context(), newJob(7))
	check(t, err)
	for _, more := range []cluster.Limits{{Bytes: 128 << 20, Replicas: 3}, {Replicas: 3}} {
		if err := c.Prepare(t.Context(), more); !errors.Is(err, cluster.ErrOneCopy) {
			t.Errorf("%+v: %v, want ErrOneCopy", more, err)
		}
		configs, err := c.StreamConfigs(t.Context())
		check(t, err)
		for _, s := range configs {
			if s.Replicas != 1 {
				t.Errorf("%+v: %s has %d copies, want 1", more, s.Name, s.Replicas)
			}
		}
		if n, err := c.TasksInQueue(t.Context(), job.ID); err != nil || n != 7 {
			t.Errorf("%+v: %d tasks are left, %v, want 7", more, n, err)
		}
	}
	check(t, c.DeleteStream(t.Context(), "frames"))
	prepareSoon(t, servers, c, cluster.Limits{Replicas: 3})
	// A film that asks for fewer copies, without limits, removes no copies.
	check(t, c.Prepare(t.Context(), cluster.Limits{}))
	configs, err := c.StreamConfigs(t.Context())
	check(t, err)
	for _, s := range configs {
		if s.Replicas != 3 {
			t.Errorf("%s has %d copies, want 3", s.Name, s.Replicas)
		}
	}
}

// TestNoCopiesOfOneServer checks that a single server refuses to store copies, even after a film of one copy, and
// keeps the tasks of that film.
func TestNoCopiesOfOneServer(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	c := h.dial(h.admin)
	check(t, c.Prepare(t.Context(), cluster.Limits{Bytes: 64 << 20}))
	job, err := c.Submit(t.Context(), newJob(7))
	check(t, err)
	for _, more := range []cluster.Limits{{Bytes: 128 << 20, Replicas: 3}, {Replicas: 3}} {
		if err := c.Prepare(t.Context(), more); !errors.Is(err, cluster.ErrReplicas) {
			t.Errorf("%+v: %v", more, err)
		}
		if n, err := c.TasksInQueue(t.Context(), job.ID); err != nil || n != 7 {
			t.Errorf("%+v: %d tasks are left, %v, want 7", more, n, err)
		}
	}
}

// TestPrepareNeedsAnswers checks that Prepare fails if the server does not report the limits of a stream. Otherwise
// Prepare would replace these limits by the limits of a new stream.
func TestPrepareNeedsAnswers(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	c := h.dial(h.admin)
	check(t, c.Prepare(t.Context(), cluster.Limits{Bytes: 64 << 20}))
	before, err := c.StreamConfigs(t.Context())
	check(t, err)
	silent := errors.New("no answer")
	for _, s := range before {
		restore := c.FailStream(s.Name, silent)
		err := c.Prepare(t.Context(), cluster.Limits{})
		restore()
		if !errors.Is(err, silent) {
			t.Errorf("%s: %v, want no answer", s.Name, err)
		}
	}
	after, err := c.StreamConfigs(t.Context())
	check(t, err)
	for i := range after {
		if after[i].MaxBytes != before[i].MaxBytes {
			t.Errorf("%s: %d bytes after %d", after[i].Name, after[i].MaxBytes, before[i].MaxBytes)
		}
	}
}
