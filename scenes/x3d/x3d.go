package x3d

import (
	"bytes"
	"fmt"
	"image"

	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/internal/assembly"
	"lockstep/scenes/internal/corners"
	"lockstep/scenes/internal/text"
)

// FormatName is the name of the format in reports.
const FormatName = "x3d"

type fileFormat struct{}

// Format reads X3D and VRML 1 and 2.
var Format format.Format = fileFormat{}

// Names implements format.Format.
func (fileFormat) Names() []string { return []string{"x3d", "x3dv", "wrl", "vrml"} }

// headSize is the number of bytes at the start of a file in which Detect looks for the first element.
const headSize = 4096

// Starts of texts in the classic forms.
const (
	vrml1, vrml2, classic = "#VRML V1", "#VRML V2", "#X3D V"
)

// Detect recognises the first line of a classic form, or the first element of XML.
func (fileFormat) Detect(prefix []byte, _ int64) format.Likelihood {
	head := bytes.TrimLeft(text.TrimBOM(prefix[:min(len(prefix), headSize)]), " \t\r\n")
	for _, mark := range []string{vrml1, vrml2, classic} {
		if bytes.HasPrefix(head, []byte(mark)) {
			return format.Marked
		}
	}
	head = text.AfterComments(prefix, headSize)
	i := bytes.Index(head, []byte("<X3D"))
	if bytes.HasPrefix(head, []byte("<")) && i >= 0 && i+4 < len(head) && (text.IsSpace(head[i+4]) || head[i+4] == '>') {
		return format.Marked
	}
	return format.No
}

// Read reads a whole file. It needs memory for the file, 200 bytes per node, 8 bytes per number of a list, and the
// mesh.
func (fileFormat) Read(in *format.Input) (*scenes.Mesh, *scenes.Report, error) {
	data, err := in.ReadAll()
	if err != nil {
		return nil, nil, err
	}
	r := newReader(in, len(data))
	top, err := r.parse(text.TrimBOM(data))
	if err != nil {
		return nil, nil, err
	}
	s := &assembly.Scene{Up: scenes.PlusY, Warn: r.warn}
	draw := r.draw
	if r.old {
		draw = r.drawOld
	}
	if err := draw(s, top); err != nil {
		return nil, nil, err
	}
	s.Materials, s.Held, s.EmptyReason = r.materials, r.Held, r.emptyReason()
	return assembly.Build(in, s, FormatName)
}

// newReader returns a reader of a file of n bytes.
func newReader(in *format.Input, n int) *reader {
	return &reader{
		in: in, warn: in.Warnings(), Memory: in.Memory(int64(n)), named: make(map[string]*node), kinds: make(map[string]bool),
		shown: make(map[*node][]*node), transforms: make(map[*node]scenes.Affine), moves: make(map[*node]moveFunc),
		looks: make(map[*node]*look), addresses: make(map[*node]string), shapesOfNode: make(map[*node][]*assembly.Shape),
		shared: sharedLists{
			vectors: make(map[*node][][3]float64), uv: make(map[*node][][2]float64),
			colors: make(map[*node][]scenes.RGBA), placed: make(map[placedKey][][2]float64),
		},
		oldNodes: make(map[*node]*oldNode), oldShapes: make(map[oldKey]*node), oldSets: make(map[oldSet]*node),
		geometries: make(map[geometryKey]*geometry), shapes: make(map[shapeKey][]*assembly.Shape),
		materialOf: make(map[materialKey]int32), textures: make(map[*node]*scenes.Texture), pictures: make(map[*image.NRGBA]bool),
		reading: format.Budget{Unit: "bytes of numbers that shapes share", Free: 1 << 24, PerByte: 64},
	}
}

// A reader is the state of Read.
type reader struct {
	in   *format.Input
	warn *format.Warnings
	format.Memory
	named map[string]*node // nodes by DEF name
	kinds map[string]bool  // names of the prototypes that a file in a classic form declares

	shown        map[*node][]*node       // results of reader.drawnChildren
	transforms   map[*node]scenes.Affine // results of transformOf
	moves        map[*node]moveFunc      // results of moveOf
	looks        map[*node]*look         // results of lookOf
	addresses    map[*node]string        // results of address
	shared       sharedLists
	scratch      corners.Scratch
	shapesOfNode map[*node][]*assembly.Shape // results of shapesOf
	old          bool                        // the file is VRML 1
	oldNodes     map[*node]*oldNode          // results of oldNodeOf
	oldShapes    map[oldKey]*node            // results of shapeNode
	oldSets      map[oldSet]*node            // results of setNode

	geometries map[geometryKey]*geometry
	shapes     map[shapeKey][]*assembly.Shape
	materials  []scenes.Material
	materialOf map[materialKey]int32
	textures   map[*node]*scenes.Texture // nil: the texture cannot be read
	pictures   map[*image.NRGBA]bool
	reading    format.Budget // limits the work for geometries, because many may read the same node
	undrawn    undrawnCounts
}

// An undrawnCounts counts nodes that are not drawn.
type undrawnCounts struct{ lines, points, texts, others int }

func bytePlace(at int) string { return fmt.Sprintf("byte %d", at) }

// emptyReason returns the reason why the file has no triangles, if it has nodes that are not drawn.
func (r *reader) emptyReason() string {
	if r.undrawn == (undrawnCounts{}) {
		return ""
	}
	return fmt.Sprintf(": %s not drawn", text.Counts(
		text.Count{N: r.undrawn.lines, One: "set of lines", More: "sets of lines"},
		text.Count{N: r.undrawn.points, One: "set of points", More: "sets of points"},
		text.Count{N: r.undrawn.texts, One: "text", More: "texts"},
		text.Count{N: r.undrawn.others, One: "other shape", More: "other shapes"}))
}
