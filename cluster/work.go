package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Work draws frames until ctx ends. A frame in hand is finished then, unless the
// context of the second argument ends as well. It returns ErrBlocked when the node was
// shut out.
func (c *Participants) Work(ctx, hard context.Context, p Painter, o WorkOptions) error {
	if !validKey(o.Name) {
		return fmt.Errorf("node %q: expected a name of letters, digits, - and _", o.Name)
	}
	n := &node{Cluster: c.all, WorkOptions: o, painter: p, slow: map[string]time.Time{}, doubts: doubtful}
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
// restLeast on.
const (
	pause     = 100 * time.Millisecond
	restLeast = 5 * time.Millisecond
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
