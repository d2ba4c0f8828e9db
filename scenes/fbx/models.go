package fbx

import (
	"strings"

	"lockstep/scenes"
	"lockstep/scenes/internal/assembly"
	"lockstep/scenes/internal/text"
	"lockstep/scenes/internal/tree"
)

// Limits of a scene, far above the numbers in any known file: how many models are visited, and how deep they are
// nested.
const (
	maxVisits     = 1 << 18
	maxDepth      = 256
	instanceBytes = 512 // memory in bytes of an instance with its name and transform
)

// draw appends everything that is drawn to s. It draws skins last, because they need the transforms of all joints.
func (r *reader) draw(s *assembly.Scene) error {
	w := &tree.Walk[*object, pose, *object]{In: r.in, Unit: "models", Most: maxVisits, Levels: maxDepth}
	w.Find = func(_ pose, o *object) (*object, []*object, bool, error) { return o, o.models, true, nil }
	w.Visit = func(above pose, o *object, _ *object) (pose, error) {
		p := placementOf(o.node)
		at := above.childPose(&p)
		if _, ok := r.worlds[o]; !ok {
			r.worlds[o] = at.world
		}
		geometric := p.geometricTransform()
		return at, r.addContent(s, o, at.world.Mul(&geometric), &geometric)
	}
	w.Skip = func(_ pose, o *object, _ tree.Reason) error {
		return r.warn.Add(r.placeOf(o.node), "model %s left out: it is below itself, or below too many levels", text.Short(trimClass(o.name)))
	}
	var top []*object
	models := 0
	for _, o := range r.objectList {
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
	if err := w.From(originPose(), top); err != nil {
		return err
	}
	if err := r.drawSkins(s); err != nil {
		return err
	}
	return r.drawUnattached(s)
}

// drawUnattached appends all geometries if the file has no connections. Without connections, no model places the
// geometries. The connections are missing if the end of the file is cut off.
func (r *reader) drawUnattached(s *assembly.Scene) error {
	if r.linkCount > 0 {
		return nil
	}
	for _, o := range r.objectList {
		if o.kind() == "Geometry" {
			if err := r.addInstance(s, o, o, scenes.Identity(), nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// addContent appends the geometries of model o. These are the geometries connected to it and, in old versions, the
// geometry in its own record. Geometries with a skin are added to r.skins instead.
func (r *reader) addContent(s *assembly.Scene, o *object, world scenes.Affine, geometric *scenes.Affine) error {
	for i := range len(o.geometries) + 1 {
		of := o
		if i > 0 {
			of = o.geometries[i-1]
		}
		if err := r.placeBudget.Spend(r.in, 1); err != nil {
			return err
		}
		if skin := of.skin; skin != nil {
			if err := r.Reserve(instanceBytes); err != nil {
				return err
			}
			r.skins = append(r.skins, skinnedGeometry{o, of, skin, world, *geometric})
			continue
		}
		if err := r.addInstance(s, o, of, world, nil); err != nil {
			return err
		}
	}
	return nil
}

// countUndrawn counts a geometry that is not a mesh. class is the class of the geometry.
func (r *reader) countUndrawn(class string) {
	switch class {
	case "Line", "NurbsCurve":
		r.undrawn.curves++
	case "NurbsSurface", "Nurbs", "Patch", "TrimNurbsSurface", "Boundary":
		r.undrawn.patches++
	}
}

// addInstance appends a geometry of a model to s. `by` holds the transforms of the skin that bends the geometry, or
// nil.
func (r *reader) addInstance(s *assembly.Scene, model, of *object, world scenes.Affine, by *skinTransforms) error {
	g, err := r.geometry(of)
	if err != nil {
		return err
	}
	if g == nil || g.builder.Len() == 0 {
		r.countUndrawn(of.class)
		return nil
	}
	all, err := r.shapesOf(g, model, of, by)
	if err != nil {
		return err
	}
	name := trimClass(model.name)
	if name == "" {
		name = trimClass(of.name)
	}
	s.Instances = append(s.Instances, assembly.Instance{Name: strings.ToValidUTF8(name, "?"), Shapes: all, Transform: world})
	return r.Reserve(instanceBytes)
}

// A shapesKey identifies the shapes of a geometry in a model. The materials of the shapes belong to the model. bent
// is 0 if no skin bends the geometry. Otherwise it is the number of the skinned geometry, counted from 1.
type shapesKey struct {
	model, geometry *object
	bent            int
}

// shapesOf returns the shapes of a geometry of a model. Models with the same materials share the shapes.
func (r *reader) shapesOf(g *geometry, model, of *object, by *skinTransforms) ([]*assembly.Shape, error) {
	key := shapesKey{model: model, geometry: of}
	var maps []scenes.Affine
	if by != nil {
		key.bent, maps = by.instance+1, by.maps
	}
	if all, ok := r.shapes[key]; ok {
		return all, nil
	}
	bound, err := r.materialsOf(model)
	if err != nil {
		return nil, err
	}
	materials, same := bound.materials, sharedKey{of, key.bent, bound.key}
	all, ok := r.sharedShapes[same]
	if !ok {
		all = g.builder.Shapes(func(i int32) int32 {
			if i < 0 || int(i) >= len(materials) {
				return -1
			}
			return materials[i]
		}, maps)
		if err := r.Reserve(int64(512 * len(all))); err != nil {
			return nil, err
		}
		r.sharedShapes[same] = all
	}
	r.shapes[key] = all
	return all, r.Reserve(128)
}

// A sharedKey is like a shapesKey, but has the materials in place of the model. So models with the same materials can
// share shapes.
type sharedKey struct {
	geometry  *object
	bent      int
	materials string
}
