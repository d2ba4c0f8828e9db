package gltf

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"slices"

	"lockstep/scenes"
	"lockstep/scenes/draco"
	"lockstep/scenes/format"
	"lockstep/scenes/internal/assembly"
	"lockstep/scenes/internal/surface"
	"lockstep/scenes/internal/text"
)

type fileFormat struct{}

// Format reads glTF.
var Format format.Format = fileFormat{}

// Names implements format.Format.
func (fileFormat) Names() []string { return []string{"gltf", "glb"} }

// Detect recognises the mark of the container, and an object of JSON with the name of
// a list that meshes need.
func (fileFormat) Detect(prefix []byte, _ int64) format.Likelihood {
	if bytes.HasPrefix(prefix, magic) {
		return format.Marked
	}
	doc := bytes.TrimRight(bytes.TrimLeft(text.TrimBOM(prefix), " \t\r\n"), "\x00 \t\r\n") // some files are filled up
	if len(doc) == 0 || doc[0] != '{' || !text.IsText(doc) {
		return format.No
	}
	for _, name := range []string{`"asset"`, `"accessors"`, `"bufferViews"`, `"buffers"`, `"meshes"`} {
		if bytes.Contains(doc, []byte(name)) {
			return format.Likely
		}
	}
	return format.No
}

// Read reads a whole file. It needs the bytes of the file and of those that belong to
// it, its pictures, 12 bytes a vertex and 48 a triangle; normals and texture coordinates
// take 12 and 8 bytes a vertex more.
func (fileFormat) Read(in *format.Input) (m *scenes.Mesh, rep *scenes.Report, err error) {
	data, err := in.ReadAll()
	if err != nil {
		return nil, nil, err
	}
	r := newState(in, int64(len(data)))
	name, doc := FormatJSON, data
	if bytes.HasPrefix(data, magic) {
		name = FormatBinary
		if doc, r.bin, err = split(in, r.warn, data); err != nil {
			return nil, nil, err
		}
	}
	if r.doc, err = parse(in, doc, r.held); err != nil {
		return nil, nil, err
	}
	r.buffers = make([]loaded, len(r.doc.Buffers))
	if err := r.readClips(); err != nil {
		return nil, nil, err
	}
	if err := r.strikePose(); err != nil {
		return nil, nil, err
	}
	scene, err := r.scene()
	if err != nil {
		return nil, nil, err
	}
	if m, rep, err = assembly.Build(in, scene); err != nil {
		return nil, nil, err
	}
	rep.Format, rep.Clips = name, r.clips
	return m, rep, nil
}

// reader is the state of Read.
type reader struct {
	in   *format.Input
	warn *format.Warnings
	held int64 // bytes of the file and of others
	doc  *claimedDocument
	bin  []byte // the buffer of the container

	buffers   []loaded
	files     map[string]loaded  // that buffers name, by what Input.FindBeside returns
	views     map[integer]loaded // that are compressed
	dracos    map[integer]unpackedMesh
	accessors map[integer]checked
	textures  map[integer]*scenes.Texture // nil: cannot be read
	images    map[integer]decoded
	pictures  map[*image.NRGBA]bool // that are counted
	materials []scenes.Material
	shapes    map[shapesKey][]*assembly.Shape
	poses     map[integer]posed
	timed     map[integer]error // what is wrong with accessors as those of times
	corner    int64             // corners of all primitives
	// The animations of the document, and what the report says of them.
	animations []claimedClip
	clips      []scenes.Clip
	// What parts of the document may ask for that name the same bytes.
	unpacking, sparse, placing, shaping, moving, posing format.Budget
	dracoLimits                                         draco.Limits
}

// newState returns the state of a read that holds some bytes.
func newState(in *format.Input, held int64) *reader {
	return &reader{
		in:        in,
		warn:      in.Warnings(),
		held:      held,
		files:     make(map[string]loaded),
		views:     make(map[integer]loaded),
		dracos:    make(map[integer]unpackedMesh),
		accessors: make(map[integer]checked),
		textures:  make(map[integer]*scenes.Texture),
		images:    make(map[integer]decoded),
		pictures:  make(map[*image.NRGBA]bool),
		shapes:    make(map[shapesKey][]*assembly.Shape),
		poses:     make(map[integer]posed),
		timed:     make(map[integer]error),
		unpacking: format.Budget{Unit: "bytes of compressed buffer views", Free: 16 << 20, PerByte: 64},
		sparse:    format.Budget{Unit: "sparse elements", Free: 4 << 20, PerByte: 4},
		placing:   format.Budget{Unit: "instances", Free: 1 << 18, PerByte: 1},
		shaping:   format.Budget{Unit: "primitives, counted for each node that bends them its own way", Free: 1 << 18, PerByte: 1},
		posing:    format.Budget{Unit: "weights of targets, counted for each node that a clip bends", Free: 1 << 18, PerByte: 1},
		moving:    format.Budget{Unit: "targets, counted for each node that bends them its own way", Free: 1 << 18, PerByte: 1},
	}
}

// note turns an error at a place into a warning, unless it is one that ends the read.
func (r *reader) note(place string, err error) error {
	return surface.Missing(r.in, r.warn, place, "left out", err)
}

// scene returns what is drawn. Materials come last: where there are no triangles, they are not to blame.
func (r *reader) scene() (*assembly.Scene, error) {
	s := &assembly.Scene{Up: scenes.PlusY, Unit: 1, Warn: r.warn}
	if len(r.doc.Meshes) == 0 {
		s.None = ": the file has no meshes"
		return s, nil
	}
	nodes, err := r.drawn()
	if err != nil {
		return nil, err
	}
	for _, n := range nodes {
		if err := r.instances(s, n); err != nil {
			return nil, err
		}
	}
	if pose := r.in.Options.Pose; pose != nil && len(pose.Materials) > 0 && len(pose.Materials) == len(r.doc.Materials) {
		r.materials = pose.Materials // what is wrong with them was said
	} else if len(s.Instances) > 0 {
		if err := r.readMaterials(); err != nil {
			return nil, err
		}
		if err := r.undrawn(s.Instances); err != nil {
			return nil, err
		}
	}
	s.Materials, s.Held, s.None = r.materials, r.held, r.none(nodes)
	return s, nil
}

// none says in a few words what the file holds instead of triangles.
func (r *reader) none(nodes []placed) string {
	if !slices.ContainsFunc(nodes, func(n placed) bool { return r.doc.Nodes[n.node].Mesh != nil }) {
		return ": no node of the scene has a mesh"
	}
	return ""
}

// instances appends the mesh of a node, as often as it is to be drawn.
func (r *reader) instances(s *assembly.Scene, n placed) error {
	node := &r.doc.Nodes[n.node]
	if node.Mesh == nil {
		return nil
	}
	where := fmt.Sprintf("node %d", n.node)
	mesh, err := entry(r.doc.Meshes, "mesh", *node.Mesh)
	if err != nil {
		return r.note(where, err)
	}
	at := assembly.Instance{Name: node.Name, Transform: n.world}
	if at.Name == "" {
		at.Name = mesh.Name
	}
	at.Name = at.Name[:min(len(at.Name), text.MaxName)]
	var pose *pose
	if node.Skin != nil {
		if pose, err = r.pose(*node.Skin, n.worlds); err != nil {
			if err := r.note(where, err); err != nil {
				return err
			}
		} else {
			at.Transform = scenes.Identity()
		}
	}
	if at.Shapes, err = r.meshShapes(n.node, pose); err != nil || len(at.Shapes) == 0 {
		return err
	}
	many := node.Extensions.Instancing
	if many == nil {
		s.Instances = append(s.Instances, at)
		return nil
	}
	all, err := r.instanceTransforms(many.Attributes)
	if err != nil {
		return r.note(where, err)
	}
	for i := range all {
		one := at
		one.Transform = at.Transform.Mul(&all[i])
		s.Instances = append(s.Instances, one)
	}
	return nil
}

// instanceBytes is the memory of an instance and of its transform.
const instanceBytes = 256 + 96

var errNoPositions = errors.New("no POSITION")
