package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// fullPause is before a node tries again to hand in a picture for which there was no room:
// the submitter fetches others meanwhile.
const fullPause = 500 * time.Millisecond

// putPicture hands in a picture that cannot be kept in the submitter's folder. While the
// store is full it waits.
func (c *Blobs) putPicture(ctx context.Context, job Job, frame int, picture []byte) error {
	bulk, err := c.bulk(ctx)
	if err != nil {
		return err
	}
	for {
		err := bulk.putChunks(ctx, pictureStore, frameKey(job.ID, frame), int64(len(picture)), bytes.NewReader(picture))
		if !errors.Is(err, ErrFull) {
			return err
		}
		if e := sleep(ctx, fullPause); e != nil {
			return errors.Join(err, e)
		}
	}
}

// Picture returns the picture of a frame that a node handed in, whose hash it checks. The
// error of one that is gone or differs wraps ErrMissing.
func (c *Blobs) Picture(ctx context.Context, job Job, frame int, d *Done) ([]byte, error) {
	bulk, err := c.bulk(ctx)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := bulk.getChunks(ctx, pictureStore, frameKey(job.ID, frame), int64(d.Bytes), &b); err != nil {
		return nil, fmt.Errorf("picture of frame %d: %w", frame, err)
	}
	if Hash(b.Bytes()) != d.Hash {
		return nil, fmt.Errorf("picture of frame %d: its hash differs: %w", frame, ErrMissing)
	}
	return b.Bytes(), nil
}

// Fetched removes a picture from the store.
func (c *Blobs) Fetched(ctx context.Context, job Job, frame int) error {
	return c.purge(ctx, pictureStore, frameKey(job.ID, frame)+".*")
}

// purge removes values and every trace of them.
func (c *Blobs) purge(ctx context.Context, store, filter string) error {
	s, err := c.js.Stream(ctx, "KV_"+store)
	if err != nil {
		return fmt.Errorf("store %s: %w", store, err)
	}
	return s.Purge(ctx, jetstream.WithPurgeSubject("$KV."+store+"."+filter))
}

// Want asks the submitter of a job for its files.
func (c *Blobs) Want(ctx context.Context, job Job) error {
	return c.put(ctx, wantedStore, job.ID, time.Now().UTC())
}

// Wanted reports whether a node asked for the files of a job.
func (c *Blobs) Wanted(ctx context.Context, job Job) (bool, error) {
	var when time.Time
	err := c.get(ctx, wantedStore, job.ID, &when)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return false, nil
	}
	return err == nil, err
}
