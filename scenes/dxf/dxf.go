package dxf

import (
	"bytes"
	"fmt"

	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/internal/assembly"
	"lockstep/scenes/internal/text"
)

// FormatName is the name of the format in reports.
const FormatName = "dxf"

type fileFormat struct{}

// Format reads DXF.
var Format format.Format = fileFormat{}

// Names implements format.Format.
func (fileFormat) Names() []string { return []string{"dxf"} }

// binaryMark is the start of a binary file.
const binaryMark = "AutoCAD Binary DXF"

// Detect recognises the first section, or the mark of a binary file. Comments may precede the section.
func (fileFormat) Detect(prefix []byte, _ int64) format.Likelihood {
	if bytes.HasPrefix(prefix, []byte(binaryMark)) {
		return format.Marked
	}
	p := groupReader{data: text.TrimBOM(prefix)}
	for p.next() {
		switch {
		case p.code == 999:
			continue
		case p.code == 0 && string(p.value) == "SECTION":
			return format.Marked
		}
		break
	}
	return format.No
}

// Read reads a whole file. It needs memory for the file, 24 bytes per position, 24 bytes per face, and the memory of
// the mesh.
func (fileFormat) Read(in *format.Input) (*scenes.Mesh, *scenes.Report, error) {
	data, err := in.ReadAll()
	if err != nil {
		return nil, nil, err
	}
	r := &reader{
		in: in, warn: in.Warnings(), Memory: in.Memory(int64(len(data))), pairs: newGroupReader(text.TrimBOM(data)),
		blocks: make(map[string]*block), layers: map[string]int32{"0": 0}, layerColors: []int{byLayer}, layerNames: []string{"0"},
		styleOf: make(map[style]int32), materialOf: make(map[style]int32), undrawn: make(map[undrawnKind]int),
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
	pairs groupReader
	unit  float64

	blocks      map[string]*block
	layers      map[string]int32 // number of each layer by name
	layerNames  []string
	layerColors []int // colour of each layer; byLayer if the file does not state it
	styles      []style
	styleOf     map[style]int32
	materials   []scenes.Material
	materialOf  map[style]int32
	undrawn     map[undrawnKind]int
}

// appendCounted appends v to a list and counts the added memory. v has `size` bytes. It also counts the old memory of a
// list that is copied as it grows.
func appendCounted[T any](r *reader, list *[]T, v T, size int64) error {
	if len(*list) == cap(*list) {
		if err := r.in.Context().Err(); err != nil {
			return err
		}
		more := int64(max(16, cap(*list)))
		if err := r.Reserve(size * more); err != nil {
			return err
		}
		grown := make([]T, len(*list), int64(cap(*list))+more)
		copy(grown, *list)
		*list = grown
	}
	*list = append(*list, v)
	return nil
}

// The method place returns the position of the last group in the file, for messages.
func (r *reader) place() string { return r.pairs.place(r.pairs.line) }

// scene returns everything that is drawn.
func (r *reader) scene() (*assembly.Scene, error) {
	model := &block{}
	if err := r.readSections(model); err != nil {
		return nil, err
	}
	s := &assembly.Scene{Up: scenes.PlusZ, Unit: r.unit, Warn: r.warn}
	if err := r.draw(s, model); err != nil {
		return nil, err
	}
	s.Materials, s.Held, s.EmptyReason = r.materials, r.Held, r.emptyReason()
	return s, nil
}

// An undrawnKind is a kind of entities that are not drawn.
type undrawnKind uint8

const (
	ofLines undrawnKind = iota
	ofTexts
	ofFillings
	ofBodies
)

// kinds maps the names of entities that are not drawn to their kinds.
var kinds = map[string]undrawnKind{
	"ELLIPSE": ofLines, "SPLINE": ofLines,
	"TEXT": ofTexts, "MTEXT": ofTexts, "DIMENSION": ofTexts, "LEADER": ofTexts,
	"SOLID": ofFillings, "TRACE": ofFillings, "HATCH": ofFillings,
	"3DSOLID": ofBodies, "BODY": ofBodies, "REGION": ofBodies, "SURFACE": ofBodies,
}

// emptyReason says why the file has no triangles, if it has entities that are not drawn.
func (r *reader) emptyReason() string {
	if len(r.undrawn) == 0 {
		return ""
	}
	return fmt.Sprintf(": %s not drawn", text.Counts(
		text.Count{N: r.undrawn[ofLines], One: "line or curve", More: "lines and curves"},
		text.Count{N: r.undrawn[ofTexts], One: "text or dimension", More: "texts and dimensions"},
		text.Count{N: r.undrawn[ofFillings], One: "flat filling", More: "flat fillings"},
		text.Count{N: r.undrawn[ofBodies], One: "body of curved surfaces", More: "bodies of curved surfaces"}))
}
