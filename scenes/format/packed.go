package format

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zip"
	"github.com/klauspost/compress/zstd"

	"lockstep/scenes"
	"lockstep/scenes/internal/text"
)

// The contents of a packed input are read from front to back, as an Input of their own.

// packings lists the kinds of packed files, with the bytes at their start.
var packings = []struct{ mark, name string }{
	{"\x1f\x8b\x08", "gzip"},
	{"\x28\xb5\x2f\xfd", "zstd"},
	{"PK\x03\x04", "zip"},
	{text.MarkUTF16, utf16Text},
	{text.MarkUTF16Big, utf16Text},
}

// utf16Text is the packing of a text in UTF-16. The text is converted to UTF-8 while it is read, as if it were
// unpacked.
const utf16Text = "UTF-16"

const (
	// maxLayers limits how many times a mesh may be packed.
	maxLayers = 3
	// Unpacking may produce freeExpansion bytes plus maxExpansion times the packed size. For comparison, texts of
	// very regular grids shrink to a thirtieth of their size when they are packed. A stream that exceeds the limit
	// was made to fill the memory.
	maxExpansion  = 100
	freeExpansion = 16 << 20
	// The search for the first mesh of an archive may read freeProbes bytes plus maxProbes times the size of the
	// archive. Each entry counts as at least probeCost bytes. Without this limit, an archive that lists the same
	// bytes repeatedly would take a long time, even if it is small.
	maxProbes  = 8
	freeProbes = 32 << 20
	probeCost  = 4 << 10
	// maxWindow is the largest accepted window of zstd, in bytes. It is the window of level 20.
	maxWindow = 32 << 20
)

// A packed unpacks an input. It implements io.Reader. If the packed bytes are damaged, the unpacked data end at the
// damage. So the intact part of a mesh can be read.
type packed struct {
	outer       *Input
	kind        string
	name        string // name of the contents
	r           io.Reader
	source      *source // packed bytes for r; nil for archives
	folder      fs.FS   // folder of the mesh in the archive; nil: the folder of the outer input
	out         int64   // number of unpacked bytes
	damage      error   // first damage of the packed bytes; a *scenes.DamageError
	otherMeshes int     // number of other meshes in the archive, which are not read
	close       func()
}

// A source delivers the packed bytes. It records errors of the outer input, so that they are not taken for damage of
// the packed bytes.
type source struct {
	in   *Input
	left []byte // bytes of the prefix that are not read yet
	err  error
}

func (s *source) Read(p []byte) (n int, err error) {
	if len(s.left) > 0 {
		n = copy(p, s.left)
		s.left = s.left[n:]
		return n, nil
	}
	n, err = s.in.Fill(p)
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}

// packing returns the kind of packing of an input that starts with prefix, or "" if the input is not packed.
func packing(prefix []byte) string {
	for _, p := range packings {
		if bytes.HasPrefix(prefix, []byte(p.mark)) {
			return p.name
		}
	}
	return ""
}

// hasPacking reports whether data that starts with prefix really has the packing `kind`. It examines more than the mark
// at the start.
func hasPacking(prefix []byte, kind string) bool {
	var b [1]byte
	switch kind {
	case "gzip":
		r, err := gzip.NewReader(bytes.NewReader(prefix))
		if err != nil {
			return false
		}
		n, _ := r.Read(b[:])
		return n > 0
	case "zstd":
		r, err := zstd.NewReader(bytes.NewReader(prefix), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return false
		}
		defer r.Close()
		// If the prefix is full, it may contain only a part of the first block.
		n, err := r.Read(b[:])
		return n > 0 || errors.Is(err, io.ErrUnexpectedEOF) && len(prefix) == PrefixSize
	case utf16Text:
		// If the number of bytes is odd, the last byte may be half a character.
		all, _ := io.ReadAll(text.AsUTF8(bytes.NewReader(prefix)))
		return text.IsText(all)
	}
	// Known ranges of versions and methods are in APPNOTE.TXT of PKWARE, sections 4.4.3 and 4.4.5.
	return len(prefix) > 30 && prefix[5] == 0 && prefix[4] <= 63 && prefix[9] == 0 && prefix[8] <= 99
}

// unpack returns the contents of `in` as another input. The error is a *scenes.DamageError, wraps
// scenes.ErrUnknownFormat, or is an error of `in`.
func (in *Input) unpack(formats []Format) (*Input, error) {
	if in.layers == maxLayers {
		return nil, in.Unknown("it is packed more than three times")
	}
	var p *packed
	var err error
	kind := packing(in.Prefix)
	switch kind {
	case "gzip":
		p, err = openGzip(in)
	case "zstd":
		p, err = openZstd(in)
	case utf16Text:
		s := &source{in: in, left: in.Prefix}
		p = &packed{name: in.Options.Name, source: s, r: text.AsUTF8(s)}
	default:
		p, err = openZip(in, formats)
	}
	if err != nil {
		return nil, err
	}
	p.outer, p.kind = in, kind
	opts := in.Options
	opts.Name, opts.Progress = p.name, nil // the outer input reports the progress
	if p.folder != nil {
		opts.Beside = p.folder
	}
	inner, err := newInput(in.ctx, p, opts)
	if err != nil {
		return nil, err
	}
	inner.packed, inner.layers, inner.folder = p, in.layers+1, in.folder
	return inner, nil
}

// Read implements io.Reader.
func (p *packed) Read(b []byte) (int, error) {
	if p.damage != nil {
		return 0, io.EOF
	}
	n, err := p.r.Read(b)
	p.out += int64(n)
	packedBytes := max(p.outer.done, p.outer.Size)
	if p.out > freeExpansion+maxExpansion*packedBytes {
		return n, p.outer.Damage(p.place(), "it holds more than %d times as many bytes as a %s file of a mesh", maxExpansion, p.kind)
	}
	switch {
	case err == nil || err == io.EOF:
		return n, err
	case p.source != nil && p.source.err != nil:
		return n, p.source.err
	case errors.Is(err, io.ErrUnexpectedEOF):
		p.damage = p.outer.Damage(p.place(), "the %s data is cut off", p.kind)
	default:
		p.damage = p.outer.Damage(p.place(), "the %s data is damaged: %w", p.kind, err)
	}
	return n, io.EOF
}

func (p *packed) place() string { return fmt.Sprintf("byte %d", p.outer.done) }

// finish adds the damage of the packed bytes to m, rep and err, the result of reading the contents.
func (p *packed) finish(m *scenes.Mesh, rep *scenes.Report, err error) (*scenes.Mesh, *scenes.Report, error) {
	if p.close != nil {
		p.close()
	}
	damage := p.damage
	if damage == nil && p.otherMeshes > 0 {
		damage = p.outer.Damage("archive", "of %d meshes the first is read", p.otherMeshes+1)
	}
	if damage == nil || err != nil && p.damage == nil {
		if err == nil {
			p.fillReport(rep)
		}
		return m, rep, err
	}
	var limit *scenes.LimitError
	if errors.As(err, &limit) || err != nil && p.outer.ctx.Err() != nil {
		return nil, nil, err // such an error matters more than damage
	}
	if err != nil || p.outer.Options.Strict {
		return nil, nil, damage
	}
	p.fillReport(rep)
	rep.Warnings = append([]string{damage.Error()}, rep.Warnings...)
	return m, rep, nil
}

// fillReport writes the packing and the packed size into rep.
func (p *packed) fillReport(rep *scenes.Report) {
	rep.Bytes = max(p.outer.done, p.outer.Size)
	if p.kind != utf16Text {
		rep.Packing = p.kind
	}
}

func openGzip(in *Input) (*packed, error) {
	p := &packed{name: in.Options.Name, source: &source{in: in, left: in.Prefix}}
	r, err := gzip.NewReader(p.source)
	if err != nil {
		return nil, in.packError(p.source, "gzip", err)
	}
	p.r, p.close = r, func() { r.Close() }
	return p, nil
}

func openZstd(in *Input) (*packed, error) {
	p := &packed{name: in.Options.Name, source: &source{in: in, left: in.Prefix}}
	r, err := zstd.NewReader(p.source, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, in.packError(p.source, "zstd", err)
	}
	p.r, p.close = r, r.Close
	return p, nil
}

func (in *Input) packError(s *source, kind string, err error) error {
	if s.err != nil {
		return s.err
	}
	return in.Damage(fmt.Sprintf("byte %d", in.done), "the %s data is damaged: %w", kind, err)
}

// openZip opens the first mesh of an archive, in the order of its directory.
func openZip(in *Input, formats []Format) (*packed, error) {
	at, size, err := in.readerAt()
	if err != nil {
		return nil, err
	}
	archive, err := zip.NewReader(at, size)
	if err != nil {
		return nil, in.Unknown(fmt.Sprintf("it looks like a ZIP archive, and its directory is damaged: %v", err))
	}
	// Every entry gets a new decoder. A reused decoder may decode damaged data with old tables. In version 1.20.3, it
	// keeps the table of an earlier block if a block has an empty table.
	archive.RegisterDecompressor(zip.Deflate, flate.NewReader)
	p := &packed{}
	room := freeProbes + maxProbes*size
	for i, f := range meshesFirst(archive.File, formats) {
		if !isCandidate(f) {
			continue
		}
		if p.r != nil {
			if hasExtension(f.Name, formats) {
				p.otherMeshes++
			}
			continue
		}
		if err := in.ctx.Err(); err != nil {
			return nil, err
		}
		if room < 0 {
			return nil, in.Unknown(fmt.Sprintf("there is no mesh among the first %d files of the ZIP archive", i))
		}
		r, read, found := in.openEntry(f, formats)
		room -= probeCost + int64(read)
		if !found {
			continue
		}
		p.r, p.name, p.close = r, in.Options.Name+"/"+f.Name, func() { r.Close() }
		// Package zip turns backslashes into slashes, too. If the name is invalid, p.folder is nil.
		p.folder, _ = fs.Sub(archive, path.Dir(strings.ReplaceAll(f.Name, `\`, "/")))
	}
	if p.r == nil {
		return nil, in.Unknown("there is no mesh in the ZIP archive")
	}
	return p, nil
}

// meshesFirst returns the files of an archive. The files with the extension of a mesh come first, because other files
// may look like meshes. One example is the binary numbers of a glTF scene. Otherwise the order stays the same.
func meshesFirst(files []*zip.File, formats []Format) []*zip.File {
	ordered := make([]*zip.File, 0, len(files))
	for _, named := range []bool{true, false} {
		for _, f := range files {
			if hasExtension(f.Name, formats) == named {
				ordered = append(ordered, f)
			}
		}
	}
	return ordered
}

// isCandidate reports whether an entry of an archive may be a mesh. Hidden files, and files that macOS adds, are not
// candidates.
func isCandidate(f *zip.File) bool {
	return f.Mode().IsRegular() && f.UncompressedSize64 > 0 && !strings.HasPrefix(f.Name, "__MACOSX/") && !strings.HasPrefix(path.Base(f.Name), ".")
}

// openEntry opens an entry of an archive. found is false if it cannot be opened, or if it is neither packed nor a file
// of one of the formats. `read` is the number of bytes that were read to decide that.
func (in *Input) openEntry(f *zip.File, formats []Format) (r io.ReadCloser, read int, found bool) {
	r, err := f.Open()
	if err != nil {
		return nil, 0, false
	}
	prefix, _ := readPrefix(int64(f.UncompressedSize64), func(p []byte) (int, error) { return io.ReadFull(r, p) })
	r.Close()
	probe := &Input{Prefix: prefix, Size: int64(f.UncompressedSize64)}
	recognised := packing(probe.Prefix) != ""
	for _, format := range formats {
		recognised = recognised || format.Detect(probe.Prefix, probe.Size) != No
	}
	if !recognised || len(prefix) == 0 {
		return nil, len(prefix), false
	}
	if r, err = f.Open(); err != nil {
		return nil, len(prefix), false
	}
	return r, len(prefix), true
}

// readerAt returns the input for random access, and its size. It reads a stream into memory first, within the limits.
func (in *Input) readerAt() (io.ReaderAt, int64, error) {
	if in.file != nil {
		return io.NewSectionReader(in.file, in.base, in.Size), in.Size, nil
	}
	all := bytes.Clone(in.Prefix)
	for {
		if err := in.Allow(0, 2*int64(len(all))); err != nil {
			return nil, 0, err
		}
		more := make([]byte, max(len(all)/2, PrefixSize))
		n, err := in.Fill(more)
		all = append(all, more[:n]...)
		if err == io.EOF {
			return bytes.NewReader(all), int64(len(all)), nil
		}
		if err != nil {
			return nil, 0, err
		}
	}
}
