package format

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"os"

	"lockstep/scenes"
	"lockstep/scenes/internal/text"
)

// PrefixSize is the number of bytes at the start of an input by which its format is recognised. They hold the header
// and 1300 triangles of a binary STL file, or hundreds of triangles of a text.
const PrefixSize = 64 << 10

// maxComments is the largest number of bytes of comments that are read at the start of a text to recognise its
// format. It limits how much is read of a file that is not a mesh.
const maxComments = 1 << 20

// headLines is the number of lines at the start of a text that are searched for comments. Headers of meshes have fewer
// lines.
const headLines = 64

// An Input is a file or stream that a Format reads. Fill reads it from front to back. If it is a regular file, ReadAt
// reads it at any offset. Errors name the input and the place.
type Input struct {
	Options scenes.ReadOptions // options of the read, including the name of the input
	Prefix  []byte             // the first bytes, by which the format is recognised, see Format.Detect
	Size    int64              // bytes of the whole input; -1 if unknown
	Doubt   string             // reason why the input may not be a mesh, see LengthFormat; "" if there is none

	ctx    context.Context
	r      io.Reader   // the rest of the input after Prefix
	done   int64       // bytes read from r, including Prefix
	file   io.ReaderAt // the input for random access; nil if random access is not possible
	base   int64       // offset in file at which the input starts
	closer io.Closer   // closed by Close; nil: nothing to close
	folder string      // folder of the file; "" if it is unknown
	packed *packed     // unpacker that delivers this input; nil if the input is not packed
	layers int         // how many times the input is packed

	// The fields from root to besideBytes are for files beside the mesh, see OpenBeside.
	root        *os.Root             // folder of the mesh; nil if it is not open
	listed      map[string]listing   // names in each folder that was listed, see findFold
	notExistErr error                // the system's error for a missing file; set before any folder is listed
	listedNames int                  // number of folders and names in listed
	found       map[string]foundFile // results of searches, by the name that was asked for
	besideBytes int64                // bytes of files beside the mesh
	cache       map[any]any          // results of Once, by key
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
	if f, ok := r.(scenes.File); ok {
		in.useFile(f)
	}
	var err error
	if in.Prefix, err = readPrefix(in.Size, in.Fill); err != nil && err != io.EOF {
		return nil, err
	}
	if err == io.EOF && in.file == nil {
		in.Size = int64(len(in.Prefix))
	}
	return in, nil
}

// readPrefix reads the prefix of an input. size is the number of bytes of the input, or -1 if it is unknown. The
// function fill must return io.EOF if the input ends before p is full, as Input.Fill does.
func readPrefix(size int64, fill func(p []byte) (int, error)) (prefix []byte, err error) {
	if size < 0 {
		size = math.MaxInt64
	}
	for want := int64(PrefixSize); ; {
		grown := make([]byte, min(want, size))
		n := copy(grown, prefix)
		k, err := fill(grown[n:])
		prefix = grown[:n+k]
		if err != nil || !text.IsText(prefix) {
			return prefix, err
		}
		// If at least half of the prefix is comments, read more, because the text after the comments shows the format.
		comments, end := headComments(prefix)
		if comments < PrefixSize/2 {
			return prefix, nil
		}
		want = int64(end + PrefixSize)
		if end == len(prefix) {
			want = int64(2 * end)
		}
		if want = min(want, maxComments+PrefixSize, size); want <= int64(len(prefix)) {
			return prefix, nil
		}
	}
}

// headComments returns the number of bytes of comments before and between the first lines of a text, and the end of the
// last comment.
func headComments(p []byte) (comments, end int) {
	at := 0
	for range headLines {
		n := text.CommentsLength(p[at:])
		comments += n
		if at += n; n > 1 { // otherwise only a line end was skipped
			end = at
		}
		next := bytes.IndexAny(p[at:], "\r\n")
		if next < 0 || next > text.MaxName {
			break
		}
		at += next
	}
	return comments, end
}

// useFile enables ReadAt if f is a regular file. A file of size zero is read as a stream, because files in /proc have
// size zero and yet have contents.
func (in *Input) useFile(f scenes.File) {
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

// maxEmptyReads is the number of consecutive reads that may return neither data nor an error, as in package bufio.
// After that, the input fails.
const maxEmptyReads = 100

// Fill reads until p is full. If the input ends before that, it returns io.EOF and the number of bytes read. Other
// errors name the input and the place.
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

// Progress calls the progress function of the options, if there is one, with the number of bytes read so far.
func (in *Input) Progress(done int64) {
	if in.Options.Progress != nil {
		in.Options.Progress(done, in.Size)
	}
}

// Context returns the context in which the input is read.
func (in *Input) Context() context.Context { return in.ctx }

// Done returns the number of bytes read, including the prefix.
func (in *Input) Done() int64 { return in.done }

// Seekable reports whether ReadAt may be called.
func (in *Input) Seekable() bool { return in.file != nil }

// ReadAt fills p with the bytes of the input from offset `off` on. The error is a *scenes.DamageError if the input ends
// before p is full although its size promised more.
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

// Close closes the file of the input. The Stream that Open of a BlockFormat returns must call it in its own Close.
func (in *Input) Close() error {
	if in.closer == nil {
		return nil
	}
	return in.closer.Close()
}

func (in *Input) ioError(err error) error {
	if in.packed != nil {
		return err // err already names the outer input
	}
	return fmt.Errorf("%s: byte %d: %w", text.OneLine(in.Options.Name), in.done, err)
}

// Unknown returns an error that wraps scenes.ErrUnknownFormat and contains the reason.
func (in *Input) Unknown(reason string) error {
	return fmt.Errorf("%s: %w: %s", text.OneLine(in.Options.Name), scenes.ErrUnknownFormat, reason)
}

// Damage returns a *scenes.DamageError. place is the position of the damage in the input; format and args describe the
// damage.
func (in *Input) Damage(place string, format string, args ...any) error {
	return &scenes.DamageError{File: in.Options.Name, Place: place, Err: fmt.Errorf(format, args...)}
}

// Once returns the result of make for key, and calls make only once for each key. For example, an object is decoded
// only once even if several parts of a file refer to it. Each caller uses a key type of its own. Once must not be
// called by several goroutines at a time.
func Once[T any](in *Input, key any, make func() T) T {
	if kept, ok := in.cache[key]; ok {
		return kept.(T)
	}
	v := make()
	in.keep(key, v)
	return v
}

func (in *Input) keep(key, v any) {
	if in.cache == nil {
		in.cache = make(map[any]any)
	}
	in.cache[key] = v
}
