package threeds

import (
	"math"
	"strings"

	"lockstep/scenes"
	"lockstep/scenes/internal/assembly"
	"lockstep/scenes/internal/text"
	"lockstep/scenes/internal/tree"
	"lockstep/scenes/internal/turn"
)

// An object is a node of the keyframer, the part of the file that places meshes.
type object struct {
	at             int
	name, instance string
	number, parent int
	pivot          [3]float64
	position       [3]float64
	rotation       [4]float64 // angle in radians, then the axis
	scale          [3]float64
	children       []*object
}

// Limits of a scene. They are far above the numbers in any known file.
const (
	maxVisits     = 1 << 18
	maxLevels     = 256
	nodeBytes     = 512 // memory in bytes of a node with its name and instance
	instanceBytes = 512
)

// noParent is the parent's number in a node without a parent.
const noParent = 0xFFFF

// findNodes reads all nodes in chunk c and the chunks inside it.
func (r *reader) findNodes(c chunk) error {
	switch c.id {
	case idMain, idKeyframer:
		return r.eachChunk(c, r.findNodes)
	case idNode:
		if err := r.Reserve(nodeBytes); err != nil {
			return err
		}
		o := &object{at: c.at, number: len(r.nodes), parent: noParent, scale: [3]float64{1, 1, 1}}
		r.nodes = append(r.nodes, o)
		return r.eachChunk(c, func(c chunk) error {
			r.readNodePart(o, c)
			return nil
		})
	}
	return nil
}

// readNodePart reads a chunk inside a node.
func (r *reader) readNodePart(o *object, c chunk) {
	switch c.id {
	case idNumber:
		if c.end-c.body >= 2 {
			o.number = r.uint16At(c.body)
		}
	case idNodeName:
		name, at := r.name(c)
		o.name = name
		if c.end-at >= 6 {
			o.parent = r.uint16At(at + 4)
		}
	case idInstanceName:
		o.instance, _ = r.name(c)
	case idPivot:
		r.floats(c.body, c.end, o.pivot[:])
	case idPosition:
		r.readFirstKey(c, o.position[:])
	case idRotation:
		r.readFirstKey(c, o.rotation[:])
	case idScaling:
		r.readFirstKey(c, o.scale[:])
	}
}

// trackHead is how many bytes precede the keys of a track. keyHead is how many bytes precede the values of a key.
const (
	trackHead = 14
	keyHead   = 6
)

// readFirstKey reads the values of the first key of a track into `to`. For each flag of the key that is set, a number
// about interpolation precedes the values and is skipped.
func (r *reader) readFirstKey(c chunk, to []float64) {
	if c.end-c.body < trackHead+keyHead {
		return
	}
	at := c.body + trackHead
	flags := r.uint16At(at + 4)
	at += keyHead
	for bit := range 5 {
		at += 4 * (flags >> bit & 1)
	}
	r.floats(at, c.end, to)
}

// localTransform returns the transform from a node to its parent.
func (o *object) localTransform() scenes.Affine {
	sin, cos := math.Sincos(-o.rotation[0]) // angles of the format are clockwise
	a := turn.About([3]float64(o.rotation[1:]), sin, cos)
	for r := range 3 {
		for c := range 3 {
			a[r][c] *= o.scale[c]
		}
		a[r][3] = o.position[r]
	}
	return a
}

// draw appends the meshes of all nodes to s. Then it appends the meshes that no node places, without a transform.
func (r *reader) draw(s *assembly.Scene) error {
	w := &tree.Walk[*object, scenes.Affine, *object]{In: r.in, Unit: "nodes", Most: maxVisits, Levels: maxLevels, Once: true}
	w.Find = func(_ scenes.Affine, o *object) (*object, []*object, bool, error) { return o, o.children, true, nil }
	w.Visit = func(above scenes.Affine, o *object, _ *object) (scenes.Affine, error) {
		local := o.localTransform()
		world := above.Mul(&local)
		return world, r.addObject(s, o, world)
	}
	w.Skip = func(_ scenes.Affine, o *object, _ tree.Reason) error {
		return r.warn.Add(bytePlace(o.at), "node %s left out: it is below itself, or below too many levels", text.Short(o.name))
	}
	if err := w.From(scenes.Identity(), r.linkNodes()); err != nil {
		return err
	}
	for _, m := range r.meshes {
		if m.used {
			continue
		}
		if err := r.addInstance(s, m, m.name, scenes.Identity()); err != nil {
			return err
		}
	}
	return nil
}

// linkNodes links nodes to their parents, and returns the nodes without a parent. A node whose parent does not exist is
// one of these, because some files leave out parents.
func (r *reader) linkNodes() (top []*object) {
	byNumber := make(map[int]*object, len(r.nodes))
	for _, o := range r.nodes {
		if byNumber[o.number] == nil {
			byNumber[o.number] = o
		}
	}
	for _, o := range r.nodes {
		if parent := byNumber[o.parent]; o.parent != noParent && parent != nil && parent != o {
			parent.children = append(parent.children, o)
		} else {
			top = append(top, o)
		}
	}
	return top
}

// addObject appends the mesh that node o places to s.
func (r *reader) addObject(s *assembly.Scene, o *object, world scenes.Affine) error {
	m := r.byName[o.name]
	if m == nil {
		return nil // a light, a camera, or a node that only moves others
	}
	inverse, ok := inverted(m.frame)
	if !ok {
		return nil // draw appends the mesh later, without a transform
	}
	m.used = true
	move := scenes.Identity()
	for i := range o.pivot {
		move[i][3] = -o.pivot[i]
	}
	world = world.Mul(&move)
	world = world.Mul(&inverse)
	name := o.name
	if o.instance != "" {
		name = o.instance
	}
	if isNearIdentity(&world, &m.frame) {
		world = scenes.Identity() // without rounding errors of two transforms that cancel out
	}
	return r.addInstance(s, m, name, world)
}

func (r *reader) addInstance(s *assembly.Scene, m *mesh, name string, world scenes.Affine) error {
	if err := r.Reserve(instanceBytes); err != nil {
		return err
	}
	s.Instances = append(s.Instances, assembly.Instance{Name: strings.ToValidUTF8(name, "?"), Shapes: m.shapes, Transform: world})
	return nil
}

// isNearIdentity reports whether transform a is the identity up to rounding errors of files. Its entries may differ by
// 1e-5. Its translation may differ by 1e-5 of the largest coordinate of the frame's origin, or of 1 if that is greater.
func isNearIdentity(a, frame *scenes.Affine) bool {
	const rounding = 1e-5
	far := 1.0
	for r := range 3 {
		far = max(far, math.Abs(frame[r][3]))
	}
	for r := range 3 {
		if !(math.Abs(a[r][3]) < rounding*far) {
			return false
		}
		for c := range 3 {
			want := 0.0
			if r == c {
				want = 1
			}
			if !(math.Abs(a[r][c]-want) < rounding) {
				return false
			}
		}
	}
	return true
}

// inverted returns the inverse of the local axes of a mesh. ok is false if there is none. If the axes mirror, the
// mirroring is ignored: nodes cannot express it, and it is already part of the positions.
func inverted(a scenes.Affine) (b scenes.Affine, ok bool) {
	det := a.Det()
	if det < 0 {
		for r := range 3 {
			a[r][0] = -a[r][0]
		}
		det = -det
	}
	if !(det > 0) || math.IsInf(det, 0) {
		return b, false
	}
	n := a.Cofactors()
	for r := range 3 {
		for c := range 3 {
			b[r][c] = n[c][r] / det
		}
	}
	for r := range 3 {
		b[r][3] = -(float64(b[r][0]*a[0][3]) + float64(b[r][1]*a[1][3]) + float64(b[r][2]*a[2][3]))
		if math.IsNaN(b[r][3]) || math.IsInf(b[r][3], 0) {
			return b, false
		}
	}
	return b, true
}
