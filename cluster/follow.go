package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A Follower is told what becomes of a job. A method's error ends Follow.
type Follower interface {
	Done(frame int, d *Done) error
	Failed(frame int, f *Failure) error
	// Fault is told of a picture that differs from the recorded one, or, without a node, of a
	// frame whose record cannot be read; see Settle.
	Fault(f *Fault) error
}

// quiet is how long Follow waits for news before it looks for itself: a server that was
// killed forgets whom it had to tell.
const quiet = time.Second

// Follow tells of every frame of a job once, of those that are recorded already first,
// and returns when none is left, or the job was cancelled.
func (c *Cluster) Follow(ctx context.Context, id string, to Follower) error {
	f := &following{c: c, id: id, to: to, done: map[int]bool{}, failed: map[int]bool{}, faults: map[string]bool{}}
	for {
		left, err := f.look(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		var told *followerError
		if errors.As(err, &told) {
			return told.err
		}
		if err == nil && left == 0 {
			return nil
		}
		if err == nil {
			err = f.listen(ctx)
			if errors.As(err, &told) {
				return told.err
			}
		}
		if err != nil { // the server may come back
			if err := sleep(ctx, reconnectWait); err != nil {
				return err
			}
		}
	}
}

// A followerError is an error of the follower, not of the connection.
type followerError struct{ err error }

func (e *followerError) Error() string { return e.err.Error() }

// following is what has been told already.
type following struct {
	c            *Cluster
	id           string
	to           Follower
	frames       int
	done, failed map[int]bool
	faults       map[string]bool
}

// look reads everything that is recorded, and returns how many frames are left.
func (f *following) look(ctx context.Context) (left int, err error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	s, err := f.c.Status(ctx, f.id)
	if err != nil {
		return 0, err
	}
	f.frames = s.Job.Frames
	for frame := range f.failed { // asked for again
		if s.Failed[frame] == nil {
			delete(f.failed, frame)
		}
	}
	for frame, d := range s.Done {
		if err := f.tellDone(frame, d); err != nil {
			return 0, err
		}
	}
	for frame, x := range s.Failed {
		if err := f.tellFailed(frame, x); err != nil {
			return 0, err
		}
	}
	for _, frame := range s.Malformed {
		if err := f.to.Fault(&Fault{Frame: frame}); err != nil {
			return 0, &followerError{err}
		}
	}
	if err := f.lookForFaults(ctx); err != nil {
		return 0, err
	}
	if s.Job.Cancelled {
		return 0, nil
	}
	return s.Left(), nil
}

func (f *following) lookForFaults(ctx context.Context) error {
	keys, err := f.c.keys(ctx, faultStore, f.id+".>")
	if err != nil {
		return err
	}
	for _, k := range keys {
		if f.faults[k] {
			continue
		}
		f.faults[k] = true
		var x Fault
		err := f.c.get(ctx, faultStore, k, &x)
		if errors.Is(err, errMalformed) || err == nil && (x.Frame < 0 || x.Frame >= f.frames) {
			continue // who wrote it knows no better; the pictures are compared all the same
		}
		if err != nil {
			delete(f.faults, k)
			return err
		}
		if err := f.to.Fault(&x); err != nil {
			return &followerError{err}
		}
	}
	return nil
}

func (f *following) tellDone(frame int, d *Done) error {
	if f.done[frame] {
		return nil
	}
	f.done[frame] = true
	if err := f.to.Done(frame, d); err != nil {
		return &followerError{err}
	}
	return nil
}

func (f *following) tellFailed(frame int, x *Failure) error {
	if f.failed[frame] || f.done[frame] {
		return nil
	}
	f.failed[frame] = true
	if err := f.to.Failed(frame, x); err != nil {
		return &followerError{err}
	}
	return nil
}

// listen tells of new records until there is no news for a while, or nothing is left.
func (f *following) listen(ctx context.Context) error {
	var news jetstream.Consumer
	err := f.c.call(ctx, func(ctx context.Context) (err error) {
		news, err = f.c.js.OrderedConsumer(ctx, "KV_"+doneStore, jetstream.OrderedConsumerConfig{
			FilterSubjects: []string{"$KV." + doneStore + "." + f.id + ".*"},
			DeliverPolicy:  jetstream.DeliverAllPolicy,
		})
		return err
	})
	if err != nil {
		return err
	}
	it, err := news.Messages()
	if err != nil {
		return err
	}
	defer it.Stop()
	for len(f.done)+len(f.failed) < f.frames && ctx.Err() == nil {
		m, err := it.Next(jetstream.NextMaxWait(quiet))
		if errors.Is(err, nats.ErrTimeout) {
			return nil
		}
		if err != nil {
			return err
		}
		if m.Headers().Get("KV-Operation") != "" { // a record that was removed
			continue
		}
		frame, ok := frameOf(m.Subject())
		if !ok || frame >= f.frames {
			continue
		}
		var d Done
		if err := json.Unmarshal(m.Data(), &d); err != nil || string(m.Data()) == "null" {
			return nil // look tells of it, unless it was replaced
		}
		if err := f.tellDone(frame, &d); err != nil {
			return err
		}
	}
	return nil
}

// Settle ends a fault: right is the picture's true hash. A wrong record is replaced, and
// every node that drew something else is shut out. Their names are returned.
func (c *Cluster) Settle(ctx context.Context, job Job, x *Fault, right *Done) (blocked []string, err error) {
	var first Done
	key := frameKey(job.ID, x.Frame)
	if err := c.get(ctx, doneStore, key, &first); errors.Is(err, errMalformed) {
		first = Done{}
	} else if err != nil && !errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, err
	}
	for _, wrong := range []struct{ node, hash string }{{first.Node, first.Hash}, {x.Node, x.Hash}} {
		if wrong.node == "" || wrong.hash == right.Hash || slices.Contains(blocked, wrong.node) {
			continue
		}
		if err := c.put(ctx, blockedStore, wrong.node, fmt.Sprintf("frame %d of job %s", x.Frame, job.ID)); err != nil {
			return blocked, err
		}
		blocked = append(blocked, wrong.node)
	}
	if first.Hash != right.Hash {
		return blocked, c.put(ctx, doneStore, key, right)
	}
	return blocked, nil
}

// Blocked returns the names of the nodes that were shut out.
func (c *Cluster) Blocked(ctx context.Context) ([]string, error) {
	return c.keys(ctx, blockedStore, ">")
}
