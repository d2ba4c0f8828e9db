package x3d

import (
	"math"

	"lockstep/scenes"
	"lockstep/scenes/internal/assembly"
	"lockstep/scenes/internal/text"
	"lockstep/scenes/internal/tree"
	"lockstep/scenes/internal/turn"
)

// maxVisits is the greatest number of visited nodes. It is far above the number of nodes in any known file.
const maxVisits = 1 << 20

// instanceBytes is the memory in bytes of an instance with its name and transform.
const instanceBytes = 512

// A state is the transform from a node to the scene, and the name of the part to which the node belongs.
type state struct {
	world scenes.Affine
	name  string
}

// groups holds the kinds of nodes whose children are drawn. The value is true if the node has a transform.
var groups = map[string]bool{
	"Scene": false, "Group": false, "StaticGroup": false, "Anchor": false, "Billboard": false, "Collision": false, "Switch": false, "LOD": false,
	"CADLayer": false, "CADAssembly": false, "CADFace": false, "Layer": false, "LayerSet": false, "Viewport": false, "Shape": false, "ViewpointGroup": false,
	"Transform": true, "CADPart": true, "HAnimHumanoid": true, "HAnimJoint": true, "HAnimSegment": false, "HAnimSite": true,
}

// notDrawn holds fields whose nodes are not drawn. Such nodes only refer to nodes elsewhere, or replace them.
var notDrawn = map[string]bool{"proxy": true, "joints": true, "segments": true, "sites": true, "viewpoints": true, "shadowProxy": true}

// draw appends everything that is drawn to s.
func (r *reader) draw(s *assembly.Scene, top *node) error {
	w := &tree.Walk[*node, state, *node]{In: r.in, Unit: "nodes", Most: maxVisits, Levels: maxLevels + 2}
	w.Find = func(_ state, n *node) (*node, []*node, bool, error) {
		if _, ok := groups[n.kind]; ok {
			return n, r.drawnChildren(n), true, nil
		}
		return nil, nil, false, r.countUndrawn(n)
	}
	w.Visit = func(above state, n *node, _ *node) (state, error) {
		if n.name != "" {
			above.name = n.name
		}
		if groups[n.kind] {
			local, err := r.transformOf(n)
			if err != nil {
				return above, err
			}
			above.world = above.world.Mul(&local)
		}
		if n.kind == "Shape" {
			return above, r.addShape(s, n, above)
		}
		return above, nil
	}
	w.Skip = func(_ state, n *node, _ tree.Reason) error {
		return r.warn.Add(bytePlace(n.at), "node %s left out: it is below itself, or below too many levels", text.Short(n.name))
	}
	return w.From(state{world: scenes.Identity()}, top.below)
}

// countUndrawn counts a node that would show something but is not drawn, or warns about it.
func (r *reader) countUndrawn(n *node) error {
	switch n.kind {
	case "Inline":
		name, err := r.address(n)
		if err != nil {
			return err
		}
		return r.warn.Add(bytePlace(n.at), "Inline %s left out: other files are not opened", text.Short(name))
	case "ProtoInstance":
		name, err := r.address(n)
		if err != nil {
			return err
		}
		return r.warnPrototype(n, name)
	}
	if r.kinds[n.kind] {
		return r.warnPrototype(n, n.kind)
	}
	return nil
}

// address returns the name of the file or prototype to which node n refers. It reads each node only once, because a
// node may be visited very often and its fields may be long.
func (r *reader) address(n *node) (string, error) {
	name, ok := r.addresses[n]
	if ok {
		return name, nil
	}
	if err := r.Reserve(nodeBytes + text.MaxName); err != nil {
		return "", err
	}
	name = firstOf(append(n.strings("url"), n.strings("name")...))
	r.addresses[n] = name
	return name, nil
}

// warnPrototype warns about an instance of the prototype called name.
func (r *reader) warnPrototype(n *node, name string) error {
	return r.warn.Add(bytePlace(n.at), "an instance of prototype %s left out: PROTO is not read", text.Short(name))
}

func firstOf(all []string) string {
	if len(all) == 0 {
		return ""
	}
	return all[0]
}

// drawnChildren returns the children of n that are drawn. It determines them only once per node.
func (r *reader) drawnChildren(n *node) []*node {
	all, ok := r.shown[n]
	if !ok {
		all = n.drawnChildren()
		r.shown[n] = all
	}
	return all
}

// drawnChildren returns the children of n that are drawn. For levels of detail, that is the first level. For a Switch,
// it is the child that the Switch chooses.
func (n *node) drawnChildren() []*node {
	var all []*node
	for _, c := range n.below {
		if notDrawn[c.field] && n.kind != "Scene" || c.kind == "WorldInfo" || c.kind == "MetadataSet" {
			continue
		}
		all = append(all, c)
	}
	switch n.kind {
	case "Shape":
		return nil
	case "LOD":
		return all[:min(1, len(all))]
	case "Switch":
		choice := n.number("whichChoice", -1)
		if !(choice >= 0 && choice < float64(len(all))) {
			return nil
		}
		return all[int(choice):][:1]
	}
	return all
}

// transformOf returns the transform from a node to its parent. It reads the fields only once per node, because a node
// may be visited very often and its fields may be long.
func (r *reader) transformOf(n *node) (scenes.Affine, error) {
	a, ok := r.transforms[n]
	if ok {
		return a, nil
	}
	if err := r.Reserve(nodeBytes); err != nil {
		return a, err
	}
	a = n.transform()
	if n.kind == "MatrixTransform" {
		a = n.matrixTransform()
	}
	r.transforms[n] = a
	return a, nil
}

// transform returns the transform from a node to its parent.
func (n *node) transform() scenes.Affine {
	var move, center [3]float64
	scale := [3]float64{1, 1, 1}
	angle, orientation := [4]float64{0, 0, 1, 0}, [4]float64{0, 0, 1, 0}
	n.vector("translation", move[:])
	n.vector("center", center[:])
	n.vector("scale", scale[:])
	n.vector("rotation", angle[:])
	n.vector("scaleOrientation", orientation[:])
	turned, tilted := rotation(angle), rotation(orientation)
	orientation[3] = -orientation[3]
	back := rotation(orientation)
	stretched := scenes.Identity()
	for i := range scale {
		stretched[i][i] = scale[i]
	}
	a := translation(move)
	for _, one := range []scenes.Affine{translation(center), turned, tilted, stretched, back, translation([3]float64{-center[0], -center[1], -center[2]})} {
		if one != scenes.Identity() {
			a = a.Mul(&one)
		}
	}
	return a
}

func translation(by [3]float64) scenes.Affine {
	a := scenes.Identity()
	for i := range by {
		a[i][3] = by[i]
	}
	return a
}

// quarterTolerance is a fraction of a quarter turn. An angle that deviates by less from a multiple of a quarter turn is
// rounded to the multiple. Angles in files have few digits.
const quarterTolerance = 1e-5

// rotation returns a rotation. The first three numbers of v are its axis, and the fourth is its angle in radians.
func rotation(v [4]float64) scenes.Affine {
	degrees := v[3] / math.Pi * 180
	if whole := math.Round(degrees/90) * 90; math.Abs(degrees-whole) < quarterTolerance*90 {
		degrees = whole
	}
	sin, cos := turn.Sincos(degrees)
	return turn.About([3]float64(v[:3]), sin, cos)
}
