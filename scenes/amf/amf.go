package amf

import (
	"bytes"
	"fmt"

	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/internal/assembly"
	"lockstep/scenes/internal/text"
	"lockstep/scenes/internal/xmltree"
)

// FormatName is the name of the format in reports.
const FormatName = "amf"

type fileFormat struct{}

// Format reads AMF.
var Format format.Format = fileFormat{}

// Names implements format.Format.
func (fileFormat) Names() []string { return []string{"amf"} }

// headSize is the number of bytes, after the comments at the start of a file, in which Detect looks for the first
// element.
const headSize = 4096

// Detect recognises a file by the name of its first element.
func (fileFormat) Detect(prefix []byte, _ int64) format.Likelihood {
	head := text.AfterComments(prefix, headSize)
	i := bytes.Index(head, []byte("<amf"))
	if bytes.HasPrefix(head, []byte("<")) && i >= 0 && i+4 < len(head) && (text.IsSpace(head[i+4]) || head[i+4] == '>') {
		return format.Marked
	}
	return format.No
}

// Read reads a whole file. It needs memory for the file, 32 bytes per XML element, about 350 bytes per vertex and about
// 350 bytes per triangle.
func (fileFormat) Read(in *format.Input) (*scenes.Mesh, *scenes.Report, error) {
	data, err := in.ReadAll()
	if err != nil {
		return nil, nil, err
	}
	r := &reader{
		in: in, warn: in.Warnings(), Memory: in.Memory(int64(len(data))), colored: bytes.Contains(data, []byte("<color")),
		objects: make(map[string]xmltree.Node), materialOf: make(map[string]int32), shapes: make(map[int32][]*assembly.Shape), plainMaterial: -1, constellations: make(map[int32][]xmltree.Node),
	}
	tree, err := xmltree.Read(in, data, &r.Memory, r.warn)
	if err != nil {
		return nil, nil, err
	}
	r.root = tree.Root().Child("amf")
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
	root    xmltree.Node
	colored bool // something in the file has a colour

	objects        map[string]xmltree.Node // objects and constellations by id
	materials      []scenes.Material
	materialOf     map[string]int32
	plainMaterial  int32 // index of the grey material for triangles without a colour; -1: not created yet
	shapes         map[int32][]*assembly.Shape
	constellations map[int32][]xmltree.Node // instances of each constellation
	texturedCount  int                      // number of triangles with a texture, for a warning: textures are not drawn
}

// placeOf returns the position of an element in the file, for messages.
func placeOf(n xmltree.Node) string { return fmt.Sprintf("byte %d", n.Offset()) }

// units maps the names of units to their lengths in metres.
var units = map[string]float64{
	"": 0.001, "millimeter": 0.001, "inch": 0.0254, "feet": 0.3048, "foot": 0.3048, "meter": 1, "micron": 1e-6, "micrometer": 1e-6,
}

// scene returns everything that is drawn.
func (r *reader) scene() (*assembly.Scene, error) {
	s := &assembly.Scene{Up: scenes.PlusZ, Warn: r.warn}
	name := r.root.Attr("unit")
	unit, ok := units[name]
	if !ok {
		if err := r.warn.Add(placeOf(r.root), "unit %s is not known", text.Short(name)); err != nil {
			return nil, err
		}
	}
	s.Unit = unit
	if err := r.indexElements(); err != nil {
		return nil, err
	}
	if err := r.draw(s); err != nil {
		return nil, err
	}
	if r.texturedCount > 0 {
		if err := r.warn.Add("its textures", "not drawn, on %d triangles", r.texturedCount); err != nil {
			return nil, err
		}
	}
	s.Materials, s.Held = r.materials, r.Held
	return s, nil
}

// indexElements finds objects, constellations and materials. If several have the same id, it ignores all but the first.
func (r *reader) indexElements() error {
	for n := range r.root.All() {
		id := n.Attr("id")
		switch n.Name() {
		case "object", "constellation":
			if err := r.Reserve(int64(128 + len(id))); err != nil {
				return err
			}
			if !r.objects[id].Exists() {
				r.objects[id] = n
			}
		case "material":
			if err := r.Reserve(int64(512 + len(id))); err != nil {
				return err
			}
			if _, ok := r.materialOf[id]; ok {
				continue
			}
			m := scenes.Material{Name: nameOf(n), BaseColor: baseColorOf(scenes.Opaque(scenes.DefaultColor))}
			if c, ok := colorOf(n); ok {
				m.BaseColor = baseColorOf(c)
				if c[3] < 255 && c[3] > 0 {
					m.Alpha = scenes.AlphaBlend
				}
			}
			r.materialOf[id] = int32(len(r.materials))
			r.materials = append(r.materials, m)
		}
	}
	return nil
}

// nameOf returns the name that the metadata of an element states, or "".
func nameOf(n xmltree.Node) string {
	for data := range n.Each("metadata") {
		if data.Attr("type") == "name" {
			return data.Text()
		}
	}
	return ""
}
