package page

import (
	"context"
	"sync"
	"time"

	"lockstep/cluster"
)

// pollTime is between two looks at the lists of jobs and nodes. Frames come as they are
// recorded.
const pollTime = time.Second

// maxFollowed bounds the films that are followed at once, the first of cluster.Jobs.
const maxFollowed = 64

// A watcher keeps a model up to date.
type watcher struct {
	cluster *cluster.Cluster
	only    string // job; "": all
	model   *model
	rounds  map[string]round // of films that were or are followed
	films   sync.WaitGroup
}

// A round tells a film from the same one whose frames were asked for again.
type round struct {
	round     int
	cancelled bool
}

// run watches until ctx ends. What fails is tried again: the server may come back.
func (w *watcher) run(ctx context.Context) {
	defer w.films.Wait()
	t := time.NewTicker(pollTime)
	defer t.Stop()
	for {
		w.look(ctx)
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
	}
}

func (w *watcher) look(ctx context.Context) {
	ctx2, cancel := context.WithTimeout(ctx, 5*pollTime)
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
	if err != nil || w.only == "" {
		return jobs, err
	}
	for _, j := range jobs {
		if j.ID == w.only {
			return []cluster.Job{j}, nil
		}
	}
	return nil, nil
}

// follow begins to follow a job, unless that was done in this round.
func (w *watcher) follow(ctx context.Context, j cluster.Job) {
	now := round{j.Round, j.Cancelled}
	before, known := w.rounds[j.ID]
	if known && before == now {
		return
	}
	if known {
		w.model.again(j.ID)
	}
	w.rounds[j.ID] = now
	w.films.Go(func() {
		_ = w.cluster.Follow(ctx, j.ID, &follower{model: w.model, id: j.ID, begun: time.Now()})
	})
}

// A follower tells the model what becomes of frames. It implements cluster.Follower.
type follower struct {
	model *model
	id    string
	begun time.Time
}

// history is how long after a follower begins its records count as old: frames that were
// drawn before it came, and say nothing of the pace.
const history = time.Second

func (f *follower) live() bool { return time.Since(f.begun) > history }

// Done implements cluster.Follower.
func (f *follower) Done(k int, d *cluster.Done) error {
	f.model.frame(f.id, k, d, nil, f.live())
	return nil
}

// Failed implements cluster.Follower.
func (f *follower) Failed(k int, x *cluster.Failure) error {
	f.model.frame(f.id, k, nil, x, f.live())
	return nil
}

// Fault implements cluster.Follower; who handed the film in settles it.
func (*follower) Fault(*cluster.Fault) error { return nil }
