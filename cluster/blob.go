package cluster

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Machines without a common folder exchange meshes and pictures through stores of the server. A file is cut into parts
// of PartBytes, and a part into chunks, each of which is one value of the store. The key of a part is its hash. This
// has three advantages:
//   - A part that two films need is stored only once.
//   - A receiver need not trust the sender.
//   - An interrupted upload continues with the missing parts.

// A File describes a file by the hashes of its parts.
type File struct {
	// Name is the name that the users of this package give the file. The package does not interpret it.
	Name  string `json:"name"`
	Size  int64  `json:"size"` // in bytes
	Parts []Part `json:"parts"`
}

// A Part is a section of a file.
type Part struct {
	Hash string `json:"hash"` // SHA-256 in hexadecimal digits
	Size int64  `json:"size"` // in bytes, at most PartBytes
	// Chunks is a SHA-256 in hexadecimal digits. It is the hash of a list: the hashes of the part's chunks, one after
	// the other. A receiver that has checked this list can check single chunks with it. Chunks is empty in files that
	// are transferred only as a whole.
	Chunks string `json:"chunks,omitempty"`
}

// Ranged reports whether single chunks of f may be fetched, because their hashes can be checked; see Part.Chunks.
// Malformed files are not ranged.
func (f *File) Ranged() bool { return f.check() == nil && len(f.Parts) > 0 && f.Parts[0].Chunks != "" }

// check returns an error if f cannot be a result of HashFile or HashChunks.
func (f *File) check() error {
	size := int64(0)
	for i, p := range f.Parts {
		if p.Size < 1 || p.Size > PartBytes || i < len(f.Parts)-1 && p.Size != PartBytes || len(p.Hash) != 2*sha256.Size || !validKey(p.Hash) {
			return fmt.Errorf("%s: part %d of %d bytes: %w", f.Name, i, p.Size, errMalformed)
		}
		if (p.Chunks == "") != (f.Parts[0].Chunks == "") || p.Chunks != "" && (len(p.Chunks) != 2*sha256.Size || !validKey(p.Chunks)) {
			return fmt.Errorf("%s: part %d with the hash %q of its chunks: %w", f.Name, i, p.Chunks, errMalformed)
		}
		size += p.Size
	}
	if size != f.Size {
		return fmt.Errorf("%s: parts of %d bytes, not %d: %w", f.Name, size, f.Size, errMalformed)
	}
	return nil
}

// PartBytes is the size of every part of a file, in bytes. Only the last part may be shorter.
const PartBytes = 64 << 20

// HashFile reads r to the end and returns the description of the bytes as a file. name becomes the file's name.
func HashFile(ctx context.Context, name string, r io.Reader) (File, error) {
	return hashFile(ctx, name, r, false)
}

// HashChunks is like HashFile, but also sets the hash of the chunks of each part.
func HashChunks(ctx context.Context, name string, r io.Reader) (File, error) {
	return hashFile(ctx, name, r, true)
}

func hashFile(ctx context.Context, name string, r io.Reader, chunks bool) (File, error) {
	f := File{Name: name}
	for ctx.Err() == nil {
		h := sha256.New()
		var sums chunkHasher
		to := io.Writer(h)
		if chunks {
			to = io.MultiWriter(h, &sums)
		}
		n, err := io.Copy(to, io.LimitReader(r, PartBytes))
		if err != nil {
			return f, fmt.Errorf("%s: %w", name, err)
		}
		if n == 0 {
			return f, nil
		}
		p := Part{Hash: hex.EncodeToString(h.Sum(nil)), Size: n}
		if chunks {
			p.Chunks = Hash(sums.finish())
		}
		f.Size += n
		f.Parts = append(f.Parts, p)
	}
	return f, ctx.Err()
}

// Blobs transfers the files of jobs and the pictures of frames through the server.
type Blobs struct {
	*conn
	mu sync.Mutex
	// large has its own connection, for large transfers. It is nil before the first large transfer.
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

// openLarge returns the connection for large transfers. The first call opens it, and method close closes it. On a
// common connection, heartbeats would wait behind a transfer.
func (c *Blobs) openLarge(ctx context.Context) (*Blobs, error) {
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

// Upload stores those parts of a file that the server lacks. It reads r from beginning to end.
func (c *Blobs) Upload(ctx context.Context, f *File, r io.ReaderAt) error {
	large, err := c.openLarge(ctx)
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

// uploadPart stores one part. It writes the key that marks the part as complete last.
func (c *Blobs) uploadPart(ctx context.Context, p Part, r io.ReaderAt) error {
	if err := c.retry(ctx, func(ctx context.Context) error { return c.hasPart(ctx, p) }); !errors.Is(err, ErrMissing) {
		return err
	}
	if err := c.removeUnreadable(ctx, p); err != nil {
		return err
	}
	sum := hasher{h: sha256.New(), r: r, ranged: p.Chunks != ""}
	if err := c.putChunks(ctx, p.location(), &sum); err != nil {
		return err
	}
	sums := sum.chunks.finish()
	if got := hex.EncodeToString(sum.h.Sum(nil)); got != p.Hash || p.Chunks != "" && Hash(sums) != p.Chunks {
		return errors.New("the file is changed while it is sent")
	}
	if p.Chunks != "" {
		if err := c.retry(ctx, func(ctx context.Context) error { return c.putBytes(ctx, blobStore, p.sumsKey(), sums) }); err != nil {
			return err
		}
	}
	return c.retry(ctx, func(ctx context.Context) error { return c.put(ctx, blobStore, p.wholeKey(), p.Size) })
}

// A hasher reads r and computes the SHA-256 of the bytes that it has read. If ranged is set, it also computes the
// SHA-256 of each chunk.
type hasher struct {
	h      hash.Hash
	chunks chunkHasher
	ranged bool
	r      io.ReaderAt
	offset int64
}

func (s *hasher) Read(b []byte) (int, error) {
	n, err := s.r.ReadAt(b, s.offset)
	s.offset += int64(n)
	s.h.Write(b[:n])
	if s.ranged {
		s.chunks.Write(b[:n])
	}
	if err == io.EOF && n > 0 {
		err = nil
	}
	return n, err
}

// removeUnreadable removes values of a part that are damaged on the server's disk. The NATS server lists such a value but
// does not find it. It cannot remove the value alone, and hangs when another value replaces it. So all files are removed
// from the store. Submitters upload them again when nodes request them.
func (c *Blobs) removeUnreadable(ctx context.Context, p Part) error {
	keys, err := c.keys(ctx, blobStore, p.key()+".*")
	for _, key := range keys {
		switch _, err := c.getBytes(ctx, blobStore, key); {
		case errors.Is(err, ErrMissing):
			s, err := c.stream(ctx, "KV_"+blobStore)
			if err != nil {
				return err
			}
			return s.Purge(ctx)
		case err != nil:
			return err
		}
	}
	return err
}

// hasPart returns ErrMissing if the store lacks the part or some of its chunks.
func (c *Blobs) hasPart(ctx context.Context, p Part) error {
	var size int64
	err := c.get(ctx, blobStore, p.wholeKey(), &size)
	if errors.Is(err, jetstream.ErrKeyNotFound) || err == nil && size != p.Size {
		return ErrMissing
	}
	return err
}

// Missing reports whether the store lacks some part of a file.
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

// Download writes a stored file to w and checks the hash of every part. If a part is damaged in the store, Download
// asks the submitter to repair it, and returns an error that wraps ErrDamaged. If Download returns an error, the
// beginning of the file may have been written to w.
func (c *Blobs) Download(ctx context.Context, f *File, w io.Writer) error {
	if err := f.check(); err != nil {
		return err
	}
	large, err := c.openLarge(ctx)
	if err != nil {
		return err
	}
	for _, p := range f.Parts {
		if err := large.readPart(ctx, p, w); err != nil {
			if errors.Is(err, ErrDamaged) {
				_ = c.RequestRepair(ctx, p) // an error is ignored: the caller downloads again, which repeats the request
			}
			return fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	return nil
}

// readPart writes a stored part to w and checks its hash.
func (c *Blobs) readPart(ctx context.Context, p Part, w io.Writer) error {
	h := sha256.New()
	switch err := c.getChunks(ctx, p.location(), io.MultiWriter(h, w)); {
	case errors.Is(err, ErrMissing) && c.hasPart(ctx, p) == nil:
		return fmt.Errorf("a part is incomplete: %w", ErrDamaged)
	case err != nil:
		return err
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != p.Hash {
		return fmt.Errorf("a part arrived damaged: its hash is %s, not %s: %w", got, p.Hash, ErrDamaged)
	}
	return nil
}

// RequestRepair asks the submitters of all jobs with a file that contains the part to call Repair.
func (c *Blobs) RequestRepair(ctx context.Context, p Part) error {
	return c.put(ctx, wantedStore, p.key(), time.Now().UTC())
}

// RequestPart asks the submitter of a job to upload a part, or to repair it if it should be in the store already.
func (c *Blobs) RequestPart(ctx context.Context, job Job, p Part) error {
	switch err := c.hasPart(ctx, p); {
	case err == nil:
		return c.RequestRepair(ctx, p)
	case errors.Is(err, ErrMissing):
		return c.RequestFiles(ctx, job)
	default:
		return err
	}
}

// RepairsRequested returns a function that reports whether a node has called RequestRepair for a part.
func (c *Blobs) RepairsRequested(ctx context.Context) (requested func(Part) bool, err error) {
	keys, err := c.keys(ctx, wantedStore, "*")
	return func(p Part) bool { return slices.Contains(keys, p.key()) }, err
}

// Repair reads a part from the store. If it is damaged, Repair stores it again, with the bytes of r. It returns an
// error that wraps ErrDamaged if the part is damaged even after that.
func (c *Blobs) Repair(ctx context.Context, p Part, r io.ReaderAt) (repaired bool, err error) {
	large, err := c.openLarge(ctx)
	if err != nil {
		return false, err
	}
	// The request is removed first, so that a request that arrives meanwhile is not lost.
	if err := large.purge(ctx, wantedStore, p.key()); err != nil {
		return false, err
	}
	if err := large.checkPart(ctx, p); !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrMissing) {
		return false, err
	}
	if err := large.purge(ctx, blobStore, p.key()+".*"); err != nil {
		return false, err
	}
	if err := large.uploadPart(ctx, p, r); err != nil {
		return false, err
	}
	return true, large.checkPart(ctx, p)
}

// checkPart reads a part from the store and checks it.
func (c *Blobs) checkPart(ctx context.Context, p Part) error {
	if err := c.readPart(ctx, p, io.Discard); err != nil || p.Chunks == "" {
		return err
	}
	sums, err := c.getBytes(ctx, blobStore, p.sumsKey())
	if err == nil && p.CheckSums(sums) != nil || errors.Is(err, ErrMissing) {
		return fmt.Errorf("the hashes of the chunks of a part: %w", ErrDamaged)
	}
	return err
}
