package scenes

import (
	"context"
	"fmt"
	"io"
	"os"
)

// ReadOptions controls Read, ReadFile and OpenSTL. The zero value reads
// leniently on all cores.
type ReadOptions struct {
	// Strict refuses what would be a warning.
	Strict bool
	// Name stands for the input in errors. Default: the path for ReadFile and
	// OpenSTL, "input" for Read.
	Name string
	// Workers is the number of goroutines that read and decode a binary file;
	// other inputs are read by one. Default: GOMAXPROCS.
	Workers int
	// Progress, if not nil, is called now and then with the bytes read so far
	// and the bytes of the whole input, -1 where that is unknown. Calls come
	// from any goroutine of the reader, but never two at once, and bytesDone
	// never falls.
	Progress func(bytesDone, bytesTotal int64)
}

// Formats that a Report names.
const (
	FormatSTLBinary = "stl-binary"
	FormatSTLASCII  = "stl-ascii"
	FormatScene     = "scene"
)

// A Report says what a reader found.
type Report struct {
	Format string // one of the Format constants
	Bytes  int64  // bytes of input, as far as they were read

	Triangles int // triangles delivered, bad ones among them
	// BadTriangles counts triangles with a NaN or infinite coordinate. They
	// stay in the mesh, so that indices agree with the file; a renderer drops
	// them.
	BadTriangles int
	// Bounds is the box of all finite vertices, relative to the origin of the
	// mesh; empty if there are none.
	Bounds Box
	// Warnings holds one line for each damage, with its place in the file; the
	// last line sums up when there are more than a screenful.
	Warnings []string
}

// ReadFile reads a mesh file into memory, see Read. Errors of the operating
// system are wrapped, so that errors.Is(err, fs.ErrNotExist) works.
func ReadFile(ctx context.Context, path string, opts ReadOptions) (*Mesh, *Report, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	if opts.Name == "" {
		opts.Name = path
	}
	return Read(ctx, f, opts)
}

// Read reads a mesh into memory from r, to its end. The format is found out
// from the contents: binary or ASCII STL.
//
// A regular *os.File is read in parallel from its current position; anything
// else is read once, front to back, whatever the lengths of its reads. Memory
// is 36 bytes a triangle (40 with colours) plus small buffers, and twice that
// for a moment where the size was not known before.
//
// Errors: ErrUnknownFormat, *DamageError, the wrapped error of r, or that of
// ctx. See the package comment for damaged input.
func Read(ctx context.Context, r io.Reader, opts ReadOptions) (*Mesh, *Report, error) {
	in, err := newInput(ctx, r, opts)
	if err != nil {
		return nil, nil, err
	}
	format, reason := detect(in.prefix, in.size)
	switch {
	case format == formatUnknown && in.size < 0 && binaryByCount(in.prefix):
		return readBinaryStream(in, reason)
	case format == formatUnknown:
		return nil, nil, in.unknown(reason)
	case format == formatASCIISTL:
		return readASCII(in)
	case in.file != nil:
		return readBinaryFile(in)
	}
	return readBinaryStream(in, "")
}

// prefixSize is how much of an input the choice of its format rests on: the
// header and 1300 records of a binary file, hundreds of facets of a text.
const prefixSize = 64 << 10

// input is something to read a mesh from.
type input struct {
	ctx    context.Context
	opts   ReadOptions
	r      io.Reader // continues after prefix
	prefix []byte    // the first prefixSize bytes, or all if there are fewer
	size   int64     // bytes of the whole input; -1: unknown
	done   int64     // bytes taken from r, those in prefix among them

	file io.ReaderAt // the same bytes for random access; nil: not possible
	base int64       // where the input starts in file
}

func newInput(ctx context.Context, r io.Reader, opts ReadOptions) (*input, error) {
	if opts.Name == "" {
		opts.Name = "input"
	}
	in := &input{ctx: ctx, opts: opts, r: r, size: -1}
	if f, ok := r.(*os.File); ok {
		in.useFile(f)
	}
	prefix := make([]byte, prefixSize)
	n, err := in.fill(prefix)
	if err != nil && err != io.EOF {
		return nil, err
	}
	in.prefix = prefix[:n]
	if err == io.EOF && in.file == nil {
		in.size = int64(n)
	}
	return in, nil
}

// useFile turns on random access if f is a regular file. Files of size zero
// stay streams: those of /proc have contents all the same.
func (in *input) useFile(f *os.File) {
	st, err := f.Stat()
	if err != nil || !st.Mode().IsRegular() {
		return
	}
	at, err := f.Seek(0, io.SeekCurrent)
	if err != nil || at >= st.Size() {
		return
	}
	in.file, in.base, in.size = f, at, st.Size()-at
}

// maxEmptyReads is how many reads without data or error are taken for a
// reader that will never deliver, as in package bufio.
const maxEmptyReads = 100

// fill reads until p is full and returns io.EOF, and how much was read, if the
// input ends before. Other errors name the input and the place.
func (in *input) fill(p []byte) (n int, err error) {
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
			in.progress(in.done)
			return n, io.EOF
		}
		if err != nil {
			return n, in.ioError(err)
		}
	}
	in.progress(in.done)
	return n, nil
}

func (in *input) progress(done int64) {
	if in.opts.Progress != nil {
		in.opts.Progress(done, in.size)
	}
}

func (in *input) ioError(err error) error {
	return fmt.Errorf("%s: byte %d: %w", oneLine(in.opts.Name), in.done, err)
}

func (in *input) unknown(reason string) error {
	return fmt.Errorf("%s: %w: %s", oneLine(in.opts.Name), ErrUnknownFormat, reason)
}

func (in *input) damage(place string, format string, args ...any) error {
	return &DamageError{File: in.opts.Name, Place: place, Err: fmt.Errorf(format, args...)}
}

// maxWarnings bounds what a file that is damaged all over can make a report
// hold: about a screenful.
const maxWarnings = 20

// warnings collects the damage of one input.
type warnings struct {
	in    *input
	lines []string
	more  int   // damage that was not listed any more
	first error // the first damage
}

// add notes damage, or returns it as an error if the reader is strict.
func (w *warnings) add(place string, format string, args ...any) error {
	err := w.in.damage(place, format, args...)
	if w.in.opts.Strict {
		return err
	}
	if w.first == nil {
		w.first = err
	}
	if len(w.lines) < maxWarnings {
		w.lines = append(w.lines, err.Error())
	} else {
		w.more++
	}
	return nil
}

// list returns what Report.Warnings holds.
func (w *warnings) list() []string {
	if w.more > 0 {
		return append(w.lines, fmt.Sprintf("%s: %d further warnings are not listed", oneLine(w.in.opts.Name), w.more))
	}
	return w.lines
}

// addBad notes the triangles of a tally that are not finite. place is that of
// the first.
func (w *warnings) addBad(place string, a *stlTally) error {
	what := "a NaN or infinite coordinate"
	switch {
	case a.bad == 0:
		return nil
	case a.large == a.bad:
		what = "a coordinate out of range of single precision"
	case a.large > 0:
		what = "a coordinate that is NaN, infinite or out of range of single precision"
	}
	if a.bad == 1 {
		return w.add(place, "the triangle has %s", what)
	}
	return w.add(place, "this and %d more triangles have %s", a.bad-1, what)
}
