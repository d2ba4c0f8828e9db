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

// namespace begins the names of the vocabularies of 3MF.
const namespace = "http://schemas.microsoft.com/3dmanufacturing/core/"

// Names implements format.Format.
func (fileFormat) Names() []string { return []string{"3mf"} }

// Detect recognises an archive whose first entries are those of a package of 3MF, and a
// model that has been taken out of one.
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

// maxExpansion is how often larger than the archive its model may be, beyond
// freeExpansion bytes. The text of a regular grid is packed to a thirtieth.
const (
	maxExpansion  = 64
	freeExpansion = 16 << 20
)

// Read reads a whole file. It needs the bytes of the file, and for each vertex and
// triangle of an object 24 and 12 bytes, and of the mesh 12 and 48.
func (fileFormat) Read(in *format.Input) (m *scenes.Mesh, rep *scenes.Report, err error) {
	data, err := in.ReadAll()
	if err != nil {
		return nil, nil, err
	}
	r := &reader{
		in: in, warn: in.Warnings(), held: int64(len(data)), left: freeExpansion + maxExpansion*int64(len(data)),
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
		r.beside = true
	}
	root := r.rootModel()
	if root == "" {
		return nil, nil, in.Unknown("it is a ZIP archive without a model of 3MF")
	}
	model, err := r.model(root)
	if err != nil && !r.fatal(err) {
		err = in.Damage(text.OneLine(root), "%s", text.OneLine(err.Error()))
	}
	if err != nil {
		return nil, nil, err
	}
	scene, err := r.scene(model)
	if err != nil {
		return nil, nil, err
	}
	if m, rep, err = assembly.Build(in, scene); err != nil {
		return nil, nil, err
	}
	rep.Format = FormatName
	return m, rep, nil
}

// reader is the state of Read.
type reader struct {
	in   *format.Input
	warn *format.Warnings
	held int64 // bytes of all lists, and of the file

	files  map[string]func() (io.ReadCloser, error) // by their lower-case names
	beside bool                                     // other files lie beside the mesh
	left   int64                                    // bytes that may still be unpacked

	models    map[string]*model // by name; nil while they are read
	materials []scenes.Material
	palette   []scenes.RGBA
	texCoords [][2]float32

	pictures map[string]decoded // of the package, by their lower-case names
	scanner  scanner            // of one part after the other

	// What slicers say of colours: those of filaments, and where they are in the palette; 0: nowhere, nothing has them.
	filamentColors []scenes.RGBA
	filamentsKnown bool
	firstFilament  uint32
	allFilaments   bool // what is not painted has the colour of its filament
	extrudersOf    map[printed]uint32

	// What is not drawn: triangles that are painted where no filament has a colour, and extensions that models need.
	painted  int
	required map[string]bool
}

// rootModel is the name of the model where the package does not say.
const rootModel = "3d/3dmodel.model"

// openArchive reads the directory of the archive.
func (r *reader) openArchive(data []byte) error {
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return r.in.Damage("archive", "the ZIP directory is damaged: %s", text.OneLine(err.Error()))
	}
	// Decoders that are used again decode damaged data by tables of what they read before
	// (v1.20.3 keeps the old table where a block has an empty one).
	archive.RegisterDecompressor(zip.Deflate, flate.NewReader)
	r.files = make(map[string]func() (io.ReadCloser, error), len(archive.File))
	for _, f := range archive.File {
		r.files[fileName(f.Name)] = f.Open
	}
	return nil
}

// fileName returns the name of a part as it is compared.
func fileName(name string) string {
	return strings.ToLower(strings.TrimLeft(strings.ReplaceAll(name, `\`, "/"), "/"))
}

// open opens a part of the package, of which no more may be read than is left. Callers
// close it.
func (r *reader) open(name string) (io.ReadCloser, error) {
	f, ok := r.files[fileName(name)]
	if !ok && r.beside {
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

// A packagePart is a file of the package that is being read.
type packagePart struct {
	io.ReadCloser
	r *reader
}

// errBomb says that the archive holds far too much.
var errBomb = fmt.Errorf("the archive holds more than %d times its own bytes", maxExpansion)

func (p *packagePart) Read(b []byte) (int, error) {
	if err := p.r.in.Context().Err(); err != nil {
		return 0, err
	}
	if p.r.left <= 0 {
		return 0, errBomb
	}
	n, err := p.ReadCloser.Read(b[:min(int64(len(b)), p.r.left)])
	p.r.left -= int64(n)
	return n, err
}

// rootModel returns the name of the model that the package begins with: that of its
// relationships, or the usual one, or any.
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
	f, err := r.open("_rels/.rels")
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

// fatal reports whether an error ends the read, strict or not.
func (r *reader) fatal(err error) bool {
	var limit *scenes.LimitError
	var damage *scenes.DamageError
	return errors.As(err, &limit) || errors.As(err, &damage) || r.in.Context().Err() != nil
}
