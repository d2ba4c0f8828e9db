package amf

import (
	"math"

	"lockstep/scenes"
	"lockstep/scenes/internal/assembly"
	"lockstep/scenes/internal/text"
	"lockstep/scenes/internal/tree"
	"lockstep/scenes/internal/turn"
	"lockstep/scenes/internal/xmltree"
)

var nan = math.NaN()

// Limits of a scene, far above the numbers in any known file: how many objects, constellations and instances are
// visited, and how deep constellations are nested. instanceBytes is the memory in bytes of an instance with its name
// and transform.
const (
	maxVisits     = 1 << 18
	maxLevels     = 256
	instanceBytes = 512
)

// draw appends the objects and constellations of the file to s, with everything that they contain. It starts at those
// that no constellation contains.
func (r *reader) draw(s *assembly.Scene) error {
	placed := make(map[int32]bool)
	for c := range r.root.Each("constellation") {
		for i := range c.Each("instance") {
			if of := r.objects[i.Attr("objectid")]; of.Exists() && of.Key() != c.Key() {
				placed[of.Key()] = true
			}
		}
	}
	var top []xmltree.Node
	for n := range r.root.All() {
		if name := n.Name(); (name == "object" || name == "constellation") && !placed[n.Key()] {
			top = append(top, n)
		}
	}
	if err := r.Reserve(64 * int64(len(placed)+len(top))); err != nil {
		return err
	}
	w := &tree.Walk[int32, scenes.Affine, xmltree.Node]{In: r.in, Unit: "instances", Most: maxVisits, Levels: maxLevels}
	w.Find = func(_ scenes.Affine, e xmltree.Node) (int32, []xmltree.Node, bool, error) {
		n, err := r.placedElement(e)
		return n.Key(), r.instances(n), n.Exists(), err
	}
	w.Visit = func(above scenes.Affine, e xmltree.Node, _ int32) (scenes.Affine, error) {
		n, err := r.placedElement(e)
		if err != nil {
			return above, err
		}
		if e.Name() == "instance" {
			local := transform(e)
			above = above.Mul(&local)
		}
		if n.Name() != "object" {
			return above, nil
		}
		all, err := r.objectShapes(n)
		if err != nil {
			return above, err
		}
		s.Instances = append(s.Instances, assembly.Instance{Name: nameOf(n), Shapes: all, Transform: above})
		return above, r.Reserve(instanceBytes)
	}
	w.Skip = func(_ scenes.Affine, e xmltree.Node, _ tree.Reason) error {
		return r.warn.Add(placeOf(e), "instance of %s left out: it is below itself, or below too many levels", text.Short(e.Attr("objectid")))
	}
	return w.From(scenes.Identity(), top)
}

// instances returns the instances of a constellation. It searches the file for them only once.
func (r *reader) instances(n xmltree.Node) []xmltree.Node {
	if n.Name() != "constellation" {
		return nil
	}
	all, ok := r.constellations[n.Key()]
	if !ok {
		for i := range n.Each("instance") {
			all = append(all, i)
		}
		r.constellations[n.Key()] = all
	}
	return all
}

// placedElement returns the object or constellation that element e stands for. This is e itself unless e is an
// instance.
func (r *reader) placedElement(e xmltree.Node) (xmltree.Node, error) {
	if e.Name() != "instance" {
		return e, nil
	}
	if n := r.objects[e.Attr("objectid")]; n.Exists() {
		return n, nil
	}
	return xmltree.None(), r.warn.Add(placeOf(e), "object %s left out: it is not there", text.Short(e.Attr("objectid")))
}

// transform returns the transform of an instance: rotations about x, y and z, in degrees, and then a translation.
func transform(n xmltree.Node) scenes.Affine {
	a := scenes.Identity()
	for axis, name := range []string{"rx", "ry", "rz"} {
		if v, ok := numberOf(n.Child(name)); ok && v != 0 {
			one := turn.Axis(axis, v)
			a = one.Mul(&a)
		}
	}
	for axis, name := range []string{"deltax", "deltay", "deltaz"} {
		if v, ok := numberOf(n.Child(name)); ok {
			a[axis][3] += v
		}
	}
	return a
}
