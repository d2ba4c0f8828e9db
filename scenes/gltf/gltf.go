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

// Detect recognises the mark of a binary container. It also recognises a JSON object that contains one of the names
// that a document with meshes needs, such as "accessors".
func (fileFormat) Detect(prefix []byte, _ int64) format.Likelihood {
	if bytes.HasPrefix(prefix, magic) {
		return format.Marked
	}
	doc := bytes.TrimRight(bytes.TrimLeft(text.TrimBOM(prefix), " \t\r\n"), "\x00 \t\r\n") // some programs pad the file
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

// Read reads a whole file. It needs memory for the file, for the files that it names and for its pictures, plus 12
// bytes per vertex and 48 bytes per triangle. Normals take 12 more bytes per vertex, and texture coordinates 8.
func (fileFormat) Read(in *format.Input) (m *scenes.Mesh, rep *scenes.Report, err error) {
	data, err := in.ReadAll()
	if err != nil {
		return nil, nil, err
	}
	r := openReader(in, int64(len(data)))
	name, doc := FormatJSON, data
	if bytes.HasPrefix(data, magic) {
		name = FormatBinary
		if doc, r.bin, err = splitContainer(in, r.warn, data); err != nil {
			return nil, nil, err
		}
	}
	if r.doc, err = parseDocument(in, doc, r.Held); err != nil {
		return nil, nil, err
	}
	r.buffers = make([]loadResult, len(r.doc.Buffers))
	if err := r.readClips(); err != nil {
		return nil, nil, err
	}
	if err := r.applyPose(); err != nil {
		return nil, nil, err
	}
	scene, err := r.scene()
	if err != nil {
		return nil, nil, err
	}
	if m, rep, err = assembly.Build(in, scene, name); err != nil {
		return nil, nil, err
	}
	rep.Clips = r.clips
	return m, rep, nil
}

// A reader is the state of Read.
type reader struct {
	in   *format.Input
	warn *format.Warnings
	format.Memory
	doc *claimedDocument
	bin []byte // the buffer that a binary container holds, see splitContainer

	buffers      []loadResult
	files        map[string]loadResult  // contents of files with buffers, by the name that Input.FindBeside returns
	views        map[integer]loadResult // decompressed views
	dracos       map[integer]unpackedMesh
	accessors    map[integer]accessorResult
	textures     map[integer]*scenes.Texture // textures by their indices; nil if a texture cannot be read
	images       map[integer]decodeResult
	pictures     map[*image.NRGBA]bool // pictures whose memory is counted already
	materials    []scenes.Material
	scaled       map[scaledMaterial]int32  // materials for scaled nodes, as indices into materials
	scales       []float32                 // scales of nodes for materials with a thickness, in ascending order
	manyScales   bool                      // the file has more than maxScales scales
	bodies       map[**assembly.Shape]bool // results of hasBodies, by the address of the first shape
	scaledShapes map[scaledList][]*assembly.Shape
	shapes       map[shapesKey][]*assembly.Shape
	poses        map[integer]poseResult
	timesErrors  map[integer]error // results of checkAscending, by the accessor of the times
	cornerCount  int64             // number of corners of all primitives
	// animations holds the animations of the document. clips describes them for the report.
	animations []claimedClip
	clips      []scenes.Clip
	// Budgets limit work that a small document can cause by referring to the same bytes repeatedly.
	unpacking, sparse, placing, shaping, moving, posing format.Budget
	dracoLimits                                         draco.Limits
}

// openReader returns a reader. The caller already holds `held` bytes of memory.
func openReader(in *format.Input, held int64) *reader {
	return &reader{
		in:           in,
		warn:         in.Warnings(),
		Memory:       in.Memory(held),
		files:        make(map[string]loadResult),
		views:        make(map[integer]loadResult),
		dracos:       make(map[integer]unpackedMesh),
		accessors:    make(map[integer]accessorResult),
		textures:     make(map[integer]*scenes.Texture),
		images:       make(map[integer]decodeResult),
		pictures:     make(map[*image.NRGBA]bool),
		shapes:       make(map[shapesKey][]*assembly.Shape),
		scaled:       make(map[scaledMaterial]int32),
		bodies:       make(map[**assembly.Shape]bool),
		scaledShapes: make(map[scaledList][]*assembly.Shape),
		poses:        make(map[integer]poseResult),
		timesErrors:  make(map[integer]error),
		unpacking:    format.Budget{Unit: "bytes of compressed buffer views", Free: 16 << 20, PerByte: 64},
		sparse:       format.Budget{Unit: "sparse elements", Free: 4 << 20, PerByte: 4},
		placing:      format.Budget{Unit: "instances", Free: 1 << 18, PerByte: 1},
		shaping:      format.Budget{Unit: "primitives, counted for each node that bends them its own way", Free: 1 << 18, PerByte: 1},
		posing:       format.Budget{Unit: "weights of targets, counted for each node that a clip bends", Free: 1 << 18, PerByte: 1},
		moving:       format.Budget{Unit: "targets, counted for each node that bends them its own way", Free: 1 << 18, PerByte: 1},
	}
}

// warnUnlessFatal makes an error a warning, unless the error ends even a lenient read.
func (r *reader) warnUnlessFatal(place string, err error) error {
	return surface.WarnMissing(r.in, r.warn, place, "left out", err)
}

// scene returns everything that is drawn. It reads materials last, so a damaged material cannot hide the error about a
// file without triangles.
func (r *reader) scene() (*assembly.Scene, error) {
	s := &assembly.Scene{Up: scenes.PlusY, Unit: 1, Warn: r.warn}
	if len(r.doc.Meshes) == 0 {
		s.EmptyReason = ": the file has no meshes"
		return s, nil
	}
	nodes, err := r.drawnNodes()
	if err != nil {
		return nil, err
	}
	for _, n := range nodes {
		if err := r.addInstances(s, n); err != nil {
			return nil, err
		}
	}
	if pose := r.in.Options.Pose; pose != nil && len(pose.Materials) > 0 && len(pose.Materials) == len(r.doc.Materials)+len(r.scaled) {
		r.materials = pose.Materials[:len(r.doc.Materials):len(r.doc.Materials)] // an earlier read gave the warnings
	} else if len(s.Instances) > 0 {
		if err := r.readMaterials(); err != nil {
			return nil, err
		}
		if err := r.warnUndrawn(s.Instances); err != nil {
			return nil, err
		}
	}
	r.addScaledMaterials()
	s.Materials, s.Held, s.EmptyReason = r.materials, r.Held, r.emptyReason(nodes)
	return s, nil
}

// emptyReason returns the reason why the file has no triangles, or "" if it is unknown.
func (r *reader) emptyReason(nodes []placedNode) string {
	if !slices.ContainsFunc(nodes, func(n placedNode) bool { return r.doc.Nodes[n.node].Mesh != nil }) {
		return ": no node of the scene has a mesh"
	}
	return ""
}

// addInstances appends the mesh of a node to s, once or, if the node has the extension EXT_mesh_gpu_instancing, once
// for each instance.
func (r *reader) addInstances(s *assembly.Scene, n placedNode) error {
	node := &r.doc.Nodes[n.node]
	if node.Mesh == nil {
		return nil
	}
	where := fmt.Sprintf("node %d", n.node)
	mesh, err := entry(r.doc.Meshes, "mesh", *node.Mesh)
	if err != nil {
		return r.warnUnlessFatal(where, err)
	}
	at := assembly.Instance{Name: node.Name, Transform: n.world}
	if at.Name == "" {
		at.Name = mesh.Name
	}
	at.Name = at.Name[:min(len(at.Name), text.MaxName)]
	var pose *pose
	if node.Skin != nil {
		if pose, err = r.pose(*node.Skin, n.worlds); err != nil {
			if err := r.warnUnlessFatal(where, err); err != nil {
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
		return r.scaleBodies(&s.Instances[len(s.Instances)-1])
	}
	all, err := r.instanceTransforms(many.Attributes)
	if err != nil {
		return r.warnUnlessFatal(where, err)
	}
	for i := range all {
		one := at
		one.Transform = at.Transform.Mul(&all[i])
		s.Instances = append(s.Instances, one)
		if err := r.scaleBodies(&s.Instances[len(s.Instances)-1]); err != nil {
			return err
		}
	}
	return nil
}

// instanceBytes is the memory in bytes of an instance and its transform.
const instanceBytes = 256 + 96

var errNoPositions = errors.New("no POSITION")
