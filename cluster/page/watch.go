package page

import (
	"context"
	"sync"
	"time"

	"lockstep/cluster"
)

// pollInterval is the time between two readings of the lists of jobs and nodes. Frames need no polling: the server
// reports each one as it is recorded.
const pollInterval = time.Second

// maxFollowed limits the films that are followed at once. If there are more, the first in the order of Queue.Jobs are
// followed.
const maxFollowed = 64

// A watcher keeps a model up to date.
type watcher struct {
	cluster  *cluster.Cluster
	jobID    string // the only job to show; empty means all jobs
	model    *model
	followed map[string]jobVersion // by job ID: the version of each job that is followed
	films    sync.WaitGroup
}

// A jobVersion changes when a job is retried or cancelled.
type jobVersion struct {
	round     int
	cancelled bool
}

// run updates the model until ctx ends. It ignores errors, because the server may be restarting.
func (w *watcher) run(ctx context.Context) {
	defer w.films.Wait()
	t := time.NewTicker(pollInterval)
	defer t.Stop()
	for {
		w.refresh(ctx)
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
	}
}

func (w *watcher) refresh(ctx context.Context) {
	ctx2, cancel := context.WithTimeout(ctx, 5*pollInterval)
	defer cancel()
	jobs, err := w.jobs(ctx2)
	if err != nil {
		return
	}
	w.model.setJobs(jobs)
	for _, j := range jobs[:min(len(jobs), maxFollowed)] {
		w.follow(ctx, j)
	}
	nodes, err := w.cluster.Nodes(ctx2)
	if err != nil {
		return
	}
	if blocked, err := w.cluster.Blocked(ctx2); err == nil {
		w.model.setNodes(nodes, blocked)
	}
}

func (w *watcher) jobs(ctx context.Context) ([]cluster.Job, error) {
	jobs, err := w.cluster.Jobs(ctx)
	if err != nil || w.jobID == "" {
		return jobs, err
	}
	for _, j := range jobs {
		if j.ID == w.jobID {
			return []cluster.Job{j}, nil
		}
	}
	return nil, nil
}

// follow starts to follow a job. It does nothing if this version of the job is followed already.
func (w *watcher) follow(ctx context.Context, j cluster.Job) {
	version := jobVersion{j.Round, j.Cancelled}
	previous, known := w.followed[j.ID]
	if known && previous == version {
		return
	}
	if known {
		w.model.resetFailures(j.ID)
	}
	w.followed[j.ID] = version
	w.films.Go(func() {
		_ = w.cluster.Follow(ctx, j.ID, &follower{model: w.model, id: j.ID, begun: time.Now()})
	})
}

// A follower updates the model with the results of frames. It implements cluster.Follower.
type follower struct {
	model *model
	id    string
	begun time.Time
}

// historyTime tells old records from new ones. A follower first receives the records of frames that were drawn before
// it started. Records that arrive within historyTime count as old and do not affect the rate.
const historyTime = time.Second

func (f *follower) isLive() bool { return time.Since(f.begun) > historyTime }

// Done implements cluster.Follower.
func (f *follower) Done(k int, d *cluster.Done) error {
	f.model.setFrame(f.id, k, d, nil, f.isLive())
	return nil
}

// Failed implements cluster.Follower.
func (f *follower) Failed(k int, x *cluster.Failure) error {
	f.model.setFrame(f.id, k, nil, x, f.isLive())
	return nil
}

// Fault implements cluster.Follower. It does nothing, because the submitter resolves faults.
func (*follower) Fault(*cluster.Fault) error { return nil }
