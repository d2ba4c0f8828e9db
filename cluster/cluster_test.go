package cluster_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"lockstep/cluster"
	"lockstep/cluster/link"
	"lockstep/cluster/server"
)

// A testServer is a server with keys that tests may stop and restart.
type testServer struct {
	t      testing.TB
	o      server.Options
	s      *server.Server
	admin  cluster.Address
	worker cluster.Address
}

func newTestServer(t testing.TB) *testServer {
	t.Helper()
	submit, submitPublic, err := server.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	work, workPublic, err := server.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	cert, err := link.NewCertificate(time.Now(), time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	_, measures := t.(*testing.B)
	h := &testServer{t: t, o: server.Options{Dir: t.TempDir(), TLS: cert, SubmitKey: submitPublic, Nodes: map[string]string{"work": workPublic},
		SyncLater: !measures}} // no test stops the machine
	h.start()
	pin := cluster.Fingerprint(cert.Leaf)
	h.admin = cluster.Address{URL: fmt.Sprintf("nats://%s", h.s.Addr()), Pin: pin, Seed: submit}
	h.worker = cluster.Address{URL: h.admin.URL, Pin: pin, Seed: work}
	h.worker.Report = func(err error) {
		if strings.Contains(err.Error(), "ermissions") {
			t.Errorf("a node lacks a right: %v", err)
		}
	}
	return h
}

// The method start starts the server at its earlier port. It tries again if a connection of another program has taken
// that port for a moment. It reports errors with Errorf, because goroutines call it, too.
func (h *testServer) start() {
	h.t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		s, err := server.Start(h.o)
		if err == nil {
			h.s, h.o.Port = s, s.Addr().Port
			h.t.Cleanup(s.Close)
			return
		}
		if time.Now().After(end) {
			h.t.Errorf("the server does not start: %v", err)
			return
		}
	}
}

// patience is how long tests wait for an event.
const patience = 2 * time.Minute

// await returns the next value of c, or the zero value if c is closed. It fails after patience.
func await[T any](t testing.TB, what string, c <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-c:
	case <-time.After(patience):
		t.Fatalf("%s: it does not come", what)
	}
	return v
}

// soon waits until it can receive from c, but at most for a few seconds. Tests call it while a node saves a picture, to
// wait for the next action of that node. If a busy server answers the node's request for a frame too late, the action
// comes only after the picture is saved.
func soon[T any](c <-chan T) {
	select {
	case <-c:
	case <-time.After(few):
	}
}

// few is how long tests wait for an event that may not come.
const few = 5 * time.Second

func (h *testServer) dial(a cluster.Address) *cluster.Cluster {
	h.t.Helper()
	c, err := cluster.Dial(h.t.Context(), a)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(c.Close)
	return c
}

// A fakeDrawer draws frames and saves their pictures in a map. The picture of a frame is the frame's number.
type fakeDrawer struct {
	mu     sync.Mutex
	saved  map[int]string
	drawn  atomic.Int64
	remote bool // acts like a drawer on another machine, which saves nothing
	// draw, if not nil, returns the pictures.
	draw func(ctx context.Context, k int) ([]byte, error)
}

func (s *fakeDrawer) Open(context.Context, cluster.Job) (cluster.Frames, error) { return s, nil }
func (s *fakeDrawer) Close() error                                              { return nil }

func (s *fakeDrawer) Draw(ctx context.Context, k int) ([]byte, error) {
	s.drawn.Add(1)
	if s.draw != nil {
		return s.draw(ctx, k)
	}
	return picture(k), nil
}

func picture(k int) []byte { return fmt.Appendf(nil, "picture %d", k) }

func (s *fakeDrawer) Save(_ context.Context, k int, picture []byte) (bool, error) {
	if s.remote {
		return false, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.saved == nil {
		s.saved = map[int]string{}
	}
	s.saved[k] = string(picture)
	return true, nil
}

// A recordingFollower is a Follower that stores all results.
type recordingFollower struct {
	done   map[int]*cluster.Done
	failed map[int]*cluster.Failure
	faults []*cluster.Fault
	fault  func(*cluster.Fault) error
}

func newRecordingFollower() *recordingFollower {
	return &recordingFollower{done: map[int]*cluster.Done{}, failed: map[int]*cluster.Failure{}}
}

func (l *recordingFollower) Done(k int, d *cluster.Done) error {
	if l.done[k] != nil {
		return fmt.Errorf("frame %d told twice", k)
	}
	l.done[k] = d
	return nil
}
func (l *recordingFollower) Failed(k int, f *cluster.Failure) error { l.failed[k] = f; return nil }
func (l *recordingFollower) Fault(f *cluster.Fault) error {
	l.faults = append(l.faults, f)
	if l.fault != nil {
		return l.fault(f)
	}
	return nil
}

// newJob returns a job with long leases, which do not expire even on a busy machine. A lease is the time for which a
// node owns a frame. If it expired while the node lives, the frame might be drawn twice and would use up a try.
func newJob(frames int) cluster.Job {
	spec := json.RawMessage(`{"mesh":"cube"}`)
	return cluster.Job{ID: cluster.JobID(spec, frames), Name: "cube", Frames: frames, Spec: spec, Lease: time.Minute}
}

// newShortJob returns a job with short leases, for tests in which nodes end without releasing their frames.
func newShortJob(frames int) cluster.Job {
	job := newJob(frames)
	job.Lease = 300 * time.Millisecond
	return job
}

// work starts a node. The node ends with the test, or when stop is called.
func (h *testServer) work(c *cluster.Cluster, name string, p cluster.Drawer) (stop func() error) {
	return h.workWith(c, cluster.WorkOptions{Name: name}, p)
}

func (h *testServer) workWith(c *cluster.Cluster, o cluster.WorkOptions, p cluster.Drawer) (stop func() error) {
	ctx, cancel := context.WithCancel(h.t.Context())
	ended := startNode(ctx, ctx, c, o, p)
	stop = sync.OnceValue(func() error { cancel(); return await(h.t, "the node's end", ended) })
	h.t.Cleanup(func() { stop() })
	return stop
}

// startNode starts a node and returns a channel with its error. The channel also receives if the test has failed and
// ended the node's goroutine.
func startNode(soft, hard context.Context, c *cluster.Cluster, o cluster.WorkOptions, p cluster.Drawer) <-chan error {
	ended := make(chan error, 1)
	go func() {
		err := errors.New("the goroutine that draws was ended")
		defer func() { ended <- err }()
		err = c.Work(soft, hard, p, o)
	}()
	return ended
}

func (h *testServer) prepare(c *cluster.Cluster) {
	h.t.Helper()
	if err := c.Prepare(h.t.Context(), cluster.Limits{}); err != nil {
		h.t.Fatal(err)
	}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestOrder(t *testing.T) {
	if got, want := cluster.Order(9), []int{0, 8, 4, 2, 6, 1, 3, 5, 7}; !slices.Equal(got, want) {
		t.Errorf("order %v, want %v", got, want)
	}
	rapid.Check(t, func(t *rapid.T) {
		order := cluster.Order(rapid.IntRange(0, 2000).Draw(t, "n"))
		sorted := slices.Sorted(slices.Values(order))
		for i, k := range sorted {
			if i != k {
				t.Fatalf("frame %d is missing or there twice", i)
			}
		}
	})
}

func TestAddress(t *testing.T) {
	pin := strings.Repeat("0a", 32)
	a, err := cluster.ParseAddress("nats://host:4222#sha256:" + pin)
	if err != nil || a.Pin != pin || a.URL != "nats://host:4222" || a.String() != "nats://host:4222#sha256:"+pin {
		t.Errorf("%+v, %v", a, err)
	}
	for _, bad := range []string{"", "host:4222", "nats://h#sha256:12", "nats://h#" + pin, "nats://h#sha256:" + pin + "00"} {
		if _, err := cluster.ParseAddress(bad); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}

// TestFilm checks that two nodes draw every frame once. Submitting the job again must add nothing.
func TestFilm(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	c := h.dial(h.admin)
	h.prepare(c)
	job, err := c.Submit(t.Context(), newJob(60))
	check(t, err)
	_, err = c.Submit(t.Context(), newJob(60))
	check(t, err)
	var s fakeDrawer
	a, b := h.work(h.dial(h.worker), "a", &s), h.work(h.dial(h.worker), "b", &s)
	l := newRecordingFollower()
	check(t, c.Follow(t.Context(), job.ID, l))
	if err := errors.Join(a(), b()); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	wantAll(t, &s, l, job)
	if n := s.drawn.Load(); n != 60 {
		t.Errorf("60 frames drawn %d times", n)
	}
	// Following a finished job draws nothing and reports all frames.
	l = newRecordingFollower()
	_, err = c.Submit(t.Context(), newJob(60))
	check(t, err)
	check(t, c.Follow(t.Context(), job.ID, l))
	wantAll(t, &s, l, job)
}

// wantAll checks that every frame is saved and recorded.
func wantAll(t *testing.T, s *fakeDrawer, l *recordingFollower, job cluster.Job) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for k := range job.Frames {
		switch d := l.done[k]; {
		case s.saved[k] != string(picture(k)):
			t.Fatalf("frame %d: kept %q", k, s.saved[k])
		case d == nil || d.Hash != cluster.Hash(picture(k)):
			t.Fatalf("frame %d: recorded %+v", k, d)
		}
	}
	if len(l.failed) > 0 {
		t.Errorf("failed: %v", slices.Collect(maps.Keys(l.failed)))
	}
}

// TestFailingFrame checks that a frame that always fails is given up after Job.Tries attempts. The other frames must be
// drawn. After Retry the failed frame must be drawn, too.
func TestFailingFrame(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	c := h.dial(h.admin)
	h.prepare(c)
	job, err := c.Submit(t.Context(), newJob(10))
	check(t, err)
	var broken atomic.Bool
	var tries atomic.Int64
	broken.Store(true)
	s := fakeDrawer{draw: func(_ context.Context, k int) ([]byte, error) {
		if k == 7 && broken.Load() {
			tries.Add(1)
			return nil, errors.New("out of paint")
		}
		return picture(k), nil
	}}
	h.work(h.dial(h.worker), "a", &s)
	l := newRecordingFollower()
	check(t, c.Follow(t.Context(), job.ID, l))
	f := l.failed[7]
	if len(l.done) != 9 || f == nil || f.Error != "out of paint" || f.Tries != cluster.DefaultTries || tries.Load() != cluster.DefaultTries {
		t.Fatalf("%d done, failure %+v after %d tries", len(l.done), f, tries.Load())
	}
	broken.Store(false)
	check(t, c.Retry(t.Context(), job.ID))
	l = newRecordingFollower()
	check(t, c.Follow(t.Context(), job.ID, l))
	wantAll(t, &s, l, job)
}

// TestTimeout checks that a frame which hangs is given up after Job.Timeout.
func TestTimeout(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	c := h.dial(h.admin)
	h.prepare(c)
	j := newJob(3)
	j.Timeout, j.Tries = 50*time.Millisecond, 2
	job, err := c.Submit(t.Context(), j)
	check(t, err)
	s := fakeDrawer{draw: func(ctx context.Context, k int) ([]byte, error) {
		if k == 1 {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return picture(k), nil
	}}
	h.work(h.dial(h.worker), "a", &s)
	l := newRecordingFollower()
	check(t, c.Follow(t.Context(), job.ID, l))
	if f := l.failed[1]; len(l.done) != 2 || f == nil || f.Error != "took longer than 50ms" || f.Tries != 2 {
		t.Errorf("%d done, failure %+v", len(l.done), f)
	}
}

// TestFault checks two nodes that draw the same frame differently. The node with the wrong picture must be named and
// blocked.
func TestFault(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	c := h.dial(h.admin)
	h.prepare(c)
	job, err := c.Submit(t.Context(), newShortJob(1))
	check(t, err)
	begun, finish := make(chan struct{}), make(chan struct{})
	wrong := fakeDrawer{draw: func(context.Context, int) ([]byte, error) {
		close(begun)
		<-finish
		return []byte("smudge"), nil
	}}
	ended := startNode(t.Context(), t.Context(), h.dial(h.worker), cluster.WithoutHeartbeats("liar"), &wrong)
	await(t, "the wrong node's frame", begun)
	var right fakeDrawer
	h.work(h.dial(h.worker), "honest", &right)
	l := newRecordingFollower()
	check(t, c.Follow(t.Context(), job.ID, l))
	if d := l.done[0]; d.Node != "honest" || d.Hash != cluster.Hash(picture(0)) || len(l.faults) > 0 {
		t.Fatalf("recorded %+v, faults %v", d, l.faults)
	}
	close(finish)
	for len(l.faults) == 0 && t.Context().Err() == nil {
		time.Sleep(10 * time.Millisecond)
		l = newRecordingFollower()
		check(t, c.Follow(t.Context(), job.ID, l))
	}
	x := l.faults[0]
	if x.Frame != 0 || x.Node != "liar" || x.Hash != cluster.Hash([]byte("smudge")) {
		t.Fatalf("fault %+v", x)
	}
	blocked, err := c.Settle(t.Context(), job, x, &cluster.Done{Hash: cluster.Hash(picture(0)), Node: "referee"})
	if err != nil || len(blocked) != 1 || blocked[0].Node != "liar" || blocked[0].Key == "" {
		t.Fatalf("blocked %v, %v", blocked, err)
	}
	if err := <-ended; !errors.Is(err, cluster.ErrBlocked) {
		t.Errorf("the wrong node ended with %v", err)
	}
	if s := right.saved[0]; s != string(picture(0)) || len(wrong.saved) > 0 {
		t.Errorf("kept %q, and of the wrong node %v", s, wrong.saved)
	}
}

// TestFaultFirst checks that a wrong picture is replaced even if it was recorded first.
func TestFaultFirst(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	c := h.dial(h.admin)
	h.prepare(c)
	job, err := c.Submit(t.Context(), newJob(1))
	check(t, err)
	wrong := fakeDrawer{draw: func(context.Context, int) ([]byte, error) { return []byte("smudge"), nil }}
	h.work(h.dial(h.worker), "liar", &wrong)
	check(t, c.Follow(t.Context(), job.ID, newRecordingFollower()))
	x := &cluster.Fault{Frame: 0, Done: cluster.Done{Hash: cluster.Hash(picture(0)), Node: "honest"}}
	right := &cluster.Done{Hash: x.Hash, Node: "referee"}
	blocked, err := c.Settle(t.Context(), job, x, right)
	if err != nil || len(blocked) != 1 || blocked[0].Node != "liar" || blocked[0].Key == "" {
		t.Fatalf("blocked %v, %v", blocked, err)
	}
	s, err := c.Status(t.Context(), job.ID)
	if err != nil || *s.Done[0] != *right {
		t.Errorf("recorded %+v, %v", s.Done[0], err)
	}
}

// TestStorm stops and restarts servers and nodes at random while a film is drawn. Every frame must be recorded exactly
// once.
func TestStorm(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	c := h.dial(h.admin)
	h.prepare(c)
	j := newShortJob(100)
	j.Tries = 50
	job, err := c.Submit(t.Context(), j)
	check(t, err)
	s := fakeDrawer{draw: func(_ context.Context, k int) ([]byte, error) {
		time.Sleep(5 * time.Millisecond)
		return picture(k), nil
	}}
	over := make(chan struct{})
	var storm sync.WaitGroup
	storm.Go(func() {
		r := rand.New(rand.NewPCG(1, 2))
		for i := 0; ; i++ {
			stop := h.work(h.dial(h.worker), fmt.Sprintf("node%d", i), &s)
			select {
			case <-over:
				stop()
				return
			// The pause is sometimes longer than the time that a node waits after its server has restarted.
			case <-time.After(time.Duration(r.IntN(1000)) * time.Millisecond):
			}
			if i%3 == 2 {
				h.s.Close()
				time.Sleep(time.Duration(r.IntN(100)) * time.Millisecond)
				h.start()
			}
			stop()
		}
	})
	l := newRecordingFollower()
	err = c.Follow(t.Context(), job.ID, l)
	close(over)
	storm.Wait()
	check(t, err)
	wantAll(t, &s, l, job)
	t.Logf("%d frames drawn %d times", job.Frames, s.drawn.Load())
}

// TestRights checks that nodes cannot submit, cancel or change jobs.
func TestRights(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	h.prepare(h.dial(h.admin))
	h.worker.Report = nil
	c := h.dial(h.worker)
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	if _, err := c.Submit(ctx, newJob(3)); err == nil {
		t.Error("a node submitted a job")
	}
	if err := h.dial(h.worker).Cancel(ctx, newJob(3).ID); err == nil {
		t.Error("a node cancelled a job")
	}
}

// TestRefused checks the errors for a wrong certificate, a wrong key and an expired certificate.
func TestRefused(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	stranger, _, err := server.NewKey()
	check(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for name, a := range map[string]cluster.Address{
		"not the expected one": {URL: h.worker.URL, Pin: strings.Repeat("00", 32), Seed: h.worker.Seed},
		"not know this key":    {URL: h.worker.URL, Pin: h.worker.Pin, Seed: stranger},
		"wants a key":          {URL: h.worker.URL, Pin: h.worker.Pin},
		"append its hash":      {URL: h.worker.URL, Seed: h.worker.Seed},
		"key:":                 {URL: h.worker.URL, Pin: h.worker.Pin, Seed: []byte("SUA")},
	} {
		c, err := cluster.Dial(ctx, a)
		if err == nil {
			c.Close()
			t.Errorf("%s: connected", name)
		} else if !strings.Contains(err.Error(), strings.TrimSpace(name)) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
	expired, err := link.NewCertificate(time.Now().Add(-48*time.Hour), time.Hour)
	check(t, err)
	old, err := server.Start(server.Options{Dir: t.TempDir(), TLS: expired})
	check(t, err)
	defer old.Close()
	_, err = cluster.Dial(ctx, cluster.Address{URL: "nats://" + old.Addr().String(), Pin: cluster.Fingerprint(expired.Leaf)})
	if err == nil || !strings.Contains(err.Error(), "valid from") {
		t.Errorf("expired certificate: %v", err)
	}
}
