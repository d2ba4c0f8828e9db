package cluster

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// A Status is how far a job is.
type Status struct {
	Job    Job
	Done   map[int]*Done    // by frame
	Failed map[int]*Failure // by frame
	// Malformed are frames with a record that cannot be read. They are not Done.
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

// Status returns how far a job is. A job that was never submitted has no frames.
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

// readAll reads all values of a job's frames. Nodes write them, who may be of any version or
// mind: what is of no frame of the job is left out, and frames whose values cannot be read are
// returned.
func readAll[T any](ctx context.Context, c *Queue, store string, job *Job, id string, into map[int]*T) (malformed []int, err error) {
	err = c.with(ctx, store, func(ctx context.Context, kv jetstream.KeyValue) error {
		malformed = nil
		clear(into)
		w, err := kv.Watch(ctx, id+".*", jetstream.IgnoreDeletes())
		if err != nil {
			return fmt.Errorf("store %s: %w", store, err)
		}
		defer w.Stop()
		malformed, err = takeAll(ctx, w, store, job, into)
		return err
	})
	return malformed, err
}

// takeAll takes the values of a job's frames that a watch begins with.
func takeAll[T any](ctx context.Context, w jetstream.KeyWatcher, store string, job *Job, into map[int]*T) (malformed []int, err error) {
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(callTimeout):
			return nil, fmt.Errorf("store %s: no answer within %v", store, callTimeout)
		case e := <-w.Updates():
			if e == nil { // all there was
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

// frameOf returns the frame at the end of a key or subject.
func frameOf(key string) (int, bool) {
	n, err := strconv.Atoi(key[strings.LastIndexByte(key, '.')+1:])
	return n, err == nil && n >= 0 && n < MaxFrames
}
