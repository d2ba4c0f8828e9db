package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// fullPause is how long a node waits before it uploads a picture again after the store was full. Meanwhile the
// submitter downloads and removes other pictures.
const fullPause = 500 * time.Millisecond

// putPicture uploads a picture that cannot be saved in the submitter's folder. While the store is full it waits and
// tries again.
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

// Picture downloads the picture of a frame and checks its hash. If the picture is missing or has another hash, the
// error wraps ErrMissing.
func (c *Blobs) Picture(ctx context.Context, job Job, frame int, d *Done) ([]byte, error) {
	if d.Bytes < 0 || d.Bytes > maxPicture {
		return nil, fmt.Errorf("picture of frame %d: %d bytes: %w", frame, d.Bytes, ErrMissing)
	}
	bulk, err := c.bulk(ctx)
	if err != nil {
		return nil, err
	}
	b := bytes.NewBuffer(make([]byte, 0, min(d.Bytes, chunksAtOnce*chunkBytes))) // not more, because a node wrote the number
	if err := bulk.getChunks(ctx, pictureStore, frameKey(job.ID, frame), int64(d.Bytes), b); err != nil {
		return nil, fmt.Errorf("picture of frame %d: %w", frame, err)
	}
	if Hash(b.Bytes()) != d.Hash {
		return nil, fmt.Errorf("picture of frame %d: its hash differs: %w", frame, ErrMissing)
	}
	return b.Bytes(), nil
}

// maxPicture is the maximum size of a picture in bytes. Without a limit, a node could make the submitter download any
// amount of data by a wrong record.
const maxPicture = 1 << 30

// RemovePicture removes the picture of a frame from the store.
func (c *Blobs) RemovePicture(ctx context.Context, job Job, frame int) error {
	return c.purge(ctx, pictureStore, frameKey(job.ID, frame)+".*")
}

// RequestFiles asks the submitter of a job to upload the job's files.
func (c *Blobs) RequestFiles(ctx context.Context, job Job) error {
	return c.put(ctx, wantedStore, job.ID, time.Now().UTC())
}

// FilesRequested reports whether a node has called RequestFiles for a job.
func (c *Blobs) FilesRequested(ctx context.Context, job Job) (bool, error) {
	var when time.Time
	err := c.get(ctx, wantedStore, job.ID, &when)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return false, nil
	}
	return err == nil, err
}
