package fbx

import (
	"bytes"
	"fmt"
	"image"
	"strings"

	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/internal/assembly"
	"lockstep/scenes/internal/text"
)

// FormatName is the name of the format in reports.
const FormatName = "fbx"

type fileFormat struct{}

// Format reads FBX.
var Format format.Format = fileFormat{}

// Names implements format.Format.
func (fileFormat) Names() []string { return []string{"fbx"} }

// headSize is the number of bytes at the start of a text in which Detect looks for the first section.
const headSize = 4096

// magic is the start of a binary file. The version follows.
const magic = "Kaydara FBX Binary  \x00\x1a"

// Detect recognises the mark of a binary file, or the first section of a text.
func (fileFormat) Detect(prefix []byte, _ int64) format.Likelihood {
	if bytes.HasPrefix(prefix, []byte(magic)) {
		return format.Marked
	}
	head := bytes.TrimLeft(text.TrimBOM(prefix[:min(len(prefix), headSize)]), " \t\r\n")
	mark := []byte("FBXHeaderExtension:")
	if bytes.HasPrefix(text.AfterComments(prefix, headSize), mark) || bytes.HasPrefix(head, []byte(";")) && bytes.Contains(head, append([]byte("\n"), mark...)) {
		return format.Marked
	}
	return format.No
}

// Read reads a whole file. It needs memory for the file, 40 bytes per record, the unpacked arrays, and the memory of
// the mesh.
func (fileFormat) Read(in *format.Input) (*scenes.Mesh, *scenes.Report, error) {
	data, err := in.ReadAll()
	if err != nil {
		return nil, nil, err
	}
	r := &reader{
		in: in, warn: in.Warnings(), Memory: in.Memory(int64(len(data))),
		objects: make(map[string]*object), geometries: make(map[*object]*geometry), shapes: make(map[shapesKey][]*assembly.Shape), bound: make(map[*object]*boundMaterials), sharedShapes: make(map[sharedKey][]*assembly.Shape),
		materialOf: make(map[materialKey]int32), textures: make(map[*object]*scenes.Texture), pictures: make(map[*image.NRGBA]bool),
		worlds: make(map[*object]scenes.Affine), placeBudget: format.Budget{Unit: "geometries of models", Free: maxVisits, PerByte: 1}, bendBudget: format.Budget{Unit: "places that skins bend", Free: 1 << 22, PerByte: 16},
		unpackBudget: format.Budget{Unit: "bytes of unpacked arrays", Free: 1 << 26, PerByte: 64},
	}
	if r.doc, err = r.parse(data); err != nil {
		return nil, nil, err
	}
	if r.doc.bad != "" {
		if err := r.warn.Add(bytePlace(r.doc.badAt), "%s", r.doc.bad); err != nil {
			return nil, nil, err
		}
	}
	s, err := r.scene()
	if err != nil {
		return nil, nil, err
	}
	return assembly.Build(in, s, FormatName)
}

// A reader is the state of Read.
type reader struct {
	in   *format.Input
	warn *format.Warnings
	format.Memory
	doc *document

	objects      map[string]*object
	objectList   []*object
	linkCount    int // number of connections whose objects both exist
	unpackBudget format.Budget

	geometries   map[*object]*geometry // nil if the geometry cannot be read
	shapes       map[shapesKey][]*assembly.Shape
	sharedShapes map[sharedKey][]*assembly.Shape
	bound        map[*object]*boundMaterials // materials of each model
	materials    []scenes.Material
	materialOf   map[materialKey]int32
	textures     map[*object]*scenes.Texture // nil if the texture cannot be read
	pictures     map[*image.NRGBA]bool
	undrawn      undrawnCounts

	worlds      map[*object]scenes.Affine // for each model, its transform to the scene at the first visit
	skins       []skinnedGeometry         // drawn at the end, because all joints must have their transforms
	placeBudget format.Budget             // limits the instances of geometries, because many models may share them
	bendBudget  format.Budget             // limits the work for skins, because many skins may bend one geometry
}

// undrawnCounts counts the curves and patches of the file, which are not drawn.
type undrawnCounts struct{ curves, patches int }

// placeOf returns the position of a record in the file, for messages.
func (r *reader) placeOf(n node) string { return bytePlace(n.offset()) }

// scene returns everything that is drawn.
func (r *reader) scene() (*assembly.Scene, error) {
	s := &assembly.Scene{Up: scenes.PlusY, Unit: 0.01, Warn: r.warn}
	r.readSettings(s)
	if err := r.indexObjects(); err != nil {
		return nil, err
	}
	if err := r.connectObjects(); err != nil {
		return nil, err
	}
	if err := r.draw(s); err != nil {
		return nil, err
	}
	s.Materials, s.Held, s.EmptyReason = r.materials, r.Held, r.emptyReason()
	return s, nil
}

// emptyReason returns the reason why the file has no triangles, if it has only curves or patches.
func (r *reader) emptyReason() string {
	if r.undrawn == (undrawnCounts{}) {
		return ""
	}
	return fmt.Sprintf(": %s not drawn", text.Counts(
		text.Count{N: r.undrawn.curves, One: "curve", More: "curves"},
		text.Count{N: r.undrawn.patches, One: "surface of patches", More: "surfaces of patches"}))
}

// readSettings reads the up axis and the unit.
func (r *reader) readSettings(s *assembly.Scene) {
	global := r.doc.root().child("GlobalSettings")
	axis, sign := 1.0, 1.0
	for p := range properties(global) {
		v, ok := p.number(0)
		if !ok {
			continue
		}
		switch p.name {
		case "UpAxis":
			axis = v
		case "UpAxisSign":
			sign = v
		case "UnitScaleFactor":
			if v > 0 && v < 1e30 {
				s.Unit = v * 0.01
			}
		}
	}
	up := map[float64][2]scenes.Axis{0: {scenes.PlusX, scenes.MinusX}, 1: {scenes.PlusY, scenes.MinusY}, 2: {scenes.PlusZ, scenes.MinusZ}}
	if both, ok := up[axis]; ok {
		s.Up = both[0]
		if sign < 0 {
			s.Up = both[1]
		}
	}
}

// trimClass removes the class from the name of an object. In an ASCII file the class precedes the name. In a binary
// file it follows the name.
func trimClass(name string) string {
	if before, _, ok := strings.Cut(name, "\x00\x01"); ok {
		return before
	}
	if _, after, ok := strings.Cut(name, "::"); ok {
		return after
	}
	return name
}
