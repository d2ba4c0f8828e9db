package format

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/zip"

	"lockstep/scenes"
	"lockstep/scenes/internal/text"
)

// A Format reads the files of one format. The package of each format exports one value of this type, and package load
// lists all of them.
type Format interface {
	// Names returns the names of this format for scenes.ReadOptions.Format, in lower case. They are also the extensions
	// of its files, without the dot. In an archive, files with these extensions are tried first.
	Names() []string
	// Detect judges from the first bytes whether an input has this format, whatever the name of the input is. prefix
	// has PrefixSize bytes, or is the whole input if the input is shorter.
	//
	// prefix is longer than PrefixSize bytes if at least half of these bytes are comments between the first lines of
	// a text. prefix then ends PrefixSize bytes after the last comment, or after 1 MiB of comments. size is the
	// number of bytes of the whole input, or -1 if it is unknown.
	Detect(prefix []byte, size int64) Likelihood
	// Read reads a whole input that Detect or Possible has recognised. Its errors come from `in` and its methods.
	Read(in *Input) (*scenes.Mesh, *scenes.Report, error)
}

// A BlockFormat is a Format that can read some of its files by blocks.
type BlockFormat interface {
	Format
	// Open reads the input once to find its bounding box and its damage. The error is scenes.ErrNotSeekable if this
	// file cannot be read by blocks.
	Open(in *Input) (scenes.Stream, *scenes.Report, error)
}

// A LengthFormat is a Format whose files can be recognised by their length alone.
type LengthFormat interface {
	Format
	// Possible reports whether a stream of unknown length may have this format although it looks like something else.
	// In that case, Input.Doubt is set when Read is called. Read returns Input.Unknown if the length of the stream
	// does not fit the format.
	Possible(prefix []byte) bool
}

// Likelihood is how certain a Format is that an input is one of its files.
type Likelihood uint8

// Likelihoods from the lowest to the highest.
const (
	No        Likelihood = iota
	Plausible            // nothing contradicts the format
	Likely               // the words or the size fit the format
	Marked               // the input starts with the mark of the format
	Certain              // structure and size agree; this counts more than any mark
)

// Read reads r to its end and returns the mesh in it. It chooses the format by the contents. If several formats are
// equally likely, it uses the first of them.
//
// A regular file is read from its current position, in parallel if the format allows it. Any other reader is read once
// from front to back; it does not matter how many bytes its reads return.
//
// Errors: scenes.ErrUnknownFormat, *scenes.DamageError, *scenes.LimitError, an error that wraps the error of r, or the
// error of ctx. See the comment of package scenes for damaged input.
func Read(ctx context.Context, r io.Reader, opts scenes.ReadOptions, formats ...Format) (*scenes.Mesh, *scenes.Report, error) {
	return read(ctx, r, "", opts, formats)
}

func read(ctx context.Context, r io.Reader, folder string, opts scenes.ReadOptions, formats []Format) (*scenes.Mesh, *scenes.Report, error) {
	in, err := newInput(ctx, r, opts)
	if err != nil {
		return nil, nil, err
	}
	in.folder = folder
	defer in.closeFolder()
	return in.read(formats)
}

// read reads an input, packed or not.
func (in *Input) read(formats []Format) (*scenes.Mesh, *scenes.Report, error) {
	format, err := in.detect(formats)
	if err == errPacked {
		inner, err := in.unpack(formats)
		if err != nil {
			return nil, nil, err
		}
		defer inner.closeFolder()
		return inner.packed.finish(inner.read(formats))
	}
	if err != nil {
		return nil, nil, err
	}
	return format.Read(in)
}

// ReadFile opens a file and reads it as Read does. Errors of the operating system are wrapped, so that errors.Is(err,
// fs.ErrNotExist) works.
func ReadFile(ctx context.Context, path string, opts scenes.ReadOptions, formats ...Format) (*scenes.Mesh, *scenes.Report, error) {
	f, err := opts.OpenFile(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	if opts.Name == "" {
		opts.Name = path
	}
	return read(ctx, f, filepath.Dir(path), opts, formats)
}

// Open opens a mesh file and reads it once to find its bounding box and its damage. After that, its blocks can be read
// in any order until Close.
//
// Open returns the same errors as ReadFile, and also scenes.ErrNotSeekable if only ReadFile can read the file.
func Open(ctx context.Context, path string, opts scenes.ReadOptions, formats ...Format) (scenes.Stream, *scenes.Report, error) {
	f, err := opts.OpenFile(path)
	if err != nil {
		return nil, nil, err
	}
	if opts.Name == "" {
		opts.Name = path
	}
	s, rep, err := open(ctx, f, opts, formats)
	if err != nil {
		f.Close()
	}
	return s, rep, err
}

func open(ctx context.Context, f scenes.File, opts scenes.ReadOptions, formats []Format) (scenes.Stream, *scenes.Report, error) {
	st, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	notSeekable := fmt.Errorf("%s: %w", text.OneLine(opts.Name), scenes.ErrNotSeekable)
	if !st.Mode().IsRegular() {
		return nil, nil, notSeekable
	}
	in, err := newInput(ctx, f, opts)
	if err != nil {
		return nil, nil, err
	}
	format, err := in.detect(formats)
	if err == errPacked {
		return nil, nil, notSeekable
	}
	if err != nil {
		return nil, nil, err
	}
	blocks, ok := format.(BlockFormat)
	if !ok || !in.Seekable() {
		return nil, nil, notSeekable
	}
	in.closer = f
	return blocks.Open(in)
}

// minBinary is the least size that a binary mesh is expected to have. It is the size of an STL file without triangles,
// because STL is the most frequent binary format.
const minBinary = 84

// errPacked tells the caller to unpack the input first.
var errPacked = errors.New("packed")

// detect returns the most likely of the formats. The error is errPacked if the input is packed. The files of some
// formats are archives. An input with the mark of such a format does not count as packed.
func (in *Input) detect(formats []Format) (Format, error) {
	if len(in.Prefix) == 0 {
		return nil, in.Unknown("it is empty")
	}
	var best Format
	likely := No
	for _, f := range formats {
		if l := f.Detect(in.Prefix, in.Size); l > likely {
			best, likely = f, l
		}
	}
	if packed := packing(in.Prefix); likely < Marked && packed != "" {
		if hasPacking(in.Prefix, packed) {
			return nil, errPacked
		}
		in.Doubt = "it looks like a " + packed + " file, but is not one"
		if f := in.possibleFormat(formats); f != nil {
			return f, nil
		}
		return nil, in.Unknown(in.Doubt)
	}
	if in.Options.Format != "" && len(formats) > 0 {
		return formats[0], nil
	}
	kind := ""
	if likely < Marked {
		kind = foreignKind(in.Prefix)
	}
	switch {
	case kind != "":
		in.Doubt = "it looks like " + kind
	case best != nil:
		return best, nil
	case text.IsText(in.Prefix):
		in.Doubt = textDoubt(in.Prefix)
	case len(in.Prefix) < minBinary:
		in.Doubt = fmt.Sprintf("%d bytes are too few for a mesh that is not text", len(in.Prefix))
	default:
		in.Doubt = "neither text nor a plausible mesh"
	}
	if f := in.possibleFormat(formats); f != nil {
		return f, nil
	}
	return nil, in.Unknown(in.Doubt)
}

// possibleFormat returns the first format that a stream of unknown length may have although it looks like something
// else. It returns nil if there is none.
func (in *Input) possibleFormat(formats []Format) Format {
	for _, f := range formats {
		if f, ok := f.(LengthFormat); ok && in.Size < 0 && f.Possible(in.Prefix) {
			return f
		}
	}
	return nil
}

// packedExtensions holds the extensions of packed files.
var packedExtensions = map[string]bool{".gz": true, ".zst": true, ".zip": true}

// Named reports whether name has an extension that belongs to one of the formats. It ignores case, and a further
// extension of a packed file. Examples are a.stl and b.OBJ.gz.
func Named(name string, formats ...Format) bool {
	if ext := path.Ext(name); packedExtensions[strings.ToLower(ext)] {
		name = name[:len(name)-len(ext)]
	}
	return hasExtension(name, formats)
}

// hasExtension reports whether name has an extension that belongs to one of the formats.
func hasExtension(name string, formats []Format) bool {
	ext, ok := strings.CutPrefix(strings.ToLower(path.Ext(name)), ".")
	return ok && slices.ContainsFunc(formats, func(f Format) bool { return slices.Contains(f.Names(), ext) })
}

// Recognise reports whether a regular file is, or contains, a mesh in one of the formats. It judges by the first bytes
// of the file. It is meant for folders with files of all kinds. Therefore it returns false for files that are merely
// plausible, such as arbitrary binary numbers. It also returns false if it cannot read the file.
func Recognise(ctx context.Context, name string, formats ...Format) bool {
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() {
		return false
	}
	in, err := newInput(ctx, f, scenes.ReadOptions{Name: name})
	return err == nil && in.isRecognised(formats)
}

// isRecognised reports whether the input is a mesh or a packed mesh.
func (in *Input) isRecognised(formats []Format) bool {
	switch kind := packing(in.Prefix); {
	case kind == "zip":
		return in.listsMesh(formats)
	case kind != "" && hasPacking(in.Prefix, kind):
		inner, err := in.unpack(formats)
		if err != nil {
			return false
		}
		if inner.packed.close != nil {
			defer inner.packed.close()
		}
		return inner.isRecognised(formats)
	}
	doc := bytes.TrimLeft(text.TrimBOM(in.Prefix), " \t\r\n")
	if bytes.HasPrefix(doc, []byte("{")) && !(bytes.Contains(doc, []byte(`"asset"`)) && bytes.Contains(doc, []byte(`"accessors"`))) {
		return false // JSON files of other programs may contain words of glTF, too
	}
	for _, f := range formats {
		if f.Detect(in.Prefix, in.Size) >= Likely {
			return true
		}
	}
	return false
}

// listsMesh reports whether the directory of an archive names a mesh, or the model of a 3MF file. The first bytes of
// the archive are not enough, because files of office programs start like 3MF files.
func (in *Input) listsMesh(formats []Format) bool {
	at, size, err := in.readerAt()
	if err != nil {
		return false
	}
	archive, err := zip.NewReader(at, size)
	if err != nil {
		return false
	}
	for _, f := range archive.File {
		if isCandidate(f) && (hasExtension(f.Name, formats) || strings.EqualFold(path.Ext(f.Name), ".model")) {
			return true
		}
	}
	return false
}
