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

// A house is a server that tests may kill and start again, with its keys.
type house struct {
	t      testing.TB
	o      server.Options
	s      *server.Server
	admin  cluster.Address
	worker cluster.Address
}

func newHouse(t testing.TB) *house {
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
	h := &house{t: t, o: server.Options{Dir: t.TempDir(), TLS: cert, SubmitKey: submitPublic, NodeKey: workPublic}}
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

// start starts the server, again at its port, which a connection of another program may have taken for a
// moment. Goroutines that draw call it, too: an error must not end them, for nobody would hear of it.
func (h *house) start() {
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

// patience bounds what tests wait for.
const patience = 2 * time.Minute

// await waits for a value, or for the end of a channel.
func await[T any](t testing.TB, what string, c <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-c:
	case <-time.After(patience):
		t.Fatalf("%s: it does not come", what)
	}
	return v
}

func (h *house) dial(a cluster.Address) *cluster.Cluster {
	h.t.Helper()
	c, err := cluster.Dial(h.t.Context(), a)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(c.Close)
	return c
}

// A studio draws frames whose pictures are their numbers, and keeps them.
type studio struct {
	mu    sync.Mutex
	kept  map[int]string
	drawn atomic.Int64
	apart bool // keeps nothing
	// draw, unless nil, replaces the picture.
	draw func(ctx context.Context, k int) ([]byte, error)
}

func (s *studio) Open(context.Context, cluster.Job) (cluster.Frames, error) { return s, nil }
func (s *studio) Close() error                                              { return nil }

func (s *studio) Draw(ctx context.Context, k int) ([]byte, error) {
	s.drawn.Add(1)
	if s.draw != nil {
		return s.draw(ctx, k)
	}
	return picture(k), nil
}

func picture(k int) []byte { return fmt.Appendf(nil, "picture %d", k) }

func (s *studio) Save(_ context.Context, k int, picture []byte) (bool, error) {
	if s.apart {
		return false, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept == nil {
		s.kept = map[int]string{}
	}
	s.kept[k] = string(picture)
	return true, nil
}

// A ledger is a follower that writes everything down.
type ledger struct {
	done   map[int]*cluster.Done
	failed map[int]*cluster.Failure
	faults []*cluster.Fault
	fault  func(*cluster.Fault) error
}

func newLedger() *ledger {
	return &ledger{done: map[int]*cluster.Done{}, failed: map[int]*cluster.Failure{}}
}

func (l *ledger) Done(k int, d *cluster.Done) error {
	if l.done[k] != nil {
		return fmt.Errorf("frame %d told twice", k)
	}
	l.done[k] = d
	return nil
}
func (l *ledger) Failed(k int, f *cluster.Failure) error { l.failed[k] = f; return nil }
func (l *ledger) Fault(f *cluster.Fault) error {
	l.faults = append(l.faults, f)
	if l.fault != nil {
		return l.fault(f)
	}
	return nil
}

func newJob(frames int) cluster.Job {
	spec := json.RawMessage(`{"mesh":"cube"}`)
	return cluster.Job{ID: cluster.JobID(spec, frames), Name: "cube", Frames: frames, Spec: spec, Lease: 300 * time.Millisecond}
}

// work starts a node that ends with the test, or when stop is called.
func (h *house) work(c *cluster.Cluster, name string, p cluster.Drawer) (stop func() error) {
	return h.workWith(c, cluster.WorkOptions{Name: name}, p)
}

func (h *house) workWith(c *cluster.Cluster, o cluster.WorkOptions, p cluster.Drawer) (stop func() error) {
	ctx, cancel := context.WithCancel(h.t.Context())
	ended := working(ctx, ctx, c, o, p)
	stop = sync.OnceValue(func() error { cancel(); return await(h.t, "the node's end", ended) })
	h.t.Cleanup(func() { stop() })
	return stop
}

// working starts a node, and returns what delivers the error that it ends with, also if a test that has failed
// ends its goroutine.
func working(soft, hard context.Context, c *cluster.Cluster, o cluster.WorkOptions, p cluster.Drawer) <-chan error {
	ended := make(chan error, 1)
	go func() {
		err := errors.New("the goroutine that draws was ended")
		defer func() { ended <- err }()
		err = c.Work(soft, hard, p, o)
	}()
	return ended
}

func (h *house) prepare(c *cluster.Cluster) {
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

// Two nodes draw every frame once, and a job that is submitted again adds nothing.
func TestFilm(t *testing.T) {
	h := newHouse(t)
	c := h.dial(h.admin)
	h.prepare(c)
	job, err := c.Submit(t.Context(), newJob(60))
	check(t, err)
	_, err = c.Submit(t.Context(), newJob(60))
	check(t, err)
	var s studio
	a, b := h.work(h.dial(h.worker), "a", &s), h.work(h.dial(h.worker), "b", &s)
	l := newLedger()
	check(t, c.Follow(t.Context(), job.ID, l))
	if err := errors.Join(a(), b()); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	wantAll(t, &s, l, job)
	if n := s.drawn.Load(); n != 60 {
		t.Errorf("60 frames drawn %d times", n)
	}
	// All of it is recorded: to follow again draws nothing and tells all.
	l = newLedger()
	_, err = c.Submit(t.Context(), newJob(60))
	check(t, err)
	check(t, c.Follow(t.Context(), job.ID, l))
	wantAll(t, &s, l, job)
}

// wantAll checks that every frame is kept and recorded.
func wantAll(t *testing.T, s *studio, l *ledger, job cluster.Job) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for k := range job.Frames {
		switch d := l.done[k]; {
		case s.kept[k] != string(picture(k)):
			t.Fatalf("frame %d: kept %q", k, s.kept[k])
		case d == nil || d.Hash != cluster.Hash(picture(k)):
			t.Fatalf("frame %d: recorded %+v", k, d)
		}
	}
	if len(l.failed) > 0 {
		t.Errorf("failed: %v", slices.Collect(maps.Keys(l.failed)))
	}
}

// A frame that always fails is given up with its error after so many tries, the others
// are drawn, and it is drawn when it is asked for again.
func TestPoison(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	c := h.dial(h.admin)
	h.prepare(c)
	job, err := c.Submit(t.Context(), newJob(10))
	check(t, err)
	var broken atomic.Bool
	var tries atomic.Int64
	broken.Store(true)
	s := studio{draw: func(_ context.Context, k int) ([]byte, error) {
		if k == 7 && broken.Load() {
			tries.Add(1)
			return nil, errors.New("out of paint")
		}
		return picture(k), nil
	}}
	h.work(h.dial(h.worker), "a", &s)
	l := newLedger()
	check(t, c.Follow(t.Context(), job.ID, l))
	f := l.failed[7]
	if len(l.done) != 9 || f == nil || f.Error != "out of paint" || f.Tries != cluster.DefaultTries || tries.Load() != cluster.DefaultTries {
		t.Fatalf("%d done, failure %+v after %d tries", len(l.done), f, tries.Load())
	}
	broken.Store(false)
	check(t, c.Retry(t.Context(), job.ID))
	l = newLedger()
	check(t, c.Follow(t.Context(), job.ID, l))
	wantAll(t, &s, l, job)
}

// A frame that hangs is given up after its time.
func TestTimeout(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	c := h.dial(h.admin)
	h.prepare(c)
	j := newJob(3)
	j.Timeout, j.Tries = 50*time.Millisecond, 2
	job, err := c.Submit(t.Context(), j)
	check(t, err)
	s := studio{draw: func(ctx context.Context, k int) ([]byte, error) {
		if k == 1 {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return picture(k), nil
	}}
	h.work(h.dial(h.worker), "a", &s)
	l := newLedger()
	check(t, c.Follow(t.Context(), job.ID, l))
	if f := l.failed[1]; len(l.done) != 2 || f == nil || f.Error != "took longer than 50ms" || f.Tries != 2 {
		t.Errorf("%d done, failure %+v", len(l.done), f)
	}
}

// Of two nodes that draw a frame at the same time one is wrong: it is named and shut out.
func TestFault(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	c := h.dial(h.admin)
	h.prepare(c)
	job, err := c.Submit(t.Context(), newJob(1))
	check(t, err)
	begun, finish := make(chan struct{}), make(chan struct{})
	wrong := studio{draw: func(context.Context, int) ([]byte, error) {
		close(begun)
		<-finish
		return []byte("smudge"), nil
	}}
	ended := make(chan error, 1)
	go func() { ended <- h.dial(h.worker).Work(t.Context(), t.Context(), &wrong, cluster.Silent("liar")) }()
	<-begun
	var right studio
	h.work(h.dial(h.worker), "honest", &right)
	l := newLedger()
	check(t, c.Follow(t.Context(), job.ID, l))
	if d := l.done[0]; d.Node != "honest" || d.Hash != cluster.Hash(picture(0)) || len(l.faults) > 0 {
		t.Fatalf("recorded %+v, faults %v", d, l.faults)
	}
	close(finish)
	for len(l.faults) == 0 && t.Context().Err() == nil {
		time.Sleep(10 * time.Millisecond)
		l = newLedger()
		check(t, c.Follow(t.Context(), job.ID, l))
	}
	x := l.faults[0]
	if x.Frame != 0 || x.Node != "liar" || x.Hash != cluster.Hash([]byte("smudge")) {
		t.Fatalf("fault %+v", x)
	}
	blocked, err := c.Settle(t.Context(), job, x, &cluster.Done{Hash: cluster.Hash(picture(0)), Node: "referee"})
	if err != nil || !slices.Equal(blocked, []string{"liar"}) {
		t.Fatalf("blocked %v, %v", blocked, err)
	}
	if err := <-ended; !errors.Is(err, cluster.ErrBlocked) {
		t.Errorf("the wrong node ended with %v", err)
	}
	if s := right.kept[0]; s != string(picture(0)) || len(wrong.kept) > 0 {
		t.Errorf("kept %q, and of the wrong node %v", s, wrong.kept)
	}
}

// A wrong picture that was recorded first is replaced.
func TestFaultFirst(t *testing.T) {
	h := newHouse(t)
	c := h.dial(h.admin)
	h.prepare(c)
	job, err := c.Submit(t.Context(), newJob(1))
	check(t, err)
	wrong := studio{draw: func(context.Context, int) ([]byte, error) { return []byte("smudge"), nil }}
	h.work(h.dial(h.worker), "liar", &wrong)
	check(t, c.Follow(t.Context(), job.ID, newLedger()))
	x := &cluster.Fault{Frame: 0, Hash: cluster.Hash(picture(0)), Node: "honest"}
	right := &cluster.Done{Hash: x.Hash, Node: "referee"}
	blocked, err := c.Settle(t.Context(), job, x, right)
	if err != nil || !slices.Equal(blocked, []string{"liar"}) {
		t.Fatalf("blocked %v, %v", blocked, err)
	}
	s, err := c.Status(t.Context(), job.ID)
	if err != nil || *s.Done[0] != *right {
		t.Errorf("recorded %+v, %v", s.Done[0], err)
	}
}

// Servers and nodes come and go at random while a film is drawn; nothing is lost or
// recorded twice.
func TestStorm(t *testing.T) {
	h := newHouse(t)
	c := h.dial(h.admin)
	h.prepare(c)
	j := newJob(100)
	j.Tries = 50
	job, err := c.Submit(t.Context(), j)
	check(t, err)
	s := studio{draw: func(_ context.Context, k int) ([]byte, error) {
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
			// Longer, at times, than a node waits whose server was just started again.
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
	l := newLedger()
	err = c.Follow(t.Context(), job.ID, l)
	close(over)
	storm.Wait()
	check(t, err)
	wantAll(t, &s, l, job)
	t.Logf("%d frames drawn %d times", job.Frames, s.drawn.Load())
}

// Nodes cannot submit, cancel or change anything.
func TestRights(t *testing.T) {
	h := newHouse(t)
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

// A wrong certificate, a wrong key and an expired certificate are refused with one line.
func TestRefused(t *testing.T) {
	h := newHouse(t)
	stranger, _, err := server.NewKey()
	check(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for name, a := range map[string]cluster.Address{
		"not the expected one": {URL: h.worker.URL, Pin: strings.Repeat("00", 32), Seed: h.worker.Seed},
		"not know this key":    {URL: h.worker.URL, Pin: h.worker.Pin, Seed: stranger},
		"wants a key":          {URL: h.worker.URL, Pin: h.worker.Pin},
		"the address wants":    {URL: h.worker.URL, Seed: h.worker.Seed},
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
