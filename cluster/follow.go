package cluster

import (
	"context"
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
func (c *Queue) Follow(ctx context.Context, id string, to Follower) error {
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
	c            *Queue
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
	if err := f.tellAllFailed(s.Failed); err != nil {
		return 0, err
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

// tellAllFailed tells of failures in the order in which frames are drawn: the first say most of the film.
func (f *following) tellAllFailed(failed map[int]*Failure) error {
	if len(failed) == 0 {
		return nil
	}
	for _, frame := range Order(f.frames) {
		if x := failed[frame]; x != nil {
			if err := f.tellFailed(frame, x); err != nil {
				return err
			}
		}
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

// news opens what tells of the film's records from the first one on. The caller ends it.
func (f *following) news(ctx context.Context) (news jetstream.Consumer, end func(), err error) {
	stream := "KV_" + doneStore
	err = f.c.call(ctx, func(ctx context.Context) (err error) {
		news, err = f.c.js.CreateConsumer(ctx, stream, jetstream.ConsumerConfig{
			FilterSubject: "$KV." + doneStore + "." + f.id + ".*", DeliverPolicy: jetstream.DeliverAllPolicy,
			AckPolicy: jetstream.AckNonePolicy, MemoryStorage: true, Replicas: 1, InactiveThreshold: newsMemory,
		})
		return err
	})
	return news, func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), reconnectWait)
		defer cancel()
		_ = f.c.js.DeleteConsumer(ctx, stream, news.CachedInfo().Name) // it would end by itself, later
	}, err
}

// listen tells of new records until there is no news for a while, or nothing is left.
func (f *following) listen(ctx context.Context) error {
	news, end, err := f.news(ctx)
	if err != nil {
		return err
	}
	defer end()
	pace := pace{known: len(f.done), last: time.Now()}
	for f.left() > 0 && ctx.Err() == nil {
		for many := newsAtOnce; many == newsAtOnce; {
			if many, err = f.take(news.FetchNoWait(newsAtOnce)); err != nil {
				return err
			}
		}
		rest, known := pace.end(time.Now(), len(f.done), f.left())
		switch {
		case f.left() <= 0:
		case known && rest > 2*newsPause && time.Since(pace.last) > quiet:
			return nil
		case known && rest > 2*newsPause:
			if err := sleep(ctx, newsPause); err != nil {
				return err
			}
		default:
			want := 1
			if known {
				want = min(newsAtOnce, f.left())
			}
			if many, err := f.take(news.Fetch(want, jetstream.FetchMaxWait(quiet))); err != nil || many == 0 {
				return err
			}
		}
	}
	return nil
}

// News is fetched by the heap: to hear of each record when it comes would wake this process and the
// server once more for each, while all cores draw. Only the first two, and those of the last moment
// by the pace so far, are waited for.
const (
	newsPause  = 100 * time.Millisecond
	newsAtOnce = 500
	newsMemory = 5 * time.Minute // without a question, until the server forgets who asks
)

// A pace is how fast records come.
type pace struct {
	known int       // records there were at first
	told  int       // after them, at the last look
	first time.Time // when the first of these came; zero: none has
	last  time.Time // when the latest came
}

// end returns how long the records will take that are left, if more than one came.
func (p *pace) end(now time.Time, done, left int) (wait time.Duration, known bool) {
	if done-p.known > p.told {
		p.last = now
	}
	p.told = done - p.known
	switch {
	case p.told == 0:
		return 0, false
	case p.first.IsZero():
		p.first, p.known, p.told = now, done, 0
		return 0, false
	}
	return now.Sub(p.first) / time.Duration(p.told) * time.Duration(left), true
}

// left is how many frames there is to hear of.
func (f *following) left() int { return f.frames - len(f.done) - len(f.failed) }

// take tells of a batch of records, and returns how many messages it had.
func (f *following) take(batch jetstream.MessageBatch, err error) (many int, _ error) {
	if err != nil {
		return 0, err
	}
	for m := range batch.Messages() {
		many++
		if err := f.read(m); err != nil {
			return many, err
		}
	}
	if err := batch.Error(); err != nil && !errors.Is(err, nats.ErrTimeout) && !errors.Is(err, jetstream.ErrNoMessages) {
		return many, err
	}
	return many, nil
}

// errUnread is the error of a record that cannot be read: look tells of it, unless it was replaced.
var errUnread = errors.New("a record cannot be read")

// read tells of a record.
func (f *following) read(m jetstream.Msg) error {
	if m.Headers().Get("KV-Operation") != "" { // a record that was removed
		return nil
	}
	frame, ok := frameOf(m.Subject())
	if !ok || frame >= f.frames {
		return nil
	}
	var d Done
	if decode(doneStore, m.Data(), &d) != nil {
		return errUnread
	}
	return f.tellDone(frame, &d)
}

// Settle ends a fault: right is the picture's true hash. A wrong record is replaced, and
// every node that drew something else is shut out. Their names are returned.
func (c *Queue) Settle(ctx context.Context, job Job, x *Fault, right *Done) (blocked []string, err error) {
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
func (c *Queue) Blocked(ctx context.Context) ([]string, error) {
	return c.keys(ctx, blockedStore, ">")
}
