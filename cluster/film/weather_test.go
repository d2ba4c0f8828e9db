package film

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"lockstep/cluster"
	"lockstep/cluster/server"
	"lockstep/internal/clitest"
	"lockstep/internal/testrelay"
	"lockstep/render/recipe"
)

// The tests in this file draw films under bad conditions: links that are cut, slow or lossy, nodes that start late, and
// servers that move. Other tests cut links for longer than a call waits (TestSilentLink in package cluster), fill disks
// and kill processes (cmd/renderfarm).

// A weather is a server and a film of a cube. Its tests draw the film with that server under bad conditions.
type weather struct {
	*testing.T
	options server.Options
	server  *server.Server
	film    Film
}

// newWeather starts a server for a film with the given number of frames.
func newWeather(t *testing.T, frames int) *weather {
	t.Parallel()
	w := &weather{T: t, options: server.Options{Dir: t.TempDir(), SyncLater: true}}
	w.start()
	if err := w.dial("").Prepare(t.Context(), cluster.Limits{}); err != nil {
		t.Fatal(err)
	}
	dir, mesh := clitest.CubeFile(t)
	w.film = cubes(mesh, dir+"/out")
	w.film.Animation.Frames, w.film.Open, w.film.Lease = frames, true, time.Second
	return w
}

// The method start starts the server, at its earlier port if it had one. It reports an error with Errorf, which does
// not end the calling goroutine, because the caller may be a goroutine of a node.
func (w *weather) start() {
	// The loop is needed because another program may use the port for a moment.
	for end := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		s, err := server.Start(w.options)
		if err == nil {
			w.server, w.options.Port = s, s.Addr().Port
			w.Cleanup(s.Close)
			return
		}
		if time.Now().After(end) {
			w.Errorf("the server does not start: %v", err)
			return
		}
	}
}

// dial connects to the server, or to the relay at the address through if that is not empty.
func (w *weather) dial(through string) *cluster.Cluster {
	w.Helper()
	if through == "" {
		through = w.server.Addr().String()
	}
	conn, err := cluster.Dial(w.Context(), cluster.Address{URL: "nats://" + through})
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(conn.Close)
	return conn
}

// relay returns a relay to the server.
func (w *weather) relay() *testrelay.Relay { return testrelay.New(w, w.server.Addr().String()) }

// open opens the film.
func (w *weather) open(o Options) *Submission {
	w.Helper()
	o.Drawer = recipe.Drawer{Workers: 1}
	o.Warn = func(line string) { w.Log(line) }
	s, err := Open(w.Context(), w.film, o)
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { s.Close() })
	return s
}

// draw draws a film and checks its pictures.
func (w *weather) draw(s *Submission, conn *cluster.Cluster) {
	w.Helper()
	ctx, cancel := context.WithTimeout(w.Context(), patience)
	defer cancel()
	if err := s.Draw(ctx, conn); err != nil {
		w.Fatal(err)
	}
	wantAnimation(w.T, s)
}

// wantAnimation checks that the pictures of a film equal the pictures that one process draws.
func wantAnimation(t *testing.T, s *Submission) {
	t.Helper()
	k := 0
	if err := new(recipe.Drawer).Frames(t.Context(), s.Film.Animation, recipe.Output{}, func(_ int, file []byte) error {
		if got := clitest.Read(t, s.names.Name(k)); !bytes.Equal(got, file) {
			t.Errorf("frame %d differs", k)
		}
		k++
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// The function at returns a callback for Node.Begun that calls f when n frames have been begun.
func at(n int, f func()) func(cluster.Job, int) {
	var begun atomic.Int64
	var once sync.Once
	return func(cluster.Job, int) {
		if begun.Add(1) >= int64(n) {
			once.Do(f)
		}
	}
}

// cutFor cuts a link for the given time. It does not wait for the end of that time.
func cutFor(r *testrelay.Relay, d time.Duration) {
	mend := r.Cut()
	time.AfterFunc(d, mend)
}

// The function times returns the duration short. With -long it returns the duration whole, the length of an event that
// once caused a failure.
func times(short, whole time.Duration) time.Duration {
	if *long {
		return whole
	}
	return short
}

// TestOneLinkIsCut cuts the link of one of two nodes for several leases (s1).
func TestOneLinkIsCut(t *testing.T) {
	w := newWeather(t, 40)
	s := w.open(Options{})
	r := w.relay()
	startNode(t, &Node{Cluster: w.dial(r.Addr()), Name: "a", Workers: 1, Begun: at(3, func() { cutFor(r, times(3*time.Second, 12*time.Second)) })})
	startNode(t, &Node{Cluster: w.dial(""), Name: "b", Workers: 1})
	w.draw(s, w.dial(""))
}

// TestLateLossyLink draws with a node that shares no folder with the submitter, over a slow link on which a twentieth
// of the data is sent again (s2).
func TestLateLossyLink(t *testing.T) {
	frames := 5
	if *long {
		frames = 60
	}
	w := newWeather(t, frames)
	s := w.open(Options{})
	for _, f := range s.local.sources { // gives the files other times, as on another machine
		if err := os.Chtimes(f.Path, time.Time{}, time.Unix(1e9, 0)); err != nil {
			t.Fatal(err)
		}
	}
	clitest.Write(t, filepath.Join(s.names.Folder(), Folder, tokenName), "another word")
	r := w.relay()
	node := &Node{Cluster: w.dial(r.Addr()), Name: "far", Workers: 1, Cache: Cache{Dir: t.TempDir()}}
	r.Slow(times(50*time.Millisecond, 200*time.Millisecond), 0.05)
	startNode(t, node)
	w.draw(s, w.dial(""))
	for k, d := range s.done {
		if !d.Stored && d.Node != SubmitterName {
			t.Errorf("frame %d did not come by the server: %+v", k, d)
		}
	}
}

// TestEveryLinkIsCut cuts all links, including the submitter's (s3).
func TestEveryLinkIsCut(t *testing.T) {
	w := newWeather(t, 30)
	s := w.open(Options{})
	r := w.relay()
	for i := range 2 {
		startNode(t, &Node{Cluster: w.dial(r.Addr()), Name: fmt.Sprint("n", i), Workers: 1, Begun: at(4, func() { cutFor(r, times(3*time.Second, time.Minute)) })})
	}
	w.draw(s, w.dial(r.Addr()))
}

// TestServerMovesAndComesBack starts a film without nodes, and then moves the server to another port for a while
// (s4).
func TestServerMovesAndComesBack(t *testing.T) {
	w := newWeather(t, 30)
	conn := w.dial("")
	submitted := make(chan bool, 1)
	s := w.open(Options{Submitted: func() { submitted <- true }})
	drawn := make(chan bool)
	go func() { // so that the nodes start late
		defer close(drawn)
		<-submitted
		time.Sleep(300 * time.Millisecond)
		startNode(t, &Node{Cluster: w.dial(""), Name: "late", Workers: 1, Begun: at(5, func() {
			port := w.options.Port
			w.server.Close()
			w.options.Port = 0
			w.start()
			time.Sleep(times(time.Second, 10*time.Second))
			w.server.Close()
			w.options.Port = port
			w.start()
		})})
	}()
	w.draw(s, conn)
	<-drawn
}

// TestSameFilmAtOnce submits the same film twice at the same time, into the same folder and into another folder (s7).
func TestSameFilmAtOnce(t *testing.T) {
	w := newWeather(t, 20)
	for i := range 2 {
		startNode(t, &Node{Cluster: w.dial(""), Name: fmt.Sprint("n", i), Workers: 1})
	}
	films := []*Submission{w.open(Options{}), w.open(Options{})}
	w.film.Output.File += "-other"
	films = append(films, w.open(Options{}))
	if films[0].id != films[1].id || films[0].id == films[2].id {
		t.Error("they are not the films that were meant")
	}
	t.Run("films", func(t *testing.T) {
		for i, s := range films {
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				t.Parallel()
				(&weather{T: t}).draw(s, w.dial(""))
			})
		}
	})
}

// A distantNode connects to the root of a shared film through a relay.
type distantNode struct {
	*Node
	t     *testing.T
	relay chan *testrelay.Relay
}

func (n *distantNode) DrawShared(ctx context.Context, job cluster.Job, name string) error {
	r := testrelay.New(n.t, job.Shared.Addresses[0])
	select {
	case n.relay <- r:
	default:
	}
	job.Shared = &cluster.Shared{Secret: job.Shared.Secret, Addresses: []string{r.Addr()}}
	return n.Node.DrawShared(ctx, job, name)
}

// TestPartOfPictureIsCut cuts the link of one of two nodes that draw each frame together (s12).
func TestPartOfPictureIsCut(t *testing.T) {
	w := newWeather(t, 60)
	w.film.Shared, w.film.Open = true, false
	relays := make(chan *testrelay.Relay, 1)
	frames := 0
	s := w.open(Options{Processes: 2, Settled: func(n int) {
		if frames += n; frames-n < 5 && frames >= 5 {
			cutFor(<-relays, times(3*time.Second, 20*time.Second))
		}
	}})
	startNode(t, &Node{Cluster: w.dial(""), Name: "near", Workers: 1})
	conn := w.dial("")
	ctx, end := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		n := &distantNode{&Node{Cluster: conn, Name: "far", Workers: 1}, t, relays}
		ended <- conn.Work(ctx, ctx, n, cluster.WorkOptions{Name: "far"})
	}()
	t.Cleanup(func() { end(); <-ended })
	w.draw(s, w.dial(""))
}
