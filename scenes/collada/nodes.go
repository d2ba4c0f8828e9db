package collada

import (
	"slices"
	"strconv"
	"strings"

	"lockstep/scenes"
	"lockstep/scenes/internal/assembly"
	"lockstep/scenes/internal/text"
	"lockstep/scenes/internal/tree"
	"lockstep/scenes/internal/xmltree"
)

// Limits of a scene: far above those of an assembly.
const (
	maxVisits = 1 << 18
	maxLevels = 256
	// instanceBytes is the memory of an instance, of its name and of its transform.
	instanceBytes = 512
)

// draw appends what is drawn.
func (r *reader) draw(s *assembly.Scene) error {
	top, err := r.visualScene()
	if err != nil {
		return err
	}
	w := &tree.Walk[int32, scenes.Affine, xmltree.Node]{In: r.in, Unit: "nodes", Most: maxVisits, Levels: maxLevels}
	w.Find = func(_ scenes.Affine, e xmltree.Node) (int32, []xmltree.Node, bool, error) {
		n, err := r.nodeOf(e)
		return n.Key(), below(n), n.Is(), err
	}
	w.Visit = func(above scenes.Affine, e xmltree.Node, _ int32) (scenes.Affine, error) {
		n, err := r.nodeOf(e)
		if err != nil {
			return above, err
		}
		local, err := r.local(n)
		if err != nil {
			return above, err
		}
		world := above.Mul(&local)
		if _, ok := r.worlds[n.Key()]; !ok {
			r.worlds[n.Key()] = world
		}
		return world, r.content(s, n, world)
	}
	w.Shun = func(_ scenes.Affine, e xmltree.Node, _ tree.Reason) error {
		return r.warn.Add(at(e), "%s left out: it is below itself, or below too many levels", e.Name())
	}
	if !top.Is() {
		return r.drawAll(s)
	}
	if err := w.From(scenes.Identity(), below(top)); err != nil {
		return err
	}
	return r.drawSkins(s, top)
}

// visualScene returns the scene that is drawn; none where a file has only geometries.
func (r *reader) visualScene() (xmltree.Node, error) {
	if in := r.root.Child("scene", "instance_visual_scene"); in.Is() {
		if n := r.find("visual_scene", in.Attr("url")); n.Is() {
			return n, nil
		}
		if err := r.missing(in, "visual_scene", in.Attr("url")); err != nil {
			return xmltree.None(), err
		}
	}
	return r.root.Child("library_visual_scenes", "visual_scene"), nil
}

// drawAll appends all geometries where they are.
func (r *reader) drawAll(s *assembly.Scene) error {
	for library := range r.root.Each("library_geometries") {
		for n := range library.Each("geometry") {
			if err := r.place(s, xmltree.None(), xmltree.None(), n, scenes.Identity(), nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// below returns the nodes below one, and the instances of nodes.
func below(n xmltree.Node) (all []xmltree.Node) {
	for c := range n.All() {
		if name := c.Name(); name == "node" || name == "instance_node" {
			all = append(all, c)
		}
	}
	return all
}

// nodeOf returns the node that an element is, or is an instance of.
func (r *reader) nodeOf(e xmltree.Node) (xmltree.Node, error) {
	if e.Name() == "node" {
		return e, nil
	}
	if n := r.find("node", e.Attr("url")); n.Is() {
		return n, nil
	}
	return xmltree.None(), r.missing(e, "node", e.Attr("url"))
}

// content appends what a node shows.
func (r *reader) content(s *assembly.Scene, n xmltree.Node, world scenes.Affine) error {
	for in := range n.All() {
		switch in.Name() {
		case "instance_geometry":
			g := r.find("geometry", in.Attr("url"))
			if !g.Is() {
				if err := r.missing(in, "geometry", in.Attr("url")); err != nil {
					return err
				}
				continue
			}
			if err := r.place(s, n, in, g, world, nil); err != nil {
				return err
			}
		case "instance_controller":
			if err := r.hold(instanceBytes); err != nil {
				return err
			}
			r.skins = append(r.skins, skinned{node: n, instance: in, world: world})
		}
	}
	return nil
}

// A shapesKey tells apart the shapes of a geometry, by the materials of its symbols and by the controller that bends it.
type shapesKey struct {
	geometry, controller int32
	materials            string
}

// A bend is how a controller moves the places of a geometry.
type bend struct {
	controller int32
	maps       []scenes.Affine // by places
}

// place appends a geometry.
func (r *reader) place(s *assembly.Scene, node, in, of xmltree.Node, world scenes.Affine, by *bend) error {
	g, err := r.geometry(of)
	if g == nil || err != nil || g.builder.Len() == 0 {
		return err
	}
	materials, err := r.bind(g, in)
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, m := range materials {
		b.WriteString(strconv.Itoa(int(m)))
		b.WriteByte(' ')
	}
	key := shapesKey{geometry: of.Key(), materials: b.String()}
	var maps []scenes.Affine
	if by != nil {
		key.controller, maps = by.controller, by.maps
	}
	all, ok := r.shapes[key]
	if !ok {
		all = g.builder.Shapes(func(symbol int32) int32 { return materials[symbol] }, maps)
		if err := r.hold(int64(512*len(all) + len(key.materials))); err != nil {
			return err
		}
		r.shapes[key] = all
	}
	one := assembly.Instance{Name: nameOf(node, of), Shapes: all, Transform: world}
	s.Instances = append(s.Instances, one)
	return r.hold(instanceBytes)
}

// nameOf returns the name of a part: that of its node, or of its geometry.
func nameOf(node, of xmltree.Node) string {
	for _, name := range []string{node.Attr("name"), of.Attr("name"), node.Attr("id"), of.Attr("id")} {
		if name != "" {
			return name[:min(len(name), text.MaxName)]
		}
	}
	return ""
}

// bind returns the materials of the symbols of a geometry, as an instance binds them. A symbol that is not bound is taken
// for the id of a material, as some programs have it.
func (r *reader) bind(g *geometry, in xmltree.Node) ([]int32, error) {
	key := [2]int32{g.node.Key(), in.Key()}
	if all, ok := r.bound[key]; ok {
		return all, nil
	}
	if err := r.hold(int64(64 + 20*len(g.symbols))); err != nil {
		return nil, err
	}
	all := make([]int32, len(g.symbols))
	bound := make([]string, len(g.symbols))
	for m := range in.Child("bind_material", "technique_common").Each("instance_material") {
		if i := slices.Index(g.symbols, m.Attr("symbol")); i >= 0 && bound[i] == "" {
			bound[i] = m.Attr("target")
		}
	}
	for i, symbol := range g.symbols {
		address := bound[i]
		if address == "" {
			address = symbol
		}
		m, err := r.material(address, bound[i] != "", in)
		if err != nil {
			return nil, err
		}
		all[i] = m
	}
	r.bound[key] = all
	return all, nil
}
