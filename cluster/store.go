package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// store returns the handle of a key-value store. It asks the server for each store only once.
func (c *conn) store(ctx context.Context, name string) (jetstream.KeyValue, error) {
	if kv, ok := c.stores.Load(name); ok {
		return kv.(jetstream.KeyValue), nil
	}
	kv, err := c.js.KeyValue(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("store %s: %w", name, err)
	}
	c.stores.Store(name, kv)
	return kv, nil
}

// withStore calls f with a store. f must be safe to repeat, see method call.
func (c *conn) withStore(ctx context.Context, store string, f func(context.Context, jetstream.KeyValue) error) error {
	return c.call(ctx, func(ctx context.Context) error {
		kv, err := c.store(ctx, store)
		if err != nil {
			return err
		}
		return f(ctx, kv)
	})
}

// keys returns the sorted keys of a store that match filter. It includes keys of values that were deleted lately. It
// lists the subjects of the store's stream. The NATS library lists keys with a consumer instead. But a consumer can
// send messages to any subject, so nodes have no permission to create one.
func (c *conn) keys(ctx context.Context, store, filter string) (keys []string, err error) {
	subjects, _, err := c.subjects(ctx, "KV_"+store, "$KV."+store+".", filter)
	if err != nil {
		return nil, fmt.Errorf("store %s: %w", store, err)
	}
	return slices.Sorted(maps.Keys(subjects)), nil
}

// stream returns the handle of a stream. It asks the server for each stream only once.
func (c *conn) stream(ctx context.Context, name string) (jetstream.Stream, error) {
	if s, ok := c.streams.Load(name); ok {
		return s.(jetstream.Stream), nil
	}
	s, err := c.js.Stream(ctx, name)
	if err != nil {
		return nil, err
	}
	c.streams.Store(name, s)
	return s, nil
}

// subjects lists the subjects of a stream that match prefix+filter. In the map `found`, the key is the rest of a
// subject after the prefix, and the value is the subject's number of messages. state is the state of the stream at that
// time.
func (c *conn) subjects(ctx context.Context, stream, prefix, filter string) (found map[string]uint64, state jetstream.StreamState, err error) {
	err = c.call(ctx, func(ctx context.Context) error {
		s, err := c.stream(ctx, stream)
		if err != nil {
			return err
		}
		info, err := s.Info(ctx, jetstream.WithSubjectFilter(prefix+filter))
		if err != nil {
			return err
		}
		state, found = info.State, map[string]uint64{}
		for subject, n := range state.Subjects {
			found[strings.TrimPrefix(subject, prefix)] = n
		}
		return nil
	})
	return found, state, err
}

// get reads and decodes a value.
func (c *conn) get(ctx context.Context, store, key string, value any) error {
	b, err := c.read(ctx, store, key)
	if err != nil {
		return fmt.Errorf("store %s, key %s: %w", store, key, err)
	}
	if err := decode(store, b, value); err != nil {
		return fmt.Errorf("store %s, key %s: %w", store, key, err)
	}
	return nil
}

// decode decodes a record that a node may have written. It checks the numbers in the record. It also checks the
// record's length, because a server that this program did not start may accept longer records.
func decode(store string, b []byte, value any) error {
	if most := maxMessage(store); len(b) > int(most) {
		return fmt.Errorf("record of %d bytes, expected at most %d: %w", len(b), most, errMalformed)
	}
	if string(b) == "null" {
		return fmt.Errorf("null: %w", errMalformed)
	}
	if err := json.Unmarshal(b, value); err != nil {
		return errors.Join(err, errMalformed)
	}
	if r, ok := value.(interface{ check() error }); ok {
		if err := r.check(); err != nil {
			return errors.Join(err, errMalformed)
		}
	}
	return nil
}

// read reads the bytes of a value.
func (c *conn) read(ctx context.Context, store, key string) (value []byte, err error) {
	err = c.withStore(ctx, store, func(ctx context.Context, kv jetstream.KeyValue) error {
		e, err := kv.Get(ctx, key)
		if err == nil {
			value = e.Value()
		}
		return err
	})
	return value, err
}

// put encodes and writes a value.
func (c *conn) put(ctx context.Context, store, key string, value any) error {
	b, err := json.Marshal(value)
	if err != nil {
		return err
	}
	if most := maxMessage(store); len(b) > int(most) {
		return fmt.Errorf("store %s, key %s: record of %d bytes, expected at most %d", store, key, len(b), most)
	}
	if err := c.write(ctx, store, key, b); err != nil {
		return fmt.Errorf("store %s, key %s: %w", store, key, err)
	}
	return nil
}

// write writes the bytes of a value.
func (c *conn) write(ctx context.Context, store, key string, value []byte) error {
	return c.withStore(ctx, store, func(ctx context.Context, kv jetstream.KeyValue) error {
		_, err := kv.Put(ctx, key, value)
		return err
	})
}

// remove deletes a value.
func (c *conn) remove(ctx context.Context, store, key string) error {
	err := c.withStore(ctx, store, func(ctx context.Context, kv jetstream.KeyValue) error { return kv.Delete(ctx, key) })
	if err != nil {
		return fmt.Errorf("store %s, key %s: %w", store, key, err)
	}
	return nil
}

// purge removes the values whose keys match filter, together with their history.
func (c *conn) purge(ctx context.Context, store, filter string) error {
	s, err := c.stream(ctx, "KV_"+store)
	if err != nil {
		return fmt.Errorf("store %s: %w", store, err)
	}
	return s.Purge(ctx, jetstream.WithPurgeSubject("$KV."+store+"."+filter))
}

// maxMessage returns the size limit of one message of a store or of the queue, in bytes, including headers.
func maxMessage(name string) int32 {
	switch name {
	case jobStore:
		return maxJob
	case blobStore, pictureStore:
		return MaxMessage
	case frameStream:
		return maxTask
	}
	return maxRecord
}

// Size limits of single messages, in bytes. Without them, a faulty node could fill the store and the memory of its
// readers.
const (
	maxTask   = 1 << 10 // a task consists of headers
	maxRecord = 4 << 10 // a few names, a hash and the truncated text of an error
	maxJob    = 4 << 20 // a specification, and the names and hashes of all files
	// MaxMessage is the limit of the longest message of a node, a chunk of a picture.
	MaxMessage = chunkBytes + maxRecord
)

// Full returns the names of the stores that have no space left. The queue counts as a store too.
func (c *Queue) Full(ctx context.Context) (full []string, err error) {
	for _, name := range append([]string{frameStream}, allStores...) {
		stream := name
		if name != frameStream {
			stream = "KV_" + name
		}
		err := c.call(ctx, func(ctx context.Context) error {
			s, err := c.stream(ctx, stream)
			if err != nil {
				return err
			}
			info, err := s.Info(ctx)
			if err != nil {
				return err
			}
			// A store that is at most 1/part full has space, even if the rest is too small for the largest message.
			const part = 2
			if most := info.Config.MaxBytes; most > 0 && int64(info.State.Bytes)+min(int64(maxMessage(name)), most/part) > most {
				full = append(full, name)
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return full, nil
}

// prepareQueue creates or updates the queue. The queue accepts one task of each frame, so there are no duplicates even
// if two processes submit the same job.
//
// A new queue does not sync each task to the disk. Syncing each task and each removal would take longer than all other
// work of a server for a frame. If the server fails, the records show which tasks were lost.
func (c *Queue) prepareQueue(ctx context.Context, l Limits, keepLimits bool) error {
	queue := jetstream.StreamConfig{
		Name: frameStream, Subjects: []string{frameStream + ".>"}, Retention: jetstream.WorkQueuePolicy,
		MaxMsgsPerSubject: 1, DiscardNewPerSubject: true, Discard: jetstream.DiscardNew,
		MaxBytes: l.portion(frameStream), Replicas: l.Replicas, DenyDelete: true, MaxMsgSize: maxMessage(frameStream),
	}
	if l.Replicas == 1 { // servers refuse this mode for replicated streams
		queue.PersistMode = jetstream.AsyncPersistMode
	}
	if err := c.prepareStream(ctx, queue, keepLimits); err != nil {
		return fmt.Errorf("queue %s: %w", frameStream, err)
	}
	return nil
}

// prepareStream creates or updates a stream. If keepLimits is true, an existing stream keeps its total limit, and its
// number of copies if that is larger. Every stream gets the current limits of single messages, because earlier versions
// allowed larger ones.
func (c *Queue) prepareStream(ctx context.Context, config jetstream.StreamConfig, keepLimits bool) error {
	var old *jetstream.StreamConfig // nil if there is no stream, or if its configuration does not matter
	if keepLimits || config.Name == frameStream {
		s, err := c.js.Stream(ctx, config.Name)
		switch {
		case err == nil:
			old = &s.CachedInfo().Config
		case !errors.Is(err, jetstream.ErrStreamNotFound):
			return err // do not continue as if the stream were missing: an existing stream would get other limits
		}
	}
	if old != nil && config.PersistMode == jetstream.AsyncPersistMode {
		config.PersistMode = old.PersistMode // servers refuse to change this mode
	}
	if old != nil && keepLimits {
		if isRestricted(old, &config) && old.Replicas >= config.Replicas {
			return nil
		}
		config = withKeptLimits(*old, &config)
	}
	_, err := c.js.CreateOrUpdateStream(ctx, config)
	var api *jetstream.APIError
	switch refused := errors.As(err, &api); {
	case refused && api.ErrorCode == codeNoReplicas:
		return fmt.Errorf("%w: %w", ErrReplicas, err)
	case refused && api.ErrorCode == codeInvalid && old != nil && old.PersistMode != config.PersistMode:
		return fmt.Errorf("%w: %w", ErrOneCopy, err)
	}
	return err
}

// withKeptLimits returns `old`, the configuration of an existing stream, with the changes that prepareStream makes even
// to a stream that keeps its limits. The new values are those of `want`.
func withKeptLimits(old jetstream.StreamConfig, want *jetstream.StreamConfig) jetstream.StreamConfig {
	old.AllowRollup, old.DenyDelete, old.MaxMsgSize = false, true, want.MaxMsgSize
	old.MaxMsgsPerSubject, old.DiscardNewPerSubject = want.MaxMsgsPerSubject, want.DiscardNewPerSubject
	old.Discard = want.Discard
	if want.Replicas > old.Replicas {
		old.Replicas, old.PersistMode = want.Replicas, want.PersistMode
	}
	return old
}

// isRestricted reports whether `old`, the configuration of an existing stream, restricts single messages as `want`
// does.
func isRestricted(old, want *jetstream.StreamConfig) bool {
	return !old.AllowRollup && old.DenyDelete && old.MaxMsgSize == want.MaxMsgSize && old.DiscardNewPerSubject == want.DiscardNewPerSubject
}

// allStores lists the key-value stores.
var allStores = []string{jobStore, doneStore, failureStore, faultStore, blockedStore, nodeStore, blobStore, pictureStore, wantedStore}

// prepareStore creates or updates a store, configured like the NATS library's, except that roll-ups are forbidden. A
// message with a roll-up header replaces all earlier messages. So a node that may write one key could delete all other
// keys. Submitters can still purge values through the JetStream API.
func (c *Queue) prepareStore(ctx context.Context, name string, l Limits, keepLimits bool) error {
	config := jetstream.StreamConfig{
		Name: "KV_" + name, Subjects: []string{"$KV." + name + ".>"}, MaxMsgsPerSubject: 1, MaxMsgs: -1, MaxConsumers: -1,
		MaxBytes: l.portion(name), MaxMsgSize: maxMessage(name), Replicas: l.Replicas, Discard: jetstream.DiscardNew,
		AllowDirect: true, DenyDelete: true, Duplicates: storeDuplicates,
	}
	switch name {
	case nodeStore:
		config.MaxAge, config.Duplicates = nodeExpiry, nodeExpiry
	case blockedStore:
		config.MaxAge = blockedTime
	}
	if err := c.prepareStream(ctx, config, keepLimits); err != nil {
		return fmt.Errorf("store %s: %w", name, err)
	}
	return nil
}

// blockedTime is how long a node stays blocked. If it still computes wrongly after that, its first picture is wrong,
// and it is blocked again.
const blockedTime = 24 * time.Hour

// storeDuplicates is the time in which a store detects duplicate messages. The NATS library uses the same value.
const storeDuplicates = 2 * time.Minute
