package cluster

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Meshes and pictures of machines that share no folder go through stores of the server. A
// file is cut into parts, a part into chunks, each a value of the store. Parts are named by
// their hash, so that a part of two films is there once, whoever sends it is not trusted, and
// what was cut short goes on where it was.

// ErrFull is the error of a store that has no room left.
var ErrFull = errors.New("the server's store is full")

// ErrMissing is the error of a part or picture that is not, or not wholly, in the store.
var ErrMissing = errors.New("not in the server's store")

// Describe reads a file and returns what it holds.
func Describe(ctx context.Context, name string, r io.Reader) (File, error) {
	f := File{Name: name}
	for ctx.Err() == nil {
		h := sha256.New()
		n, err := io.Copy(h, io.LimitReader(r, PartBytes))
		if err != nil {
			return f, fmt.Errorf("%s: %w", name, err)
		}
		if n == 0 {
			return f, nil
		}
		f.Size += n
		f.Parts = append(f.Parts, Part{hex.EncodeToString(h.Sum(nil)), n})
	}
	return f, ctx.Err()
}

// Blobs are the files of jobs and the pictures of frames that pass through the server.
type Blobs struct {
	*conn
	mu    sync.Mutex
	large *Blobs // by a connection for large transfers; nil: none was needed
}

// close ends the connection for large transfers.
func (c *Blobs) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.large != nil {
		c.large.nc.Close()
	}
}

// bulk returns a connection for large transfers: heartbeats must not wait behind them. It
// lasts as long as the cluster.
func (c *Blobs) bulk(ctx context.Context) (*Blobs, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.large != nil {
		return c.large, nil
	}
	own, err := dial(ctx, c.address)
	if err != nil {
		return nil, err
	}
	c.large = &Blobs{conn: own}
	return c.large, nil
}

// Upload puts the parts of a file into the store that are not there. r is read in order.
func (c *Blobs) Upload(ctx context.Context, f *File, r io.ReaderAt) error {
	large, err := c.bulk(ctx)
	if err != nil {
		return err
	}
	at := int64(0)
	for _, p := range f.Parts {
		if err := large.uploadPart(ctx, p, io.NewSectionReader(r, at, p.Size)); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		at += p.Size
	}
	return nil
}

// uploadPart puts one part into the store; last its mark, which says that it is whole.
func (c *Blobs) uploadPart(ctx context.Context, p Part, r io.ReaderAt) error {
	if err := c.tryFor(ctx, func(ctx context.Context) error { return c.hasPart(ctx, p) }); !errors.Is(err, ErrMissing) {
		return err
	}
	sum := hasher{h: sha256.New(), r: r}
	if err := c.putChunks(ctx, blobStore, p.Hash, p.Size, &sum); err != nil {
		return err
	}
	if got := hex.EncodeToString(sum.h.Sum(nil)); got != p.Hash {
		return errors.New("the file is changed while it is sent")
	}
	return c.tryFor(ctx, func(ctx context.Context) error { return c.put(ctx, blobStore, p.Hash+".whole", p.Size) })
}

// A hasher reads a file for an upload and computes its SHA-256 on the way, as long as it is read
// from front to back.
type hasher struct {
	h  hash.Hash
	r  io.ReaderAt
	at int64
}

func (s *hasher) Read(b []byte) (int, error) {
	n, err := s.r.ReadAt(b, s.at)
	s.at += int64(n)
	s.h.Write(b[:n])
	if err == io.EOF && n > 0 {
		err = nil
	}
	return n, err
}

// hasPart returns ErrMissing for a part that is not in the store.
func (c *Blobs) hasPart(ctx context.Context, p Part) error {
	var size int64
	err := c.get(ctx, blobStore, p.Hash+".whole", &size)
	if errors.Is(err, jetstream.ErrKeyNotFound) || err == nil && size != p.Size {
		return ErrMissing
	}
	return err
}

// Missing reports whether parts of a file are not in the store.
func (c *Blobs) Missing(ctx context.Context, f *File) (bool, error) {
	for _, p := range f.Parts {
		if err := c.hasPart(ctx, p); errors.Is(err, ErrMissing) {
			return true, nil
		} else if err != nil {
			return false, err
		}
	}
	return false, nil
}

// Download writes a file that is in the store, and checks the hash of every part. What
// was written stays when there is an error.
func (c *Blobs) Download(ctx context.Context, f *File, w io.Writer) error {
	if err := f.check(); err != nil {
		return err
	}
	large, err := c.bulk(ctx)
	if err != nil {
		return err
	}
	for _, p := range f.Parts {
		h := sha256.New()
		if err := large.getChunks(ctx, blobStore, p.Hash, p.Size, io.MultiWriter(h, w)); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		if got := hex.EncodeToString(h.Sum(nil)); got != p.Hash {
			return fmt.Errorf("%s: a part arrived damaged: its hash is %s, not %s", f.Name, got, p.Hash)
		}
	}
	return nil
}

// chunkKey names a chunk.
func chunkKey(key string, i int64) string { return key + "." + strconv.FormatInt(i, 10) }

// putChunks puts size bytes of a reader into a store.
func (c *Blobs) putChunks(ctx context.Context, store, key string, size int64, r io.Reader) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	free := make(chan []byte, chunksAtOnce)
	for range chunksAtOnce {
		free <- nil
	}
	var sending sync.WaitGroup
	for i := int64(0); i*chunkBytes < size && ctx.Err() == nil; i++ {
		b := <-free
		if b == nil {
			b = make([]byte, min(chunkBytes, size))
		}
		b = b[:min(chunkBytes, size-i*chunkBytes)]
		if _, err := io.ReadFull(r, b); err != nil {
			cancel(err)
			break
		}
		sending.Go(func() {
			if err := c.tryFor(ctx, func(ctx context.Context) error { return c.putBytes(ctx, store, chunkKey(key, i), b) }); err != nil {
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

// Numbers of the server's errors.
const (
	codeNoResources = 10023 // of the disk, or of what the server may keep
	codeStoreFailed = 10077 // of a stream: its limit is reached
	codeNoStorage   = 10047
)

func isFull(err error) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) && (api.ErrorCode == codeNoResources || api.ErrorCode == codeStoreFailed || api.ErrorCode == codeNoStorage)
}

// getChunks writes size bytes of a store, in order.
func (c *Blobs) getChunks(ctx context.Context, store, key string, size int64, w io.Writer) error {
	type chunk struct {
		b   []byte
		err error
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ahead := make(chan chan chunk, chunksAtOnce-1)
	var asking sync.WaitGroup
	defer asking.Wait()
	defer cancel()
	asking.Go(func() {
		defer close(ahead)
		for i := int64(0); i*chunkBytes < size; i++ {
			answer := make(chan chunk, 1)
			select {
			case ahead <- answer:
			case <-ctx.Done():
				return
			}
			asking.Go(func() {
				var a chunk
				a.err = c.tryFor(ctx, func(ctx context.Context) error {
					a.b, a.err = c.getBytes(ctx, store, chunkKey(key, i))
					return a.err
				})
				if want := min(chunkBytes, size-i*chunkBytes); a.err == nil && int64(len(a.b)) != want {
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

// getBytes reads one value of a store.
func (c *Blobs) getBytes(ctx context.Context, store, key string) ([]byte, error) {
	b, err := c.read(ctx, store, key)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, ErrMissing
	}
	return b, err
}

// transferTime bounds how long a server may be away while something is sent.
const transferTime = 2 * time.Minute

// tryFor calls f until it succeeds or fails for good: the server may be on its way back. A try
// counts for no more than its limit, however long this machine slept in it.
func (c *Blobs) tryFor(ctx context.Context, f func(context.Context) error) error {
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
