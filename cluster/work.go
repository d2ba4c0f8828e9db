package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// A Painter knows how to draw jobs. Its methods are called by one goroutine at a time, as are
// those of Frames, but for Keep: a picture is kept while the next one is drawn.
type Painter interface {
	// Open gets ready for a job. It returns what draws its frames, which Work keeps as
	// long as it draws this job and closes then.
	Open(ctx context.Context, job Job) (Frames, error)
}

// A Sharer is a Painter that can also draw frames together with others.
type Sharer interface {
	// Share takes part in a shared job under a node's name until the job has ended or its
	// submitter has left, which are no errors.
	Share(ctx context.Context, job Job, name string) error
}

// Frames draws the frames of one job.
type Frames interface {
	// Draw returns frame k's picture, the same bytes on every machine. The slice may be
	// used again by the next call. An error may be Recurring: then the frame is not tried again.
	Draw(ctx context.Context, k int) ([]byte, error)
	// Keep stores the picture where the submitter finds it. It is durable when Keep returns.
	// It returns false where this machine and the submitter share no folder: the picture is
	// then handed over by way of the server.
	Keep(ctx context.Context, k int, picture []byte) (kept bool, err error)
	Close() error
}

// A Filer is Frames that keep pictures in files.
type Filer interface {
	// File returns what the system changes whenever somebody writes to the file of the last
	// picture that was kept, or replaces it; "" where it does not say.
	File() string
}

// WorkOptions say how a node works.
type WorkOptions struct {
	Name string // of the node: letters, digits, - and _; one node at a time has it
	// Idle ends Work without an error when there has been nothing to draw for so long;
	// 0: never.
	Idle time.Duration
	// Report, unless nil, is told of frames that failed. Calls may overlap.
	Report func(job Job, frame int, err error)
	// Opened, unless nil, is a job that the painter has opened already. Work closes its frames.
	Opened *Opened

	noHeartbeat bool // for tests: leases end while frames are drawn
}

// Opened is a job whose frames can be drawn.
type Opened struct {
	Job    Job
	Frames Frames
}

// A node is what Work works with.
type node struct {
	*Cluster
	WorkOptions
	painter Painter
	job     Job // that frames draw
	frames  Frames
	commits commit
	busy    gauge
	usual   time.Duration        // the latest frame of the job in hand took; 0: there was none
	slow    map[string]time.Time // jobs that could not be opened, and until when they are left alone
	pauses  time.Duration        // how long the last of them is left alone
	lost    int                  // connections, when a frame was last begun
	doubts  int                  // how many of the next frames may be done already
}

// Work draws frames until ctx ends. A frame in hand is finished then, unless the
// context of the second argument ends as well. It returns ErrBlocked when the node was
// shut out.
func (c *Cluster) Work(ctx, hard context.Context, p Painter, o WorkOptions) error {
	if !validKey(o.Name) {
		return fmt.Errorf("node %q: expected a name of letters, digits, - and _", o.Name)
	}
	n := &node{Cluster: c, WorkOptions: o, painter: p, slow: map[string]time.Time{}, doubts: doubtful}
	n.commits.node = n
	if o.Opened != nil {
		n.job, n.frames = o.Opened.Job, o.Opened.Frames
	}
	hard, leave := context.WithCancel(hard)
	defer leave()
	defer context.AfterFunc(ctx, func() { n.leaveUnheard(hard, leave) })()
	defer n.close() // before hard ends, which the last commit would end with
	stop := n.appear(ctx)
	defer stop()
	idle := time.Now()
	for rest := restLeast; ; rest = min(2*rest, pause) {
		if !n.nc.IsConnected() { // calls would wait long for an answer
			if o.Idle > 0 && time.Since(idle) > o.Idle {
				return nil // the server may have ended with the film
			}
			if err := sleep(ctx, pause); err != nil {
				return err
			}
			continue
		}
		if err := n.checkBlocked(ctx); errors.Is(err, ErrBlocked) {
			return err
		}
		drawn, err := n.round(ctx, hard)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			if o.Report != nil && n.nc.IsConnected() { // else that was told
				o.Report(n.job, -1, err)
			}
			if err := sleep(ctx, reconnectWait); err != nil {
				return err
			}
		case drawn:
			idle, rest = time.Now(), restLeast/2
		case o.Idle > 0 && time.Since(idle) > o.Idle:
			return nil
		default:
			if err := sleep(ctx, rest); err != nil {
				return err
			}
		}
	}
}

// leaveUnheard ends a node that is to leave when it cannot say what became of its frame: a server
// that ended at the same time does not come back.
func (n *node) leaveUnheard(ctx context.Context, leave func()) {
	for away := time.Duration(0); away < leaveTime; away += pause {
		if n.nc.IsConnected() {
			away = 0
		}
		if sleep(ctx, pause) != nil {
			return
		}
	}
	leave()
}

// leaveTime is how long a node that is to leave waits for a server that is away.
const leaveTime = time.Second

// pause is between two looks for jobs where there was nothing to do, after shorter ones from
// restLeast on; fetchWait, how long a request for a frame waits at the server.
const (
	pause     = 100 * time.Millisecond
	restLeast = 5 * time.Millisecond
	fetchWait = 250 * time.Millisecond
)

// round draws frames of the first job that has any, until it has none or is due to be
// compared with the other jobs' priorities.
func (n *node) round(ctx, hard context.Context) (drawn bool, err error) {
	jobs, err := n.Jobs(ctx)
	if errors.Is(err, jetstream.ErrBucketNotFound) { // the first submitter has yet to make it
		return false, nil
	}
	if err != nil {
		return false, err
	}
	for _, job := range jobs {
		if job.Cancelled || job.Draft || job.Finished != nil || time.Now().Before(n.slow[job.ID]) {
			continue
		}
		draw := n.drawJob
		if job.Shared != nil {
			draw = n.share
		}
		if drawn, err := draw(ctx, hard, job); drawn || err != nil {
			return drawn, err
		}
	}
	return false, n.openAhead(ctx, jobs)
}

// openAhead gets ready for a job whose tasks are on their way into the queue, for a node that has
// nothing else to do. Files that its submitter may never send are not waited for.
func (n *node) openAhead(ctx context.Context, jobs []Job) error {
	for _, job := range jobs {
		if job.Draft && n.frames == nil && len(job.Files) == 0 && time.Now().After(n.slow[job.ID]) {
			return n.open(ctx, job)
		}
	}
	return nil
}

// share takes part in a shared job.
func (n *node) share(ctx, _ context.Context, job Job) (drawn bool, err error) {
	sharer, ok := n.painter.(Sharer)
	if !ok {
		return false, nil
	}
	n.close()
	n.job = job
	n.slow[job.ID] = time.Now().Add(sharePause) // it may have ended, and stays in the list
	return true, sharer.Share(ctx, job, n.Name)
}

// sharePause is how long a node leaves a shared job alone after it took part.
const sharePause = time.Second

// Turn is how long a node stays with a job before it looks at the list of jobs again, and
// whether it was shut out.
const Turn = 2 * time.Second

// drawJob draws frames of a job for a while.
func (n *node) drawJob(ctx, hard context.Context, job Job) (drawn bool, err error) {
	var queue jetstream.Consumer
	err = n.call(ctx, func(ctx context.Context) (err error) {
		queue, err = n.js.Consumer(ctx, frameStream, consumerName(job.ID))
		return err
	})
	if errors.Is(err, jetstream.ErrConsumerNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if ready, err := n.ready(ctx, job, queue); !ready {
		return false, err
	}
	desk, err := n.openDesk(&job)
	if err != nil {
		return false, err
	}
	defer desk.close()
	var next <-chan taken // what was asked for ahead
	for began := time.Now(); ; drawn = true {
		over := time.Since(began) >= Turn || ctx.Err() != nil
		if next == nil {
			if over {
				return drawn, nil
			}
			next = n.take(desk, job, nil)
		}
		got := <-next
		next = nil
		switch {
		case got.err != nil:
			return drawn, got.err
		case got.task == nil:
			return drawn, n.commits.end(hard)
		case ctx.Err() != nil:
			return drawn, got.task.giveBack()
		case !over && 0 < n.usual && n.usual < takeAhead && job.Tries > 1:
			next = n.take(desk, job, n.commits.kept)
		}
		if err := n.task(hard, got.task); err != nil {
			if next != nil {
				if ahead := <-next; ahead.task != nil {
					err = errors.Join(err, ahead.task.giveBack())
				}
			}
			return true, err
		}
	}
}

// ready opens a job of which there are frames to draw. A node that cannot open it takes no
// frame of it, which would count as one of the frame's tries.
func (n *node) ready(ctx context.Context, job Job, queue jetstream.Consumer) (bool, error) {
	if n.frames == nil || n.job.ID != job.ID {
		var info *jetstream.ConsumerInfo
		err := n.call(ctx, func(ctx context.Context) (err error) {
			info, err = queue.Info(ctx)
			return err
		})
		if err != nil || info.NumPending == 0 && info.NumAckPending == 0 {
			return false, err
		}
	}
	if err := n.open(ctx, job); err != nil {
		return false, err
	}
	return true, nil
}

// open gets ready for a job, unless it is the one in hand.
func (n *node) open(ctx context.Context, job Job) error {
	if n.frames != nil && n.job.ID == job.ID {
		n.job = job
		return nil
	}
	n.close()
	frames, err := n.painter.Open(ctx, job)
	if err != nil {
		n.pauses = min(max(2*n.pauses, openPause), openPauseMost)
		n.slow[job.ID] = time.Now().Add(n.pauses)
		return err
	}
	n.job, n.frames, n.pauses, n.usual = job, frames, 0, 0
	return nil
}

// openPause is how long a node leaves a job alone that it could not open: at first, and at most.
const (
	openPause     = 2 * time.Second
	openPauseMost = time.Minute
)

// close ends what draws the job in hand, after its last commit.
func (n *node) close() {
	n.commits.under.Wait()
	n.commits.tellDone()
	if n.frames != nil {
		n.frames.Close()
		n.frames = nil
	}
}

// record records a picture unless another node was first, whose hash must be the same.
func (n *node) record(ctx context.Context, job Job, frame int, d *Done) error {
	b, err := json.Marshal(d)
	if err != nil {
		return err
	}
	err = n.with(ctx, doneStore, func(ctx context.Context, kv jetstream.KeyValue) error {
		_, err := kv.Create(ctx, frameKey(job.ID, frame), b)
		return err
	})
	if !errors.Is(err, jetstream.ErrKeyExists) {
		return err
	}
	first, err := n.Recorded(ctx, job, frame)
	if err != nil || first == nil || first.Hash == d.Hash {
		return err
	}
	return n.put(ctx, faultStore, frameKey(job.ID, frame)+"."+n.Name, Fault{Frame: frame, Hash: d.Hash, Node: n.Name})
}

// Recorded returns the record of a frame, nil where there is none.
func (c *Cluster) Recorded(ctx context.Context, job Job, frame int) (*Done, error) {
	var d Done
	err := c.get(ctx, doneStore, frameKey(job.ID, frame), &d)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &d, nil
}

// giveUp records that a frame failed and takes it out of the queue.
func (n *node) giveUp(ctx context.Context, job Job, frame int, m receipt, f *Failure) error {
	if err := n.Fail(ctx, job, frame, f); err != nil {
		return err
	}
	return m.TermWithReason("given up")
}

// holdLease renews the lease on a frame until release is called.
func (n *node) holdLease(m receipt, lease time.Duration) (release func()) {
	if n.noHeartbeat {
		return func() {}
	}
	done := make(chan struct{})
	var ended sync.WaitGroup
	ended.Go(func() {
		t := time.NewTicker(lease / 3)
		defer t.Stop()
		for {
			select {
			case <-done:
				return
			case <-t.C:
				_ = m.InProgress() // a lost connection is met by what follows
			}
		}
	})
	return func() { close(done); ended.Wait() }
}
