package collada

import (
	"bytes"
	"fmt"
	"image"
	"math"

	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/internal/assembly"
	"lockstep/scenes/internal/text"
	"lockstep/scenes/internal/xmltree"
)

// FormatName is the name of the format in reports.
const FormatName = "collada"

type fileFormat struct{}

// Format reads Collada.
var Format format.Format = fileFormat{}

// Names implements format.Format.
func (fileFormat) Names() []string { return []string{"dae"} }

// Detect skips the comments at the start of a file. It looks for the first element in the headSize bytes after them.
const headSize = 4096

// Detect recognises a file by the name of its first element.
func (fileFormat) Detect(prefix []byte, _ int64) format.Likelihood {
	head := text.AfterComments(prefix, headSize)
	if bytes.HasPrefix(head, []byte("<")) && bytes.Contains(head, []byte("<COLLADA")) {
		return format.Marked
	}
	return format.No
}

// Read reads a whole file. It needs memory for the file, 32 bytes per XML element, 8 bytes per number of a list, and
// the memory of the mesh.
func (fileFormat) Read(in *format.Input) (*scenes.Mesh, *scenes.Report, error) {
	data, err := in.ReadAll()
	if err != nil {
		return nil, nil, err
	}
	r := &reader{
		in: in, warn: in.Warnings(), Memory: in.Memory(int64(len(data))),
		geometries: make(map[int32]*geometry), shapes: make(map[shapesKey][]*assembly.Shape),
		materialOf: make(map[string]int32), effects: make(map[int32]scenes.Material),
		textures: make(map[string]*scenes.Texture), pictures: make(map[*image.NRGBA]bool),
		links: make(map[int32]xmltree.Node), nodes: make(map[int32]*sceneNode), worlds: make(map[int32]scenes.Affine), placed: make(map[[2]int32]*placement),
		sids: make(map[int32]map[string]xmltree.Node), bendBudget: format.Budget{Unit: "places that skins bend", Free: 1 << 22, PerByte: 16},
		placeBudget: format.Budget{Unit: "instances", Free: 1 << 18, PerByte: 1},
	}
	tree, err := xmltree.Read(in, data, &r.Memory, r.warn)
	if err != nil {
		return nil, nil, err
	}
	r.root = tree.Root().Child("COLLADA")
	if err := r.indexElements(); err != nil {
		return nil, nil, err
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
	root xmltree.Node
	ids  map[identity]xmltree.Node

	geometries  map[int32]*geometry // geometries by the keys of their elements; nil if one cannot be read
	shapes      map[shapesKey][]*assembly.Shape
	materials   []scenes.Material
	materialOf  map[string]int32 // index of the material with each id; -1: missing
	effects     map[int32]scenes.Material
	textures    map[string]*scenes.Texture
	pictures    map[*image.NRGBA]bool
	links       map[int32]xmltree.Node            // by key of a node or instance_node element: the node that it means
	nodes       map[int32]*sceneNode              // nodes already read
	worlds      map[int32]scenes.Affine           // transform from each node to the scene, from the first visit
	placed      map[[2]int32]*placement           // geometries placed in the scene, by geometry and instance element
	skins       []controllerInstance              // instances of controllers, drawn after all joints have transforms
	sids        map[int32]map[string]xmltree.Node // for each node, the joints below it by sid (scoped identifier)
	bendBudget  format.Budget                     // limits the work for skins, because many skins may bend one geometry
	placeBudget format.Budget                     // limits the instances, which may be nested
	undrawn     undrawnCounts
}

// An undrawnCounts counts elements of the file that cannot be drawn. Each of the three counts leads to one warning.
type undrawnCounts struct{ lines, splines, others int }

// placeOf returns the position of an element in the file, for messages.
func placeOf(n xmltree.Node) string { return fmt.Sprintf("byte %d", n.Offset()) }

// scene returns everything that is drawn.
func (r *reader) scene() (*assembly.Scene, error) {
	s := &assembly.Scene{Up: scenes.PlusY, Warn: r.warn}
	asset := r.root.Child("asset")
	switch asset.Child("up_axis").Text() {
	case "X_UP":
		s.Up = scenes.PlusX
	case "Z_UP":
		s.Up = scenes.PlusZ
	}
	if unit := asset.Child("unit"); unit.Exists() {
		s.Unit = 1
		meter := text.NumbersOf([]byte(unit.Attr("meter")))
		if v, ok := meter.Float(); ok && v > 0 && v <= math.MaxFloat32 {
			s.Unit = v
		}
	}
	if err := r.draw(s); err != nil {
		return nil, err
	}
	s.Materials, s.Held, s.EmptyReason = r.materials, r.Held, r.emptyReason()
	return s, nil
}

// emptyReason returns the reason why the file has no triangles, if it has only elements that cannot be drawn.
func (r *reader) emptyReason() string {
	if r.undrawn == (undrawnCounts{}) {
		return ""
	}
	return fmt.Sprintf(": %s not drawn", text.Counts(
		text.Count{N: r.undrawn.lines, One: "primitive of lines", More: "primitives of lines"},
		text.Count{N: r.undrawn.splines, One: "spline", More: "splines"},
		text.Count{N: r.undrawn.others, One: "body of curved surfaces", More: "bodies of curved surfaces"}))
}
