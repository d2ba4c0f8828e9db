package cluster

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/nats-io/nats.go/jetstream"
)

// A Queue is the jobs of a server, their frames that are to be drawn, and the records of those that were.
type Queue struct{ *conn }

// Job returns a job by its ID. The error of one that is not there wraps
// jetstream.ErrKeyNotFound.
func (c *Queue) Job(ctx context.Context, id string) (Job, error) {
	var job Job
	err := c.get(ctx, jobStore, id, &job)
	return job, err
}

// Jobs returns all jobs, those of large priority first and then the oldest.
func (c *Queue) Jobs(ctx context.Context) ([]Job, error) {
	keys, err := c.keys(ctx, jobStore, ">")
	if err != nil {
		return nil, err
	}
	var jobs []Job
	for _, id := range keys {
		job, err := c.Job(ctx, id)
		if errors.Is(err, jetstream.ErrKeyNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		jobs = append(jobs, job)
	}
	slices.SortFunc(jobs, func(a, b Job) int {
		if a.Priority != b.Priority {
			return b.Priority - a.Priority
		}
		if n := a.Created.Compare(b.Created); n != 0 {
			return n
		}
		return strings.Compare(a.ID, b.ID)
	})
	return jobs, nil
}

// Recorded returns the record of a frame, nil where there is none.
func (c *Queue) Recorded(ctx context.Context, job Job, frame int) (*Done, error) {
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
