package format

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"

	"lockstep/scenes"
	"lockstep/scenes/internal/text"
)

// PrefixSize is how much of an input the choice of its format rests on: the
// header and 1300 records of a binary STL file, hundreds of facets of a text.
const PrefixSize = 64 << 10

// An Input is what a Format reads a mesh from: front to back with Fill, or
// anywhere with ReadAt where it is a regular file. Its errors name the input
// and the place.
type Input struct {
	Options scenes.ReadOptions // with the name of the input
	Prefix  []byte             // the first PrefixSize bytes, or all if there are fewer
	Size    int64              // bytes of the whole input; -1: unknown
	Doubt   string             // see LengthFormat; else empty

	ctx    context.Context
	r      io.Reader   // continues after Prefix
	done   int64       // bytes taken from r, those in Prefix among them
	file   io.ReaderAt // the same bytes for random access; nil: not possible
	base   int64       // where the input starts in file
	closer io.Closer   // what Close closes; nil: nothing
	folder string      // of the file; empty: none
	packed *packed     // that the input is in; nil: none
	layers int         // of packings around it

	// Of files beside the mesh, see OpenBeside.
	root   *os.Root             // the open folder; nil: not yet
	listed map[string]listing   // folders, see anyCase
	names  int                  // how many there are in them
	found  map[string]foundFile // by the names that were looked for
	beside int64                // bytes that were read
	kept   map[any]any          // see Once
}

func newInput(ctx context.Context, r io.Reader, opts scenes.ReadOptions) (*Input, error) {
	if opts.Name == "" {
		opts.Name = "input"
	}
	if ctx == nil {
		return nil, fmt.Errorf("%s: expected a context, not nil", text.OneLine(opts.Name))
	}
	if r == nil {
		return nil, fmt.Errorf("%s: expected a reader, not nil", text.OneLine(opts.Name))
	}
	in := &Input{ctx: ctx, Options: opts, r: r, Size: -1}
	if f, ok := r.(seekableFile); ok {
		in.useFile(f)
	}
	size := int64(PrefixSize)
	if in.file != nil {
		size = min(size, in.Size)
	}
	prefix := make([]byte, size)
	n, err := in.Fill(prefix)
	if err != nil && err != io.EOF {
		return nil, err
	}
	in.Prefix = prefix[:n]
	if err == io.EOF && in.file == nil {
		in.Size = int64(n)
	}
	return in, nil
}

// seekableFile is what random access takes: an *os.File, or a file of an
// fs.FS that can do as much.
type seekableFile interface {
	fs.File
	io.ReaderAt
	io.Seeker
}

// useFile turns on random access if f is a regular file. Files of size zero
// stay streams: those of /proc have contents all the same.
func (in *Input) useFile(f seekableFile) {
	st, err := f.Stat()
	if err != nil || !st.Mode().IsRegular() {
		return
	}
	at, err := f.Seek(0, io.SeekCurrent)
	if err != nil || at >= st.Size() {
		return
	}
	in.file, in.base, in.Size = f, at, st.Size()-at
}

// maxEmptyReads is how many reads without data or error are taken for a
// reader that will never deliver, as in package bufio.
const maxEmptyReads = 100

// Fill reads until p is full and returns io.EOF, and how much was read, if the
// input ends before. Other errors name the input and the place.
func (in *Input) Fill(p []byte) (n int, err error) {
	for empty := 0; n < len(p); {
		if err := in.ctx.Err(); err != nil {
			return n, err
		}
		k, err := in.r.Read(p[n:])
		if k < 0 || k > len(p)-n {
			return n, in.ioError(fmt.Errorf("reader returned a count of %d for a buffer of %d bytes", k, len(p)-n))
		}
		n += k
		in.done += int64(k)
		if k > 0 {
			empty = 0
		} else if empty++; empty > maxEmptyReads && err == nil {
			err = io.ErrNoProgress
		}
		if err == io.EOF {
			in.Progress(in.done)
			return n, io.EOF
		}
		if err != nil {
			return n, in.ioError(err)
		}
	}
	in.Progress(in.done)
	return n, nil
}

// Progress reports to the user's callback, if there is one, how many bytes have been read.
func (in *Input) Progress(done int64) {
	if in.Options.Progress != nil {
		in.Options.Progress(done, in.Size)
	}
}

// Context returns the context of the read.
func (in *Input) Context() context.Context { return in.ctx }

// Done returns how many bytes Fill and the prefix have taken.
func (in *Input) Done() int64 { return in.done }

// Seekable reports whether ReadAt may be called.
func (in *Input) Seekable() bool { return in.file != nil }

// ReadAt fills p from byte off of the input. The error is a *scenes.DamageError if the
// input ends before p is full, although its size said otherwise.
func (in *Input) ReadAt(p []byte, off int64) error {
	n, err := in.file.ReadAt(p, in.base+off)
	if n == len(p) {
		return nil
	}
	at := off + int64(n)
	if err == io.EOF {
		return in.Damage(fmt.Sprintf("byte %d", at), "the file became shorter while it was read")
	}
	return fmt.Errorf("%s: byte %d: %w", text.OneLine(in.Options.Name), at, err)
}

// Close closes the file of an input that a scenes.Stream keeps.
func (in *Input) Close() error {
	if in.closer == nil {
		return nil
	}
	return in.closer.Close()
}

func (in *Input) ioError(err error) error {
	if in.packed != nil {
		return err // of the outer input
	}
	return fmt.Errorf("%s: byte %d: %w", text.OneLine(in.Options.Name), in.done, err)
}

// Unknown returns a scenes.ErrUnknownFormat that says what the input looks like.
func (in *Input) Unknown(reason string) error {
	return fmt.Errorf("%s: %w: %s", text.OneLine(in.Options.Name), scenes.ErrUnknownFormat, reason)
}

// Damage returns a *scenes.DamageError.
func (in *Input) Damage(place string, format string, args ...any) error {
	return &scenes.DamageError{File: in.Options.Name, Place: place, Err: fmt.Errorf(format, args...)}
}

// Once returns what make returned for a key when it was first called: what many parts of a file may
// name is read, decoded or counted once. Keys are of types of their own. It is for one goroutine.
func Once[T any](in *Input, key any, make func() T) T {
	if kept, ok := in.kept[key]; ok {
		return kept.(T)
	}
	v := make()
	in.keep(key, v)
	return v
}

func (in *Input) keep(key, v any) {
	if in.kept == nil {
		in.kept = make(map[any]any)
	}
	in.kept[key] = v
}
