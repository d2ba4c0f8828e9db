package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Work draws frames until ctx ends. It then finishes the current frame, unless abort ends too. If the node is blocked,
// it returns ErrBlocked.
func (c *Participants) Work(ctx, abort context.Context, p Drawer, o WorkOptions) (err error) {
	n, err := c.newNode(p, o)
	if err != nil {
		return err
	}
	abort, leave := context.WithCancel(abort)
	defer leave()
	defer context.AfterFunc(ctx, func() { n.abortWithoutServer(abort, leave) })()
	defer n.close() // deferred calls run in reverse: close finishes the last commit before leave ends abort
	stop := n.announce(ctx)
	defer stop()
	lastDrawn := time.Now()
	for wait := shortestIdle; ; wait = min(2*wait, longestIdle) {
		if !n.nc.IsConnected() { // without a connection, each call would wait for callTimeout
			if o.Idle > 0 && time.Since(lastDrawn) > o.Idle {
				return nil // the server may have ended with the film
			}
			if err := sleep(ctx, longestIdle); err != nil {
				return err
			}
			continue
		}
		if err := n.checkBlocked(ctx); errors.Is(err, ErrBlocked) {
			return err
		}
		drawn, err := n.drawNextJob(ctx, abort)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			pause := reconnectWait
			if errors.As(err, new(*saveError)) { // commitPicture has reported err
				pause = savePause
			} else if o.Report != nil && n.nc.IsConnected() { // a lost connection has been reported already
				o.Report(n.job, -1, err)
			}
			if err := sleep(ctx, pause); err != nil {
				return err
			}
		case drawn:
			lastDrawn, wait = time.Now(), shortestIdle/2
		case o.Idle > 0 && time.Since(lastDrawn) > o.Idle:
			return nil
		default:
			if err := sleep(ctx, wait); err != nil {
				return err
			}
		}
	}
}

// newNode returns a node that draws with p.
func (c *Participants) newNode(p Drawer, o WorkOptions) (n *node, err error) {
	if !validKey(o.Name) {
		return nil, fmt.Errorf("node %q: expected a name of letters, digits, - and _", o.Name)
	}
	n = &node{Cluster: c.cluster, WorkOptions: o, drawer: p, openAfter: map[string]time.Time{}, rechecks: recheckFrames}
	n.commits.node = n
	if n.Seed == nil {
		n.Seed = c.cluster.address.Seed
	}
	if n.signer, err = newSigner(n.Seed); err != nil {
		return nil, err
	}
	n.savePatience = cmp.Or(n.savePatience, savePatience)
	if o.Opened != nil {
		n.job, n.frames = o.Opened.Job, o.Opened.Frames
	}
	return n, nil
}

// abortWithoutServer calls the function `leave` when ctx has ended and the server could not be reached for leaveTime.
// The node then cannot report its frame. The server may have ended at the same time, and will then not come back.
func (n *node) abortWithoutServer(ctx context.Context, leave func()) {
	for away := time.Duration(0); away < leaveTime; away += longestIdle {
		if n.nc.IsConnected() {
			away = 0
		}
		if sleep(ctx, longestIdle) != nil {
			return
		}
	}
	leave()
}

// leaveTime is how long a node that is asked to end waits for a server that it cannot reach.
const leaveTime = time.Second

// Pauses between two requests for the list of jobs while no job has frames to draw. They double from the shortest to
// the longest.
const (
	longestIdle  = 100 * time.Millisecond
	shortestIdle = 5 * time.Millisecond
)

// drawNextJob draws frames of the first job that has any left. It returns when none is left or Turn has passed.
func (n *node) drawNextJob(ctx, abort context.Context) (drawn bool, err error) {
	jobs, err := n.Jobs(ctx)
	if errors.Is(err, jetstream.ErrStreamNotFound) { // no job was ever submitted to this server
		return false, nil
	}
	if err != nil {
		return false, err
	}
	for _, job := range jobs {
		if job.Cancelled || job.Draft || job.Finished != nil || time.Now().Before(n.openAfter[job.ID]) {
			continue
		}
		draw := n.drawJob
		if job.Shared != nil {
			draw = n.drawShared
		}
		if drawn, err := draw(ctx, abort, job); drawn || err != nil {
			return drawn, err
		}
	}
	return false, n.openAhead(ctx, jobs)
}

// openAhead opens a job while its tasks are still being put into the queue, if this node has no other job open. It
// skips a job with files, because the node would wait for the files, which the submitter may never upload.
func (n *node) openAhead(ctx context.Context, jobs []Job) error {
	for _, job := range jobs {
		if job.Draft && n.frames == nil && len(job.Files) == 0 && time.Now().After(n.openAfter[job.ID]) {
			return n.open(ctx, job)
		}
	}
	return nil
}

// drawShared takes part in a shared job, in which all nodes draw each frame together.
func (n *node) drawShared(ctx, _ context.Context, job Job) (drawn bool, err error) {
	sharer, ok := n.drawer.(SharedDrawer)
	if !ok {
		return false, nil
	}
	n.close()
	n.job = job
	began := time.Now()
	if err := sharer.DrawShared(ctx, job, n.Name); err != nil {
		if time.Since(began) > openPauseMost { // forget failures that happened before the node took part
			n.lastPause = 0
		}
		n.pauseJob(job)
		return true, err
	}
	n.lastPause = 0
	n.openAfter[job.ID] = time.Now().Add(sharePause) // the job may have ended, but still be in the list of jobs
	return true, nil
}

// sharePause is how long a node ignores a shared job after it took part in it.
const sharePause = time.Second

// Turn is how long a node draws frames of one job. It then looks for jobs of higher priority, and checks whether it is
// blocked.
const Turn = 2 * time.Second

// drawJob draws frames of a job until none is left or Turn has passed.
func (n *node) drawJob(ctx, abort context.Context, job Job) (drawn bool, err error) {
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
	if opened, err := n.openIfPending(ctx, job, queue); !opened {
		return false, err
	}
	requester, err := n.newRequester(&job)
	if err != nil {
		return false, err
	}
	defer requester.close()
	var next <-chan fetchResult // a task that is fetched ahead, or nil
	for began := time.Now(); ; drawn = true {
		over := time.Since(began) >= Turn || ctx.Err() != nil
		if next == nil {
			if over {
				return drawn, nil
			}
			next = n.startFetch(requester, job, nil)
		}
		got := <-next
		next = nil
		switch {
		case got.err != nil:
			return drawn, got.err
		case got.task == nil:
			return drawn, n.commits.finish(abort)
		case ctx.Err() != nil:
			return drawn, got.task.giveBack()
		case !over && 0 < n.lastDrawTime && n.lastDrawTime < takeAhead && job.Tries > 1:
			next = n.startFetch(requester, job, n.commits.saved)
		}
		if err := n.process(abort, got.task); err != nil {
			if next != nil {
				if ahead := <-next; ahead.task != nil {
					err = errors.Join(err, ahead.task.giveBack())
				}
			}
			return true, err
		}
	}
}

// openIfPending reports whether a job has frames to draw. If so, it opens the job. A node opens a job before it takes
// one of its frames, because a frame that is taken but not drawn counts as an attempt.
func (n *node) openIfPending(ctx context.Context, job Job, queue jetstream.Consumer) (bool, error) {
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

// open prepares for drawing a job, unless that job is open already.
func (n *node) open(ctx context.Context, job Job) error {
	if n.frames != nil && n.job.ID == job.ID {
		n.job = job
		return nil
	}
	n.close()
	frames, err := n.drawer.Open(ctx, job)
	if err != nil {
		n.pauseJob(job)
		return err
	}
	n.job, n.frames, n.lastPause, n.lastDrawTime = job, frames, 0, 0
	return nil
}

// pauseJob makes the node ignore a job for a while. It is called when the node could not open the job or take part in
// it.
func (n *node) pauseJob(job Job) {
	n.lastPause = min(max(2*n.lastPause, openPause), openPauseMost)
	n.openAfter[job.ID] = time.Now().Add(n.lastPause)
}

// Pauses of pauseJob. They double from openPause to openPauseMost. Long pauses help if two nodes have the same name.
// Each of the two disconnects the other when it joins a shared job. Without pauses the film would make no progress.
const (
	openPause     = 2 * time.Second
	openPauseMost = time.Minute
)

// close waits for the last commit and closes the frames of the current job.
func (n *node) close() {
	n.commits.running.Wait()
	n.commits.sendAck()
	if n.frames != nil {
		n.frames.Close()
		n.frames = nil
	}
}
