package collada

import (
	"encoding/binary"
	"slices"
	"strings"

	"lockstep/scenes"
	"lockstep/scenes/internal/assembly"
	"lockstep/scenes/internal/text"
	"lockstep/scenes/internal/tree"
	"lockstep/scenes/internal/xmltree"
)

// Limits of a scene, far above the numbers in any known file: how many nodes are visited, and how deep they are nested.
const (
	maxVisits = 1 << 18
	maxLevels = 256
	// instanceBytes is the memory in bytes of an instance with its name and transform.
	instanceBytes = 512
)

// draw appends everything that is drawn to s.
func (r *reader) draw(s *assembly.Scene) error {
	top, err := r.visualScene()
	if err != nil {
		return err
	}
	w := &tree.Walk[int32, scenes.Affine, xmltree.Node]{In: r.in, Unit: "nodes", Most: maxVisits, Levels: maxLevels}
	w.Find = func(_ scenes.Affine, e xmltree.Node) (int32, []xmltree.Node, bool, error) {
		n, err := r.readNode(e)
		if n == nil || err != nil {
			return 0, nil, false, err
		}
		return n.node.Key(), n.below, true, nil
	}
	w.Visit = func(above scenes.Affine, e xmltree.Node, key int32) (scenes.Affine, error) {
		n := r.nodes[key]
		world := above.Mul(&n.local)
		if _, ok := r.worlds[key]; !ok {
			r.worlds[key] = world
		}
		return world, r.addContent(s, n, world)
	}
	w.Skip = func(_ scenes.Affine, e xmltree.Node, _ tree.Reason) error {
		return r.warn.Add(placeOf(e), "%s left out: it is below itself, or below too many levels", e.Name())
	}
	if !top.Exists() {
		return r.drawAll(s)
	}
	if err := w.From(scenes.Identity(), childNodes(top)); err != nil {
		return err
	}
	return r.drawSkins(s, top)
}

// visualScene returns the scene to draw. It returns xmltree.None if the file only has geometries.
func (r *reader) visualScene() (xmltree.Node, error) {
	if in := r.root.Child("scene", "instance_visual_scene"); in.Exists() {
		if n := r.find("visual_scene", in.Attr("url")); n.Exists() {
			return n, nil
		}
		if err := r.warnMissing(in, "visual_scene", in.Attr("url")); err != nil {
			return xmltree.None(), err
		}
	}
	return r.root.Child("library_visual_scenes", "visual_scene"), nil
}

// drawAll appends all geometries of the file to s, without a transform.
func (r *reader) drawAll(s *assembly.Scene) error {
	for library := range r.root.Each("library_geometries") {
		for n := range library.Each("geometry") {
			if err := r.addInstance(s, xmltree.None(), xmltree.None(), n, scenes.Identity(), nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// A sceneNode holds the contents of a node. Each node is read only once, however often it is visited.
type sceneNode struct {
	node      xmltree.Node
	local     scenes.Affine  // transform to the parent node
	below     []xmltree.Node // child nodes, and instances of other nodes
	instances []instance
}

// An instance is an instance element and the geometry or controller to which it refers.
type instance struct{ element, of xmltree.Node }

// childNodes returns the child nodes of n, and the instances of nodes directly below n.
func childNodes(n xmltree.Node) (all []xmltree.Node) {
	for c := range n.All() {
		if name := c.Name(); name == "node" || name == "instance_node" {
			all = append(all, c)
		}
	}
	return all
}

// readNode returns the node for element e, which is a node or an instance of a node. If the node does not exist,
// readNode adds a warning and returns nil.
func (r *reader) readNode(e xmltree.Node) (*sceneNode, error) {
	n, ok := r.links[e.Key()]
	if !ok {
		if n = e; e.Name() == "instance_node" {
			n = r.find("node", e.Attr("url"))
		}
		if err := r.Reserve(64); err != nil {
			return nil, err
		}
		if r.links[e.Key()] = n; !n.Exists() {
			return nil, r.warnMissing(e, "node", e.Attr("url"))
		}
	}
	if !n.Exists() {
		return nil, nil
	}
	if known := r.nodes[n.Key()]; known != nil {
		return known, nil
	}
	out := &sceneNode{node: n, below: childNodes(n)}
	var err error
	if out.local, err = r.localTransform(n); err != nil {
		return nil, err
	}
	if out.instances, err = r.findInstances(n); err != nil {
		return nil, err
	}
	r.nodes[n.Key()] = out
	return out, r.Reserve(256 + 32*int64(len(out.below)) + 64*int64(len(out.instances)))
}

// findInstances returns the instances of geometries and controllers in a node.
func (r *reader) findInstances(n xmltree.Node) (all []instance, err error) {
	for e := range n.All() {
		kind, ok := strings.CutPrefix(e.Name(), "instance_")
		if !ok || kind != "geometry" && kind != "controller" {
			continue
		}
		of := r.find(kind, e.Attr("url"))
		if of.Exists() {
			all = append(all, instance{e, of})
		} else if err := r.warnMissing(e, kind, e.Attr("url")); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// addContent appends the geometries of a node to s, and the instances of controllers to r.skins.
func (r *reader) addContent(s *assembly.Scene, n *sceneNode, world scenes.Affine) error {
	if err := r.placeBudget.Spend(r.in, int64(len(n.instances))); err != nil {
		return err
	}
	for _, in := range n.instances {
		if in.of.Name() == "controller" {
			if err := r.Reserve(instanceBytes); err != nil {
				return err
			}
			r.skins = append(r.skins, controllerInstance{node: n.node, instance: in.element, of: in.of, world: world})
		} else if err := r.addInstance(s, n.node, in.element, in.of, world, nil); err != nil {
			return err
		}
	}
	return nil
}

// A shapesKey identifies the shapes of a geometry. They depend on the geometry, on the materials of its symbols, and on
// the controller that bends it.
type shapesKey struct {
	geometry, controller int32
	materials            string
}

// A skinTransforms states how a controller bends a geometry. It holds a transform for each position, that is, for each
// vertex of the geometry.
type skinTransforms struct {
	controller int32
	maps       []scenes.Affine // transform of each position
}

// A placement holds the shapes and the name of an instance of a geometry.
type placement struct {
	shapes []*assembly.Shape
	name   string
}

// addInstance appends an instance of the geometry `of` to s. `in` is the instance element. A controller may bend the
// geometry, and `by` then holds its transforms. Otherwise `by` is nil.
func (r *reader) addInstance(s *assembly.Scene, node, in, of xmltree.Node, world scenes.Affine, by *skinTransforms) error {
	g, err := r.geometry(of)
	if g == nil || err != nil {
		return err
	}
	key := [2]int32{of.Key(), in.Key()}
	p := r.placed[key]
	if p == nil {
		p = &placement{name: nameOf(node, of)}
		if p.shapes, err = r.shapesOf(g, in, by); err != nil {
			return err
		}
		if err := r.Reserve(128 + int64(len(p.name))); err != nil {
			return err
		}
		r.placed[key] = p
	}
	s.Instances = append(s.Instances, assembly.Instance{Name: p.name, Shapes: p.shapes, Transform: world})
	return r.Reserve(instanceBytes)
}

// shapesOf returns the shapes of a geometry, with the materials that the instance element `in` binds.
func (r *reader) shapesOf(g *geometry, in xmltree.Node, by *skinTransforms) ([]*assembly.Shape, error) {
	materials, err := r.materialsOf(g, in)
	if err != nil {
		return nil, err
	}
	var b []byte
	for _, m := range materials {
		b = binary.LittleEndian.AppendUint32(b, uint32(m))
	}
	key := shapesKey{geometry: g.node.Key(), materials: string(b)}
	var maps []scenes.Affine
	if by != nil {
		key.controller, maps = by.controller, by.maps
	}
	all, ok := r.shapes[key]
	if !ok {
		all = g.builder.Shapes(func(symbol int32) int32 { return materials[symbol] }, maps)
		if err := r.Reserve(int64(512*len(all) + len(key.materials))); err != nil {
			return nil, err
		}
		r.shapes[key] = all
	}
	return all, nil
}

// nameOf returns the name of a part: the name of its node or of its geometry, or else the id of one of them.
func nameOf(node, of xmltree.Node) string {
	for _, name := range []string{node.Attr("name"), of.Attr("name"), node.Attr("id"), of.Attr("id")} {
		if name != "" {
			return name[:min(len(name), text.MaxName)]
		}
	}
	return ""
}

// materialsOf returns the material of each symbol of a geometry. The instance element `in` binds symbols to materials.
// A symbol that is not bound is taken for the id of a material, because some programs write files in this way.
func (r *reader) materialsOf(g *geometry, in xmltree.Node) ([]int32, error) {
	if g.unbound == nil {
		if err := r.Reserve(20 * int64(len(g.symbols))); err != nil {
			return nil, err
		}
		g.unbound = make([]int32, len(g.symbols))
		for i, symbol := range g.symbols {
			var err error
			if g.unbound[i], err = r.material(symbol, false, in); err != nil {
				return nil, err
			}
		}
	}
	all := g.unbound
	bound := map[int]bool{}
	for m := range in.Child("bind_material", "technique_common").Each("instance_material") {
		i, ok := g.symbolAt[m.Attr("symbol")]
		target := m.Attr("target")
		if !ok || bound[i] || target == "" {
			continue
		}
		if len(bound) == 0 {
			all = slices.Clone(all)
		}
		bound[i] = true
		var err error
		if all[i], err = r.material(target, true, in); err != nil {
			return nil, err
		}
	}
	return all, nil
}
