package fbx

import (
	"strconv"
	"strings"

	"lockstep/scenes"
	"lockstep/scenes/internal/assembly"
	"lockstep/scenes/internal/text"
	"lockstep/scenes/internal/tree"
)

// Limits of a scene: far above those of an assembly.
const (
	maxVisits     = 1 << 18
	maxDepth      = 256
	instanceBytes = 512 // of an instance, of its name and of its transform
)

// draw appends what is drawn.
func (r *reader) draw(s *assembly.Scene) error {
	w := &tree.Walk[*object, scenes.Affine, *object]{In: r.in, Unit: "models", Most: maxVisits, Levels: maxDepth}
	w.Find = func(_ scenes.Affine, o *object) (*object, []*object, bool, error) { return o, o.models(), true, nil }
	w.Visit = func(above scenes.Affine, o *object, _ *object) (scenes.Affine, error) {
		local, geometric := r.transforms(o.node)
		world := above.Mul(&local)
		own := world.Mul(&geometric)
		return world, r.content(s, o, own)
	}
	w.Shun = func(_ scenes.Affine, o *object, _ tree.Reason) error {
		return r.warn.Add(r.at(o.node), "model %s left out: it is below itself, or below too many levels", text.Short(trimClass(o.name)))
	}
	var top []*object
	models := 0
	for _, o := range r.inOrder {
		if o.kind() != "Model" {
			continue
		}
		models++
		if o.model == nil {
			top = append(top, o)
		}
	}
	if models > 0 && len(top) == 0 {
		if err := r.warn.Add("its models", "all of them are below themselves"); err != nil {
			return err
		}
	}
	if err := w.From(scenes.Identity(), top); err != nil {
		return err
	}
	return r.drawLoose(s)
}

// drawLoose appends the geometries that belong to no model where they are: of a file that is cut off before it says to
// which they do.
func (r *reader) drawLoose(s *assembly.Scene) error {
	if r.linked > 0 {
		return nil
	}
	for _, o := range r.inOrder {
		if o.kind() == "Geometry" {
			if err := r.place(s, o, o, scenes.Identity()); err != nil {
				return err
			}
		}
	}
	return nil
}

// models returns the models right below one.
func (o *object) models() (all []*object) {
	for _, l := range o.children {
		if l.property == "" && l.to.kind() == "Model" {
			all = append(all, l.to)
		}
	}
	return all
}

// content appends what a model shows: geometries that are connected to it, or, in old versions, its own.
func (r *reader) content(s *assembly.Scene, o *object, world scenes.Affine) error {
	if err := r.place(s, o, o, world); err != nil {
		return err
	}
	for _, l := range o.children {
		if l.property == "" && l.to.kind() == "Geometry" {
			if err := r.place(s, o, l.to, world); err != nil {
				return err
			}
		}
	}
	return nil
}

// undrawnClasses are the classes of geometries that are no meshes.
func (r *reader) countUndrawn(class string) {
	switch class {
	case "Line", "NurbsCurve":
		r.undrawn.curves++
	case "NurbsSurface", "Nurbs", "Patch", "TrimNurbsSurface", "Boundary":
		r.undrawn.patches++
	}
}

// place appends a geometry of a model.
func (r *reader) place(s *assembly.Scene, model, of *object, world scenes.Affine) error {
	g, err := r.geometry(of)
	if err != nil {
		return err
	}
	if g == nil || g.builder.Len() == 0 {
		r.countUndrawn(of.class)
		return nil
	}
	materials, err := r.bind(model)
	if err != nil {
		return err
	}
	var key strings.Builder
	key.WriteString(strconv.Itoa(of.node.offset()))
	for _, m := range materials {
		key.WriteByte(' ')
		key.WriteString(strconv.Itoa(int(m)))
	}
	all, ok := r.shapes[key.String()]
	if !ok {
		all = g.builder.Shapes(func(i int32) int32 {
			if i < 0 || int(i) >= len(materials) {
				return -1
			}
			return materials[i]
		}, nil)
		if err := r.hold(int64(512*len(all) + key.Len())); err != nil {
			return err
		}
		r.shapes[key.String()] = all
	}
	name := trimClass(model.name)
	if name == "" {
		name = trimClass(of.name)
	}
	s.Instances = append(s.Instances, assembly.Instance{Name: strings.ToValidUTF8(name, "?"), Shapes: all, Transform: world})
	return r.hold(instanceBytes)
}
