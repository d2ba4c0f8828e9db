package threemf

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/zip"

	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/internal/assembly"
	"lockstep/scenes/internal/text"
)

// FormatName names the format in reports.
const FormatName = "3mf"

type fileFormat struct{}

// Format reads 3MF.
var Format format.Format = fileFormat{}

var magic = []byte("PK\x03\x04")

// namespace is the beginning of the names of all versions of 3MF's core vocabulary.
const namespace = "http://schemas.microsoft.com/3dmanufacturing/core/"

// Names implements format.Format.
func (fileFormat) Names() []string { return []string{"3mf"} }

// Detect recognises an archive whose first entries have names of a 3MF package. It also recognises a model outside an
// archive.
func (fileFormat) Detect(prefix []byte, _ int64) format.Likelihood {
	if bytes.HasPrefix(prefix, magic) {
		for _, name := range []string{"3D/", "[Content_Types].xml", "_rels/.rels"} {
			if bytes.Contains(prefix, []byte(name)) {
				return format.Certain
			}
		}
		return format.No
	}
	if i := bytes.Index(prefix[:min(len(prefix), 4096)], []byte("<model")); i >= 0 && bytes.Contains(prefix, []byte(namespace)) {
		return format.Certain
	}
	return format.No
}

// Unpacking the archive may produce freeExpansion bytes plus maxExpansion times its size. That is enough for text: even
// the text of a regular grid grows only 30 times.
const (
	maxExpansion  = 64
	freeExpansion = 16 << 20
)

// Read reads a whole file. It needs memory for the file, 24 bytes per vertex and 12 bytes per triangle of the objects,
// and 12 bytes per vertex and 48 bytes per triangle of the mesh.
func (fileFormat) Read(in *format.Input) (m *scenes.Mesh, rep *scenes.Report, err error) {
	data, err := in.ReadAll()
	if err != nil {
		return nil, nil, err
	}
	r := &reader{
		in: in, warn: in.Warnings(), Memory: in.Memory(int64(len(data))), bytesLeft: freeExpansion + maxExpansion*int64(len(data)),
		palette: []scenes.RGBA{{255, 255, 255, 255}}, texCoords: [][2]float32{{}},
	}
	if bytes.HasPrefix(data, magic) {
		if err := r.openArchive(data); err != nil {
			return nil, nil, err
		}
	} else {
		r.files = map[string]func() (io.ReadCloser, error){
			rootModel: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil },
		}
		r.isLoose = true
	}
	root := r.rootModel()
	if root == "" {
		return nil, nil, in.Unknown("it is a ZIP archive without a model of 3MF")
	}
	model, err := r.readModel(root)
	if err != nil && !r.isFatal(err) {
		err = in.Damage(text.OneLine(root), "%s", text.OneLine(err.Error()))
	}
	if err != nil {
		return nil, nil, err
	}
	scene, err := r.findItems(model)
	if err != nil {
		return nil, nil, err
	}
	return assembly.Build(in, scene, FormatName)
}

// A reader is the state of Read.
type reader struct {
	in   *format.Input
	warn *format.Warnings
	format.Memory

	files     map[string]func() (io.ReadCloser, error) // parts by fileName
	isLoose   bool                                     // a model outside an archive; its other parts are files
	bytesLeft int64                                    // bytes that may still be unpacked

	models    map[string]*model // by fileName; nil while the model is being read, or if it cannot be read
	materials []scenes.Material
	palette   []scenes.RGBA
	texCoords [][2]float32

	pictures map[string]decodeResult // pictures by fileName
	scanner  scanner                 // reused for each part

	// filamentColors are the colours that a slicer stored for the filaments. firstFilament is the index of the first of
	// them in the palette, or 0 if they are not used.
	filamentColors []scenes.RGBA
	filamentsKnown bool
	firstFilament  uint32
	allFilaments   bool // triangles without paint have the colour of their object's filament
	extrudersOf    map[printedKey]uint32

	// Counts for warnings about what is not drawn: painted triangles if filaments have no colours, and extensions that
	// models require.
	painted  int
	required map[string]bool
}

// rootModel is the usual name of the root model, with which reading starts.
const rootModel = "3d/3dmodel.model"

// openArchive reads the directory of the archive.
func (r *reader) openArchive(data []byte) error {
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return r.in.Damage("archive", "the ZIP directory is damaged: %s", text.OneLine(err.Error()))
	}
	// Every part gets a new decoder. A reused decoder may decode damaged data with old tables: klauspost/compress
	// v1.20.3 keeps the old table if a block has an empty table.
	archive.RegisterDecompressor(zip.Deflate, flate.NewReader)
	r.files = make(map[string]func() (io.ReadCloser, error), len(archive.File))
	for _, f := range archive.File {
		r.files[fileName(f.Name)] = f.Open
	}
	return nil
}

// fileName returns the key for the name of a part: in lower case, with slashes, and without a slash at the start.
func fileName(name string) string {
	return strings.ToLower(strings.TrimLeft(strings.ReplaceAll(name, `\`, "/"), "/"))
}

// openPart opens a part of the archive, which the caller must close. Reads of the part return errBomb when r.bytesLeft
// is used up.
func (r *reader) openPart(name string) (io.ReadCloser, error) {
	f, ok := r.files[fileName(name)]
	if !ok && r.isLoose {
		f, ok = func() (io.ReadCloser, error) {
			return r.in.OpenBeside(strings.TrimPrefix(strings.TrimLeft(name, "/"), "3D/"))
		}, true
	}
	if !ok {
		return nil, fmt.Errorf("the package has no %s", text.Name(name))
	}
	file, err := f()
	if err != nil {
		return nil, err
	}
	return &packagePart{file, r}, nil
}

// A packagePart is an open part of the archive. Bytes read from it are subtracted from r.bytesLeft.
type packagePart struct {
	io.ReadCloser
	r *reader
}

// errBomb is the error for an archive that unpacks to far too many bytes.
var errBomb = fmt.Errorf("the archive holds more than %d times its own bytes", maxExpansion)

func (p *packagePart) Read(b []byte) (int, error) {
	if err := p.r.in.Context().Err(); err != nil {
		return 0, err
	}
	if p.r.bytesLeft <= 0 {
		return 0, errBomb
	}
	n, err := p.ReadCloser.Read(b[:min(int64(len(b)), p.r.bytesLeft)])
	p.r.bytesLeft -= int64(n)
	return n, err
}

// rootModel returns the name of the root model, or "" if there is no model. It is the model that the relationships
// name, or else the one with the usual name, or else the first in alphabetical order.
func (r *reader) rootModel() string {
	if name := r.relationship(); name != "" {
		return name
	}
	first := ""
	for name := range r.files {
		if strings.HasSuffix(name, ".model") && (first == "" || name < first) {
			first = name
		}
	}
	if _, ok := r.files[rootModel]; ok {
		return rootModel
	}
	return first
}

func (r *reader) relationship() string {
	f, err := r.openPart("_rels/.rels")
	if err != nil {
		return ""
	}
	defer f.Close()
	s := &r.scanner
	s.reset(f)
	for {
		ok, err := s.next()
		if !ok || err != nil {
			return ""
		}
		if target := s.text("Target"); strings.HasSuffix(s.text("Type"), "/3dmodel") && r.files[fileName(target)] != nil {
			return target
		}
	}
}

// isFatal reports whether the error ends even a lenient read.
func (r *reader) isFatal(err error) bool {
	var limit *scenes.LimitError
	var damage *scenes.DamageError
	return errors.As(err, &limit) || errors.As(err, &damage) || r.in.Context().Err() != nil
}
