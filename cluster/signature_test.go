package cluster_test

import (
	"fmt"
	"testing"

	natsd "github.com/nats-io/nats-server/v2/server"

	"lockstep/cluster"
	"lockstep/cluster/server"
)

// TestAuthors checks that only the signature of a record determines its author, whatever else the record contains. If
// the server has no keys, the name determines the author.
func TestAuthors(t *testing.T) {
	seed, public, err := server.NewKey()
	check(t, err)
	signed := func(change func(d *cluster.Done)) *cluster.Done {
		d := &cluster.Done{Hash: "00", Node: "a", Seconds: 1, Bytes: 5, Stored: true, FileState: "x"}
		check(t, d.Sign(seed, "job", 3))
		change(d)
		return d
	}
	for what, c := range map[string]struct {
		d     *cluster.Done
		job   string
		frame int
		want  cluster.Author
	}{
		"signed":           {signed(func(*cluster.Done) {}), "job", 3, cluster.Author{Key: public, Node: "a"}},
		"of other seconds": {signed(func(d *cluster.Done) { d.Seconds = 2 }), "job", 3, cluster.Author{Key: public, Node: "a"}},
		"of another job":   {signed(func(*cluster.Done) {}), "jo", 3, cluster.Author{}},
		"of another frame": {signed(func(*cluster.Done) {}), "job", 4, cluster.Author{}},
		"other node":       {signed(func(d *cluster.Done) { d.Node = "b" }), "job", 3, cluster.Author{}},
		"other picture":    {signed(func(d *cluster.Done) { d.Hash = "01" }), "job", 3, cluster.Author{}},
		"other size":       {signed(func(d *cluster.Done) { d.Bytes++ }), "job", 3, cluster.Author{}},
		"not stored":       {signed(func(d *cluster.Done) { d.Stored = false }), "job", 3, cluster.Author{}},
		"other file":       {signed(func(d *cluster.Done) { d.FileState = "" }), "job", 3, cluster.Author{}},
		"no key":           {signed(func(d *cluster.Done) { d.Key = "U" }), "job", 3, cluster.Author{}},
		"no base64":        {signed(func(d *cluster.Done) { d.Sig = "!" }), "job", 3, cluster.Author{}},
		"no signature":     {signed(func(d *cluster.Done) { d.Sig = "" }), "job", 3, cluster.Author{}},
		"unsigned":         {&cluster.Done{Node: "a"}, "job", 3, cluster.Author{Node: "a"}},
		"no name":          {&cluster.Done{Node: "../a"}, "job", 3, cluster.Author{}},
	} {
		if got := c.d.Author(c.job, c.frame); got != c.want {
			t.Errorf("%s: %+v, want %+v", what, got, c.want)
		}
	}
	x := &cluster.Failure{Node: "a", Error: "e", Tries: 2, Recurs: true}
	check(t, x.Sign(seed, "job", 3))
	if x.Author("job", 3).Key != public {
		t.Error("a failure that was signed is of nobody")
	}
	for i, change := range []func(x *cluster.Failure){func(x *cluster.Failure) { x.Recurs = false }, func(x *cluster.Failure) { x.Error = "f" },
		func(x *cluster.Failure) { x.Tries = 3 }, func(x *cluster.Failure) { x.Round = 1 }} {
		other := *x
		if change(&other); other.Author("job", 3) != (cluster.Author{}) {
			t.Errorf("failure %d is of %+v", i, other.Author("job", 3))
		}
	}
	if (&cluster.Done{}).Sign([]byte("no seed"), "job", 3) == nil {
		t.Error("it signs without a key")
	}
}

// TestKnownAuthors checks that an author with a name but no key is known for certain only if the server has no keys.
func TestKnownAuthors(t *testing.T) {
	t.Parallel()
	keyed := newTestServer(t)
	open, err := server.Start(server.Options{Dir: t.TempDir(), SyncLater: true})
	check(t, err)
	t.Cleanup(open.Close)
	for c, named := range map[*cluster.Cluster]bool{
		keyed.dial(keyed.admin): false, keyed.dial(cluster.Address{URL: "nats://" + open.Addr().String()}): true,
	} {
		if c.Knows(cluster.Author{Node: "a"}) != named || !c.Knows(cluster.Author{Key: "U", Node: "a"}) || c.Knows(cluster.Author{}) {
			t.Errorf("names are known: %v", !named)
		}
	}
}

// TestServersOfEarlierVersions checks that a server without accounts is refused. A server with accounts must be able to
// use the folder and the jobs of a server without accounts.
func TestServersOfEarlierVersions(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	_, public, err := server.NewKey()
	check(t, err)
	h.s.Close()
	dir := t.TempDir()
	plain, err := server.Start(server.Options{Dir: dir, SyncLater: true})
	check(t, err)
	c := h.dial(cluster.Address{URL: "nats://" + plain.Addr().String()})
	h.prepare(c)
	job, err := c.Submit(t.Context(), newJob(5))
	check(t, err)
	plain.Close()

	seed, submit, err := server.NewKey()
	check(t, err)
	taken, err := server.Start(server.Options{Dir: dir, SyncLater: true, SubmitKey: submit, Nodes: map[string]string{"a": public}})
	check(t, err)
	t.Cleanup(taken.Close)
	c = h.dial(cluster.Address{URL: "nats://" + taken.Addr().String(), Seed: seed})
	h.prepare(c)
	if got, err := c.Job(t.Context(), job.ID); err != nil || got.Frames != 5 {
		t.Errorf("the job of the earlier server: %+v, %v", got, err)
	}
	if n, err := c.TasksInQueue(t.Context(), job.ID); err != nil || n != 5 {
		t.Errorf("%d tasks, %v", n, err)
	}

	old := &natsd.Options{Host: "127.0.0.1", Port: natsd.RANDOM_PORT, JetStream: true, StoreDir: t.TempDir(), NoLog: true, NoSigs: true,
		Nkeys: []*natsd.NkeyUser{{Nkey: submit}}}
	s, err := natsd.NewServer(old)
	check(t, err)
	go s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(patience) {
		t.Fatal("it takes no connections")
	}
	c = h.dial(cluster.Address{URL: "nats://" + s.Addr().String(), Seed: seed})
	if err := c.Prepare(t.Context(), cluster.Limits{}); fmt.Sprint(err) != cluster.ErrNoAccounts.Error() {
		t.Errorf("a server without accounts: %v", err)
	}
}

// TestRetryForgetsTries checks that a failed frame has all its tries again after Retry.
func TestRetryForgetsTries(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	c := h.dial(h.admin)
	h.prepare(c)
	job, err := c.Submit(t.Context(), newJob(2))
	check(t, err)
	check(t, c.Put(t.Context(), "failures", job.ID+".1.try.work", map[string]any{"count": 7}))
	check(t, c.Fail(t.Context(), job, 1, &cluster.Failure{Error: "no"}))
	check(t, c.Retry(t.Context(), job.ID))
	if keys, err := c.Keys(t.Context(), "failures", job.ID+".>"); err != nil || len(keys) != 0 {
		t.Errorf("there are %v, %v", keys, err)
	}
	check(t, c.Put(t.Context(), "failures", job.ID+".1.try.work", map[string]any{"count": 7}))
	check(t, c.Cancel(t.Context(), job.ID))
	_, err = c.Submit(t.Context(), job)
	check(t, err)
	if keys, err := c.Keys(t.Context(), "failures", job.ID+".>"); err != nil || len(keys) != 0 {
		t.Errorf("after the film was cancelled and submitted again there are %v, %v", keys, err)
	}
}
