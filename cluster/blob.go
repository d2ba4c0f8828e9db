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

// Machines that share no folder exchange meshes and pictures through stores of the server. A file is cut into parts of
// PartBytes, and a part into chunks, each of which is one value of the store. A part's key is its hash. Therefore a
// part that two films need is stored once, a receiver need not trust the sender, and an interrupted upload continues
// with the parts that are missing.

// A File describes a file by the hashes of its parts.
type File struct {
	// Name has a meaning only to the users of this package.
	Name  string `json:"name"`
	Size  int64  `json:"size"` // bytes
	Parts []Part `json:"parts"`
}

// A Part is a section of a file.
type Part struct {
	Hash string `json:"hash"` // SHA-256, in hexadecimal digits
	Size int64  `json:"size"` // bytes, at most PartBytes
}

// check returns an error unless f is a value that HashFile can return.
func (f *File) check() error {
	size := int64(0)
	for i, p := range f.Parts {
		if p.Size < 1 || p.Size > PartBytes || i < len(f.Parts)-1 && p.Size != PartBytes || len(p.Hash) != 2*sha256.Size || !validKey(p.Hash) {
			return fmt.Errorf("%s: part %d of %d bytes: %w", f.Name, i, p.Size, errMalformed)
		}
		size += p.Size
	}
	if size != f.Size {
		return fmt.Errorf("%s: parts of %d bytes, not %d: %w", f.Name, size, f.Size, errMalformed)
	}
	return nil
}

// PartBytes is the size of every part of a file except the last, which may be shorter.
const PartBytes = 64 << 20

// HashFile reads r to the end and returns its description under the given name.
func HashFile(ctx context.Context, name string, r io.Reader) (File, error) {
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

// Blobs transfers the files of jobs and the pictures of frames through the server.
type Blobs struct {
	*conn
	mu sync.Mutex
	// large has its own connection, for large transfers; nil before the first of them.
	large *Blobs
}

// close ends the connection for large transfers.
func (c *Blobs) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.large != nil {
		c.large.nc.Close()
	}
}

// bulk returns the connection for large transfers, and opens it at first use. It is separate so that heartbeats do not
// wait behind a transfer. The method close closes it.
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

// Upload stores those parts of a file that the server does not have yet. It reads r from beginning to end.
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

// uploadPart stores one part. It writes the key HASH.whole last, which marks the part as complete.
func (c *Blobs) uploadPart(ctx context.Context, p Part, r io.ReaderAt) error {
	if err := c.retry(ctx, func(ctx context.Context) error { return c.hasPart(ctx, p) }); !errors.Is(err, ErrMissing) {
		return err
	}
	sum := hasher{h: sha256.New(), r: r}
	if err := c.putChunks(ctx, blobStore, p.Hash, p.Size, &sum); err != nil {
		return err
	}
	if got := hex.EncodeToString(sum.h.Sum(nil)); got != p.Hash {
		return errors.New("the file is changed while it is sent")
	}
	return c.retry(ctx, func(ctx context.Context) error { return c.put(ctx, blobStore, p.Hash+".whole", p.Size) })
}

// A hasher is a reader of r that computes the SHA-256 of the bytes it has read.
type hasher struct {
	h      hash.Hash
	r      io.ReaderAt
	offset int64
}

func (s *hasher) Read(b []byte) (int, error) {
	n, err := s.r.ReadAt(b, s.offset)
	s.offset += int64(n)
	s.h.Write(b[:n])
	if err == io.EOF && n > 0 {
		err = nil
	}
	return n, err
}

// hasPart returns ErrMissing if the store does not hold the complete part.
func (c *Blobs) hasPart(ctx context.Context, p Part) error {
	var size int64
	err := c.get(ctx, blobStore, p.Hash+".whole", &size)
	if errors.Is(err, jetstream.ErrKeyNotFound) || err == nil && size != p.Size {
		return ErrMissing
	}
	return err
}

// Missing reports whether the store lacks at least one part of a file.
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

// Download writes a stored file to w and checks the hash of every part. On an error, w may have received a part of the
// file.
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

const (
	// chunkBytes is the size of one value in the store. Larger values are not faster, and the server refuses values
	// above 8 MiB.
	chunkBytes = 1 << 20
	// chunksAtOnce limits the chunks in transit: the server refuses more than 128 MiB of data that it has not written
	// to disk yet.
	chunksAtOnce = 8
)

// chunkKey returns the key of chunk i of a part or picture.
func chunkKey(key string, i int64) string { return key + "." + strconv.FormatInt(i, 10) }

// putChunks reads `size` bytes from r and stores them as chunks, chunksAtOnce at a time.
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
			if err := c.retry(ctx, func(ctx context.Context) error { return c.putBytes(ctx, store, chunkKey(key, i), b) }); err != nil {
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
	codeStoreFailed = 10077 // a stream has reached its limit, of bytes or of messages per subject
	codeNoStorage   = 10047
)

func isFull(err error) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) && (api.ErrorCode == codeNoResources || api.ErrorCode == codeStoreFailed || api.ErrorCode == codeNoStorage)
}

// getChunks reads `size` bytes that putChunks stored, and writes them to w in order.
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
				a.err = c.retry(ctx, func(ctx context.Context) error {
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

// getBytes reads one value of a store. It returns ErrMissing if the key does not exist.
func (c *Blobs) getBytes(ctx context.Context, store, key string) ([]byte, error) {
	b, err := c.read(ctx, store, key)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, ErrMissing
	}
	return b, err
}

// transferTime limits how long a transfer keeps retrying while the server is unreachable.
const transferTime = 2 * time.Minute

// retry calls f until it succeeds, fails with an error that a retry cannot cure, or transferTime has passed. Each
// attempt counts as at most callTimeout, even if this machine was suspended during the attempt.
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
