package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// A Queue holds the jobs of a server, the frames to draw, and the records of frames that were drawn or failed.
type Queue struct {
	*conn
	listed jobList
	// limits are the limits of the latest call of Prepare.
	limits Limits
}

// Job returns the job with this ID. If there is none, the error wraps jetstream.ErrKeyNotFound.
func (c *Queue) Job(ctx context.Context, id string) (Job, error) {
	var job Job
	err := c.get(ctx, jobStore, id, &job)
	return job, err
}

// Jobs returns all jobs, those of higher priority first, and older before newer ones. If no job has changed since the
// last call, Jobs sends only one request.
func (c *Queue) Jobs(ctx context.Context) ([]Job, error) {
	keys, state, err := c.subjects(ctx, "KV_"+jobStore, "$KV."+jobStore+".", ">")
	if err != nil {
		return nil, fmt.Errorf("store %s: %w", jobStore, err)
	}
	if jobs, ok := c.listed.latest(state); ok {
		return jobs, nil
	}
	var jobs []Job
	for id := range keys {
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
	c.listed.set(state, jobs)
	return jobs, nil
}

// A jobList is a list of jobs, and the state of the store from which it was read.
type jobList struct {
	mu    sync.Mutex
	state jetstream.StreamState
	jobs  []Job
}

// latest returns the list that was read last, and whether this list is current. s is the present state of the store.
// The list is current if the store had the same state at that reading, because every change of the store adds or
// removes a message.
func (l *jobList) latest(s jetstream.StreamState) ([]Job, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	same := s.LastSeq == l.state.LastSeq && s.FirstSeq == l.state.FirstSeq && s.Msgs == l.state.Msgs && s.LastTime.Equal(l.state.LastTime)
	return slices.Clone(l.jobs), same && l.state.LastSeq > 0
}

func (l *jobList) set(s jetstream.StreamState, jobs []Job) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.state, l.jobs = s, slices.Clone(jobs)
}

// Recorded returns the record of a frame, or nil if there is none.
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

// A Status is the progress of a job.
type Status struct {
	Job    Job
	Done   map[int]*Done    // by frame
	Failed map[int]*Failure // by frame
	// Malformed lists the frames whose record cannot be decoded. Done does not contain them.
	Malformed []int
}

// Left returns how many frames are neither done nor failed.
func (s *Status) Left() int {
	left := s.Job.Frames - len(s.Done)
	for k := range s.Failed {
		if s.Done[k] == nil {
			left--
		}
	}
	return left
}

// unsettled returns the frames that are neither done nor failed, in drawing order. It omits frames whose record cannot
// be decoded.
func (s *Status) unsettled() (frames []int) {
	malformed := map[int]bool{}
	for _, k := range s.Malformed {
		malformed[k] = true
	}
	for _, k := range Order(s.Job.Frames) {
		if s.Done[k] == nil && s.Failed[k] == nil && !malformed[k] {
			frames = append(frames, k)
		}
	}
	return frames
}

// Status returns the progress of a job. A job that was never submitted has no frames.
func (c *Queue) Status(ctx context.Context, id string) (*Status, error) {
	s := &Status{Done: map[int]*Done{}, Failed: map[int]*Failure{}}
	var err error
	if s.Job, err = c.Job(ctx, id); err != nil && !errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, err
	}
	if s.Malformed, err = readAll(ctx, c, doneStore, &s.Job, id, s.Done); err != nil {
		return nil, err
	}
	_, err = readAll(ctx, c, failureStore, &s.Job, id, s.Failed)
	return s, err
}

// readAll reads a store's values for all frames of a job into a map. The nodes that wrote the values may be faulty or
// of another version. So readAll ignores frame numbers outside the job, and returns the frames whose value cannot be
// decoded.
func readAll[T any](ctx context.Context, c *Queue, store string, job *Job, id string, into map[int]*T) (malformed []int, err error) {
	err = c.withStore(ctx, store, func(ctx context.Context, kv jetstream.KeyValue) error {
		malformed = nil
		clear(into)
		w, err := kv.Watch(ctx, id+".*", jetstream.IgnoreDeletes())
		if err != nil {
			return fmt.Errorf("store %s: %w", store, err)
		}
		defer w.Stop()
		malformed, err = readWatch(ctx, w, store, job, into)
		return err
	})
	return malformed, err
}

// readWatch reads the values that exist when a watch begins. The watch sends nil after the last of them.
func readWatch[T any](ctx context.Context, w jetstream.KeyWatcher, store string, job *Job, into map[int]*T) (malformed []int, err error) {
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(callTimeout):
			return nil, fmt.Errorf("store %s: no answer within %v", store, callTimeout)
		case e := <-w.Updates():
			if e == nil { // all existing values have been read
				return malformed, nil
			}
			frame, ok := frameOf(e.Key())
			if !ok || frame >= job.Frames {
				continue
			}
			value := new(T)
			if decode(store, e.Value(), value) != nil {
				malformed = append(malformed, frame)
				continue
			}
			into[frame] = value
		}
	}
}

// frameOf returns the frame number at the end of a key or subject. It accepts only one spelling of each number: 5, but
// not +5 or 05. With another spelling, a node could write a second record of a frame.
func frameOf(key string) (int, bool) {
	text := key[strings.LastIndexByte(key, '.')+1:]
	n, err := strconv.Atoi(text)
	return n, err == nil && n >= 0 && n < MaxFrames && strconv.Itoa(n) == text
}
