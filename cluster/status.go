package cluster

import (
	"context"
	"encoding/json"
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
}

// Left returns how many frames are neither done nor failed.
func (s *Status) Left() int { return s.Job.Frames - len(s.Done) - len(s.Failed) }

// Status returns how far a job is. A job that was never submitted has no frames.
func (c *Cluster) Status(ctx context.Context, id string) (*Status, error) {
	s := &Status{Done: map[int]*Done{}, Failed: map[int]*Failure{}}
	var err error
	if s.Job, err = c.Job(ctx, id); err != nil && !errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, err
	}
	if err := readAll(ctx, c, doneStore, id, s.Done); err != nil {
		return nil, err
	}
	return s, readAll(ctx, c, failureStore, id, s.Failed)
}

// readAll reads all values of a job's frames.
func readAll[T any](ctx context.Context, c *Cluster, store, id string, into map[int]*T) error {
	kv, err := c.store(ctx, store)
	if err != nil {
		return err
	}
	w, err := kv.Watch(ctx, id+".*", jetstream.IgnoreDeletes())
	if err != nil {
		return fmt.Errorf("store %s: %w", store, err)
	}
	defer w.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(callTimeout):
			return fmt.Errorf("store %s: no answer within %v", store, callTimeout)
		case e := <-w.Updates():
			if e == nil { // all there was
				return nil
			}
			value := new(T)
			frame, ok := frameOf(e.Key())
			if err := json.Unmarshal(e.Value(), value); !ok || err != nil {
				return fmt.Errorf("store %s, key %s: %w", store, e.Key(), errors.Join(err, errMalformed))
			}
			into[frame] = value
		}
	}
}

var errMalformed = errors.New("malformed record")

// frameOf returns the frame at the end of a key or subject.
func frameOf(key string) (int, bool) {
	n, err := strconv.Atoi(key[strings.LastIndexByte(key, '.')+1:])
	return n, err == nil && n >= 0 && n < MaxFrames
}
