package ranged

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"lockstep/cluster"
)

// A Fetcher fetches chunks of files, and the hashes of chunks. It may return wrong bytes, because the caller checks
// both.
type Fetcher interface {
	ChunkSums(ctx context.Context, p cluster.Part) ([]byte, error)
	Chunk(ctx context.Context, p cluster.Part, i int64) ([]byte, error)
	// Damaged is called when a chunk of a part, or the hashes of its chunks, arrived damaged.
	Damaged(ctx context.Context, p cluster.Part)
}

// Options configure a File.
type Options struct {
	// Path is the name of the file in messages. The name of the copy is Path and Suffix.
	Path string
	// Fetch fetches the chunks that the copy lacks.
	Fetch Fetcher
	// Room is called before the copy grows by a number of bytes. If it returns an error, nothing is written. It may be
	// nil.
	Room func(bytes int64) error
}

// Suffix is the end of the names of copies. A copy has holes. Under the name of the file itself, another reader could
// take it for the whole file.
const Suffix = ".chunks"

const (
	// atOnce limits the chunks in transit. Other transfers have the same limit (see package cluster).
	atOnce = 8
	// If reading seems to be sequential, chunks are fetched before they are read. When a chunk is missing and the
	// `behind` chunks before it are held, the `ahead` chunks after it are fetched too.
	behind, ahead = 2, 2
)

// A File is a file whose chunks are fetched when they are first read. It implements io.ReaderAt. Its methods may be
// called concurrently, except Close.
type File struct {
	options Options
	file    cluster.File
	copy    *os.File
	// ctx ends when the file is closed. A fetch goes on when the context of one reader ends, because other readers may
	// wait for the same chunk.
	ctx     context.Context
	cancel  context.CancelFunc
	running sync.WaitGroup
	slots   chan struct{} // a semaphore: one place for each chunk in transit
	parts   []part

	mu       sync.Mutex
	readers  context.Context // limits how long readers wait, see SetContext
	held     []bool          // by chunk: whether its bytes in the copy are known to be right
	fetching map[int64]*fetch
	fetched  int64 // bytes
	failed   *Failure

	roomMu sync.Mutex
	room   int64 // in bytes: granted by Options.Room, and not written yet
}

// A part holds the hashes of the chunks of one cluster.Part.
type part struct {
	mu   sync.Mutex
	sums []byte // nil until they are needed
}

// A fetch is a chunk that is being fetched.
type fetch struct {
	done chan struct{} // closed when the chunk is held or err is set
	err  error
}

// A Failure is the first error of reading a File.
type Failure struct {
	Chunk int64 // number of the chunk that could not be read
	Err   error
}

// Open opens a ranged file (see cluster.File.Ranged). It creates the copy if there is none. ctx is the context of
// reading until SetContext sets another.
func Open(ctx context.Context, file cluster.File, o Options) (*File, error) {
	if !file.Ranged() {
		return nil, fmt.Errorf("%s: its chunks have no hashes", o.Path)
	}
	if err := os.MkdirAll(filepath.Dir(o.Path), 0o700); err != nil {
		return nil, err
	}
	copied, err := os.OpenFile(o.Path+Suffix, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	f := &File{
		options: o, file: file, copy: copied, slots: make(chan struct{}, atOnce), parts: make([]part, len(file.Parts)),
		readers: ctx, held: make([]bool, chunksOf(file.Size)), fetching: map[int64]*fetch{},
	}
	size := f.sumsOffset(len(file.Parts))
	if info, err := copied.Stat(); err != nil || info.Size() != size {
		err = errors.Join(err, copied.Truncate(size)) // the new bytes are a hole, which takes no room on the disk
		if err != nil {
			copied.Close()
			return nil, err
		}
	}
	f.ctx, f.cancel = context.WithCancel(context.Background())
	return f, nil
}

// chunksOf returns the number of chunks of a file. Only the last chunk may be shorter, because the size of a part is a
// multiple of the size of a chunk.
func chunksOf(size int64) int64 { return (size + cluster.RangeBytes - 1) / cluster.RangeBytes }

const chunksPerPart = cluster.PartBytes / cluster.RangeBytes

// sumsOffset returns where the hashes of a part's chunks begin in the copy, as an offset in bytes.
func (f *File) sumsOffset(part int) int64 {
	return f.file.Size + int64(part)*chunksPerPart*sha256.Size
}

// Close ends all fetches and closes the copy.
func (f *File) Close() error {
	f.mu.Lock()
	f.cancel() // the lock is held, so no fetch begins afterwards
	f.mu.Unlock()
	f.running.Wait()
	return f.copy.Close()
}

// SetContext sets the context with which ReadAt waits for chunks.
func (f *File) SetContext(ctx context.Context) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.readers = ctx
}

// Failed returns the first error of ReadAt, or nil. If there was an error, a mesh that was read from the file may be
// incomplete.
func (f *File) Failed() *Failure {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.failed
}

// Fetched returns the number of bytes of chunks that were fetched.
func (f *File) Fetched() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.fetched
}

// ReadAt implements io.ReaderAt. It fetches missing chunks and waits for them.
func (f *File) ReadAt(p []byte, off int64) (int, error) {
	switch {
	case off < 0:
		return 0, fmt.Errorf("%s: a read at byte %d", f.options.Path, off)
	case off >= f.file.Size:
		return 0, io.EOF
	}
	n := min(int64(len(p)), f.file.Size-off)
	if n == 0 {
		return 0, nil
	}
	first, last := off/cluster.RangeBytes, (off+n-1)/cluster.RangeBytes
	if err := f.fetchMissing(first, last); err != nil {
		return 0, err
	}
	k, err := f.copy.ReadAt(p[:n], off)
	if int64(k) < n {
		if err == io.EOF { // readers would take io.EOF for the end of the mesh
			err = errors.New("the copy became shorter")
		}
		return k, f.noteFailure(first, err)
	}
	if n < int64(len(p)) {
		return k, io.EOF
	}
	return k, nil
}

// FetchChunk fetches chunk i if the copy lacks it, and waits for it.
func (f *File) FetchChunk(i int64) error { return f.fetchMissing(i, i) }

// FetchAll fetches all chunks that the copy lacks, and waits for them.
func (f *File) FetchAll() error {
	for i, n := int64(0), int64(len(f.held)); i < n; i += chunksPerPart {
		if err := f.fetchMissing(i, min(i+chunksPerPart, n)-1); err != nil {
			return err
		}
	}
	return nil
}

// fetchMissing fetches the chunks from `first` to `last` that the copy lacks, and waits for them.
func (f *File) fetchMissing(first, last int64) error {
	f.mu.Lock()
	ctx := f.readers
	var waiting []*fetch
	var numbers []int64
	for i := first; i <= last; i++ {
		if x := f.startFetch(i); x != nil {
			waiting, numbers = append(waiting, x), append(numbers, i)
		}
	}
	if len(waiting) > 0 && f.isSequential(numbers[0]) {
		for i := last + 1; i <= min(last+ahead, int64(len(f.held))-1) && len(f.fetching) < atOnce; i++ {
			f.startFetch(i)
		}
	}
	f.mu.Unlock()
	for k, x := range waiting {
		select {
		case <-x.done:
			if x.err != nil {
				return f.noteFailure(numbers[k], x.err)
			}
		case <-ctx.Done():
			return f.noteFailure(numbers[k], ctx.Err())
		}
	}
	return nil
}

// isSequential reports whether reading seems to be sequential, because the `behind` chunks before chunk i are held. The
// caller holds f.mu.
func (f *File) isSequential(i int64) bool {
	return i >= behind && !slices.Contains(f.held[i-behind:i], false)
}

// noteFailure records the first error, and returns err with the name of the file.
func (f *File) noteFailure(chunk int64, err error) error {
	err = fmt.Errorf("%s: byte %d: %w", f.options.Path, chunk*cluster.RangeBytes, err)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.failed == nil {
		f.failed = &Failure{chunk, err}
	}
	return err
}

// startFetch starts to fetch a chunk and returns the fetch. If the chunk is being fetched already, it returns that
// fetch. It returns nil if the chunk is held. The caller holds f.mu.
func (f *File) startFetch(i int64) *fetch {
	if f.held[i] {
		return nil
	}
	if x := f.fetching[i]; x != nil {
		return x
	}
	x := &fetch{done: make(chan struct{})}
	if x.err = f.ctx.Err(); x.err != nil {
		x.err = fs.ErrClosed
		close(x.done)
		return x
	}
	f.fetching[i] = x
	f.running.Go(func() {
		x.err = f.ensureHeld(i)
		f.mu.Lock()
		f.held[i] = x.err == nil
		delete(f.fetching, i)
		f.mu.Unlock()
		close(x.done)
	})
	return x
}

// ensureHeld makes sure that the copy holds a chunk. It hashes the bytes in the copy, and fetches the chunk if the hash
// is wrong.
func (f *File) ensureHeld(i int64) error {
	select {
	case f.slots <- struct{}{}:
		defer func() { <-f.slots }()
	case <-f.ctx.Done():
		return fs.ErrClosed
	}
	at, inPart := i/chunksPerPart, i%chunksPerPart
	p := f.file.Parts[at]
	sums, err := f.chunkSums(int(at))
	if err != nil {
		return err
	}
	b := make([]byte, min(cluster.RangeBytes, f.file.Size-i*cluster.RangeBytes))
	if _, err := f.copy.ReadAt(b, i*cluster.RangeBytes); err == nil && p.CheckChunk(sums, inPart, b) == nil {
		return nil
	}
	if b, err = f.options.Fetch.Chunk(f.ctx, p, inPart); err != nil {
		return fmt.Errorf("chunk %d of part %.8s...: %w", inPart, p.Hash, err)
	}
	if err := p.CheckChunk(sums, inPart, b); err != nil {
		f.options.Fetch.Damaged(f.ctx, p)
		return err
	}
	if err := f.reserve(int64(len(b))); err != nil {
		return err
	}
	if _, err := f.copy.WriteAt(b, i*cluster.RangeBytes); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fetched += int64(len(b))
	return nil
}

// chunkSums returns the hashes of the chunks of one part.
func (f *File) chunkSums(at int) ([]byte, error) {
	p, to := f.file.Parts[at], &f.parts[at]
	to.mu.Lock()
	defer to.mu.Unlock()
	if to.sums != nil {
		return to.sums, nil
	}
	sums := make([]byte, p.NumChunks()*sha256.Size)
	if _, err := f.copy.ReadAt(sums, f.sumsOffset(at)); err == nil && p.CheckSums(sums) == nil {
		to.sums = sums
		return sums, nil
	}
	sums, err := f.options.Fetch.ChunkSums(f.ctx, p)
	if err != nil {
		return nil, fmt.Errorf("the sums of part %.8s...: %w", p.Hash, err)
	}
	if err := p.CheckSums(sums); err != nil {
		f.options.Fetch.Damaged(f.ctx, p)
		return nil, err
	}
	if _, err := f.copy.WriteAt(sums, f.sumsOffset(at)); err != nil {
		return nil, err
	}
	to.sums = sums
	return sums, nil
}

// roomStep is the number of bytes that are reserved at a time, if there is enough room. For each reservation, the sizes
// of all files in the cache are added up. That takes longer than writing one chunk.
const roomStep = 16 << 20

// reserve asks for room for n bytes of the copy.
func (f *File) reserve(n int64) error {
	if f.options.Room == nil {
		return nil
	}
	f.roomMu.Lock()
	defer f.roomMu.Unlock()
	if f.room < n {
		step := max(n, min(roomStep, f.file.Size-f.Fetched()))
		if f.options.Room(step) != nil {
			step = n
			if err := f.options.Room(step); err != nil {
				return err
			}
		}
		f.room = step
	}
	f.room -= n
	return nil
}

// A handle is an open file for one reader. It begins at the first byte. Closing it has no effect.
type handle struct {
	*io.SectionReader
	f *File
}

// Reader returns the file for one reader. The result implements fs.File, io.ReaderAt and io.Seeker.
func (f *File) Reader() interface {
	fs.File
	io.ReaderAt
	io.Seeker
} {
	return handle{io.NewSectionReader(f, 0, f.file.Size), f}
}

func (h handle) Close() error               { return nil }
func (h handle) Stat() (fs.FileInfo, error) { return h, nil }

// A handle implements fs.FileInfo.

func (h handle) Name() string       { return filepath.Base(h.f.options.Path) }
func (h handle) Mode() fs.FileMode  { return 0o400 }
func (h handle) ModTime() time.Time { return time.Time{} }
func (h handle) IsDir() bool        { return false }
func (h handle) Sys() any           { return nil }
