package cluster

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

const (
	// chunkBytes is the size of one value in the store. Larger values are not faster, and the server refuses values
	// above 8 MiB.
	chunkBytes = 1 << 20
	// RangeBytes is the size of one value of a ranged file, of which nodes fetch single chunks (see File.Ranged). To
	// draw a picture, a node reads some 40 kB at each of many places of a file. If a mesh of five million triangles is
	// shown zoomed in 8 times in the default look, the chunks that the node needs make up this part of the file:
	//
	//	chunks of   1 MiB   256 KiB   128 KiB
	//	             49 %      31 %      26 %
	//
	// Chunks of 128 KiB would be twice as many values in the store.
	RangeBytes = 256 << 10
	// chunksAtOnce limits the chunks in transit. The server refuses more than 128 MiB of data that it has not written
	// to disk yet.
	chunksAtOnce = 8
)

// chunkKey returns the key of chunk i of a part or picture.
func chunkKey(key string, i int64) string { return key + "." + strconv.FormatInt(i, 10) }

// key returns the token with which the keys of all values of a part begin.
func (p Part) key() string {
	if p.Chunks != "" { // p.Hash may be the key of the same part in larger chunks
		return p.Chunks
	}
	return p.Hash
}

// chunkBytes returns the size of the chunks of a part except the last, which may be shorter.
func (p Part) chunkBytes() int64 {
	if p.Chunks != "" {
		return RangeBytes
	}
	return chunkBytes
}

// wholeKey returns the key of the value that marks a part as complete.
func (p Part) wholeKey() string { return p.key() + ".whole" }

// sumsKey returns the key of the hashes of a part's chunks.
func (p Part) sumsKey() string { return p.key() + ".sums" }

// A chunkHasher is a writer that computes the SHA-256 of each chunk of the bytes that it gets.
type chunkHasher struct {
	sums []byte // hashes of the complete chunks, one after the other
	h    hash.Hash
	n    int64 // bytes of the incomplete chunk
}

// Write implements io.Writer. It returns no error.
func (c *chunkHasher) Write(b []byte) (int, error) {
	for rest := b; len(rest) > 0; {
		if c.h == nil {
			c.h = sha256.New()
		}
		k := min(int64(len(rest)), RangeBytes-c.n)
		c.h.Write(rest[:k])
		if rest, c.n = rest[k:], c.n+k; c.n == RangeBytes {
			c.endChunk()
		}
	}
	return len(b), nil
}

func (c *chunkHasher) endChunk() {
	c.sums = c.h.Sum(c.sums)
	c.h.Reset()
	c.n = 0
}

// finish returns the hashes of all chunks. The last chunk may be shorter than the others.
func (c *chunkHasher) finish() []byte {
	if c.n > 0 {
		c.endChunk()
	}
	return c.sums
}

// NumChunks returns the number of chunks of a part of a ranged file.
func (p Part) NumChunks() int64 { return (p.Size + RangeBytes - 1) / RangeBytes }

// CheckSums returns an error unless sums holds the SHA-256 hashes of the chunks of p, one after the other.
func (p Part) CheckSums(sums []byte) error {
	if want := p.NumChunks() * sha256.Size; int64(len(sums)) != want {
		return fmt.Errorf("the sums of part %.8s... have %d bytes, not %d", p.Hash, len(sums), want)
	}
	if got := Hash(sums); got != p.Chunks {
		return fmt.Errorf("the sums of part %.8s... arrived damaged: their hash is %s, not %s", p.Hash, got, p.Chunks)
	}
	return nil
}

// CheckChunk returns an error unless b is chunk i of p. sums holds the hashes of the chunks of p.
func (p Part) CheckChunk(sums []byte, i int64, b []byte) error {
	if want := min(RangeBytes, p.Size-i*RangeBytes); int64(len(b)) != want {
		return fmt.Errorf("chunk %d of part %.8s... has %d bytes, not %d", i, p.Hash, len(b), want)
	}
	if got := sha256.Sum256(b); !bytes.Equal(got[:], sums[i*sha256.Size:][:sha256.Size]) {
		return fmt.Errorf("chunk %d of part %.8s... arrived damaged: its hash is %x", i, p.Hash, got)
	}
	return nil
}

// ChunkSums fetches the hashes of the chunks of a part. The caller checks them with Part.CheckSums.
func (c *Blobs) ChunkSums(ctx context.Context, p Part) ([]byte, error) {
	return c.fetchValue(ctx, p.sumsKey())
}

// Chunk fetches chunk i of a part. The caller checks it with Part.CheckChunk.
func (c *Blobs) Chunk(ctx context.Context, p Part, i int64) ([]byte, error) {
	return c.fetchValue(ctx, chunkKey(p.key(), i))
}

// fetchValue fetches a value from the store of files.
func (c *Blobs) fetchValue(ctx context.Context, key string) (b []byte, err error) {
	large, err := c.openLarge(ctx)
	if err != nil {
		return nil, err
	}
	err = large.retry(ctx, func(ctx context.Context) (err error) {
		b, err = large.getBytes(ctx, blobStore, key)
		return err
	})
	return b, err
}

// A chunkLocation says where the chunks of a part or a picture are stored.
type chunkLocation struct {
	store, key string
	size       int64 // size of all chunks together, in bytes
	chunk      int64 // size of each chunk except the last, in bytes
}

// maxInTransit returns how many chunks may be in transit at a time.
func (k chunkLocation) maxInTransit() int { return int(chunksAtOnce * chunkBytes / k.chunk) }

// location returns where the chunks of a part are stored.
func (p Part) location() chunkLocation {
	return chunkLocation{blobStore, p.key(), p.Size, p.chunkBytes()}
}

// putChunks reads all bytes from r and stores them as chunks.
func (c *Blobs) putChunks(ctx context.Context, to chunkLocation, r io.Reader) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	free := make(chan []byte, to.maxInTransit())
	for range to.maxInTransit() {
		free <- nil
	}
	var sending sync.WaitGroup
	for i := int64(0); i*to.chunk < to.size && ctx.Err() == nil; i++ {
		b := <-free
		if b == nil {
			b = make([]byte, min(to.chunk, to.size))
		}
		b = b[:min(to.chunk, to.size-i*to.chunk)]
		if _, err := io.ReadFull(r, b); err != nil {
			cancel(err)
			break
		}
		sending.Go(func() {
			if err := c.retry(ctx, func(ctx context.Context) error { return c.putBytes(ctx, to.store, chunkKey(to.key, i), b) }); err != nil {
				cancel(err)
			}
			free <- b
		})
	}
	sending.Wait()
	return context.Cause(ctx)
}

// putBytes puts one value into a store.
func (c *Blobs) putBytes(ctx context.Context, store, key string, b []byte) error {
	err := c.write(ctx, store, key, b)
	if isFull(err) {
		return fmt.Errorf("store %s: %w: %w", store, ErrFull, err)
	}
	return err
}

// Error codes of the NATS server that mean that a store is full.
const (
	codeNoResources = 10023 // the disk or the server's storage limit is exhausted
	codeStoreFailed = 10077 // a stream has reached its limit of bytes, or of messages per subject
	codeNoStorage   = 10047
)

func isFull(err error) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) && (api.ErrorCode == codeNoResources || api.ErrorCode == codeStoreFailed || api.ErrorCode == codeNoStorage)
}

// getChunks reads the chunks that putChunks has stored, and writes them to w in order.
func (c *Blobs) getChunks(ctx context.Context, from chunkLocation, w io.Writer) error {
	type chunk struct {
		b   []byte
		err error
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ahead := make(chan chan chunk, from.maxInTransit()-1)
	var asking sync.WaitGroup
	defer asking.Wait()
	defer cancel()
	asking.Go(func() {
		defer close(ahead)
		for i := int64(0); i*from.chunk < from.size; i++ {
			answer := make(chan chunk, 1)
			select {
			case ahead <- answer:
			case <-ctx.Done():
				return
			}
			asking.Go(func() {
				var a chunk
				a.err = c.retry(ctx, func(ctx context.Context) error {
					a.b, a.err = c.getBytes(ctx, from.store, chunkKey(from.key, i))
					return a.err
				})
				if want := min(from.chunk, from.size-i*from.chunk); a.err == nil && int64(len(a.b)) != want {
					a.err = fmt.Errorf("%d bytes, not %d: %w", len(a.b), want, ErrMissing)
				}
				answer <- a
			})
		}
	})
	for answer := range ahead {
		a := <-answer
		if a.err != nil {
			return a.err
		}
		if _, err := w.Write(a.b); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// getBytes reads one value of a store. It returns ErrMissing if the key does not exist.
func (c *Blobs) getBytes(ctx context.Context, store, key string) ([]byte, error) {
	b, err := c.read(ctx, store, key)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, ErrMissing
	}
	return b, err
}

// transferTime is how long a transfer keeps trying while the server cannot be reached.
const transferTime = 2 * time.Minute

// retry calls f until it succeeds, fails with an error that repeating cannot cure, or transferTime has passed. An
// attempt can take longer than callTimeout only if this machine was suspended meanwhile. It then counts as callTimeout
// towards transferTime.
func (c *Blobs) retry(ctx context.Context, f func(context.Context) error) error {
	for spent := time.Duration(0); ; {
		began := time.Now()
		try, cancel := context.WithTimeout(ctx, callTimeout)
		err := f(try)
		cancel()
		spent += min(time.Since(began), callTimeout) + reconnectWait
		if err == nil || errors.Is(err, ErrFull) || errors.Is(err, ErrMissing) || errors.Is(err, errMalformed) || spent > transferTime {
			return err
		}
		if e := sleep(ctx, reconnectWait); e != nil {
			return e
		}
	}
}

// fullPause is how long a node waits, when the store is full, before it uploads a picture again. Meanwhile the
// submitter downloads and removes other pictures.
const fullPause = 500 * time.Millisecond

// putPicture uploads the picture of a frame. While the store is full it waits and tries again.
func (c *Blobs) putPicture(ctx context.Context, job Job, frame int, picture []byte) error {
	bulk, err := c.openLarge(ctx)
	if err != nil {
		return err
	}
	for {
		err := bulk.putChunks(ctx, chunkLocation{pictureStore, frameKey(job.ID, frame), int64(len(picture)), chunkBytes}, bytes.NewReader(picture))
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
	bulk, err := c.openLarge(ctx)
	if err != nil {
		return nil, err
	}
	// d.Bytes was written by a node, which may be faulty. So at first, memory is allocated only for the chunks that are
	// in transit at a time.
	b := bytes.NewBuffer(make([]byte, 0, min(d.Bytes, chunksAtOnce*chunkBytes)))
	if err := bulk.getChunks(ctx, chunkLocation{pictureStore, frameKey(job.ID, frame), int64(d.Bytes), chunkBytes}, b); err != nil {
		return nil, fmt.Errorf("picture of frame %d: %w", frame, err)
	}
	if Hash(b.Bytes()) != d.Hash {
		return nil, fmt.Errorf("picture of frame %d: its hash differs: %w", frame, ErrMissing)
	}
	return b.Bytes(), nil
}

// maxPicture is the largest size of a picture in bytes. Without a limit, a node could make the submitter download any
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
