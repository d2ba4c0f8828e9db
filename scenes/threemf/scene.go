package threemf

import (
	"fmt"

	"lockstep/scenes"
	"lockstep/scenes/internal/assembly"
	"lockstep/scenes/internal/text"
	"lockstep/scenes/internal/tree"
)

// maxVisits and maxLevels limit how often and how deep objects are placed. A small file may place the same objects
// again and again.
const (
	maxVisits = 1 << 18
	maxLevels = 64
)

// findItems returns the items of the build of a model. If there are no items, it returns all objects.
func (r *reader) findItems(m *model) (*assembly.Scene, error) {
	s := &assembly.Scene{Unit: m.unit, Up: scenes.PlusZ, Warn: r.warn}
	items := m.items
	if len(items) == 0 {
		items = m.unplacedObjects()
	}
	if err := r.placeItems(s, m, items); err != nil {
		return nil, err
	}
	if err := r.warnUndrawn(); err != nil {
		return nil, err
	}
	r.addFilaments()
	s.Materials, s.Held = r.materials, r.Held
	switch {
	case len(m.objects) == 0:
		s.EmptyReason = ": the model has no objects"
	case len(s.Instances) == 0:
		s.EmptyReason = r.emptyReason()
	}
	if len(r.palette) > 1 {
		s.Palette = r.palette
	}
	if len(r.texCoords) > 1 {
		s.TexCoords = r.texCoords
	}
	return s, nil
}

// unplacedObjects returns an item for each object that no component of the model places.
func (m *model) unplacedObjects() (items []component) {
	for _, o := range m.order {
		for _, c := range o.components {
			if below := m.objects[c.object]; below != nil && c.path == "" {
				below.isPlaced = true
			}
		}
	}
	for _, o := range m.order {
		if !o.isPlaced {
			items = append(items, component{object: o.id, transform: scenes.Identity()})
		}
	}
	return items
}

// A placement is an object in the scene: its model, and its transform to the scene.
type placement struct {
	model *model
	at    scenes.Affine
	// object is the id of the object in the item of the build, or 0 outside any item. filament is the number of the
	// filament that prints it.
	object, filament uint32
}

// placeItems appends the objects of items, and of their components, to s. It limits the number of visits, because an
// object may be placed many times.
func (r *reader) placeItems(s *assembly.Scene, m *model, items []component) error {
	w := &tree.Walk[*object, placement, component]{In: r.in, Unit: "components", Most: maxVisits, Levels: maxLevels}
	w.Find = func(above placement, c component) (*object, []component, bool, error) {
		o, err := r.findObject(above.model, c)
		if o == nil || err != nil {
			return nil, nil, false, err
		}
		return o, o.components, true, nil
	}
	w.Visit = func(above placement, c component, o *object) (placement, error) {
		at := placement{o.model, above.at.Mul(&c.transform), above.object, above.filament}
		r.setFilament(&at, o)
		if len(o.triangles) == 0 && o.lattice == nil {
			return at, nil
		}
		shapes, err := o.shapes(r, at.filament)
		if err != nil {
			return at, err
		}
		s.Instances = append(s.Instances, assembly.Instance{Name: o.name, Shapes: shapes, Transform: at.at})
		return at, r.Reserve(256)
	}
	w.Skip = func(_ placement, c component, _ tree.Reason) error {
		return r.warn.Add(objectPlace(c), "left out: it is made of itself, or of too many levels")
	}
	return w.From(placement{model: m, at: scenes.Identity(), filament: 1}, items)
}

// objectPlace returns a name for the object of a component, for warnings.
func objectPlace(c component) string { return fmt.Sprintf("object %d", c.object) }

// findObject returns the object to which a component in model m refers. If it does not exist, findObject adds a warning
// and returns nil.
func (r *reader) findObject(m *model, c component) (*object, error) {
	if c.path != "" {
		other, err := r.readModel(c.path)
		if err != nil {
			if r.isFatal(err) {
				return nil, err
			}
			return nil, r.warn.Add(objectPlace(c), "left out: %s", text.OneLine(err.Error()))
		}
		if other == nil {
			return nil, r.warn.Add(objectPlace(c), "left out: the part %s could not be read", text.Name(c.path))
		}
		m = other
	}
	o := m.objects[c.object]
	if o == nil {
		return nil, r.warn.Add(objectPlace(c), "left out: it is not there")
	}
	return o, nil
}

// shapes returns the shapes that draw the triangles and the lattice of object o, printed with a filament. They are made
// only once for each filament.
func (o *object) shapes(r *reader, filament uint32) ([]*assembly.Shape, error) {
	if all, ok := o.shape[filament]; ok {
		return all, nil
	}
	s := &assembly.Shape{
		Points:   &assembly.Points{N: len(o.points), Positions: func(lo, hi int, to [][3]float64) { copy(to, o.points[lo:hi]) }},
		N:        len(o.triangles),
		Corners:  func(lo, hi int, to [][3]uint32) { copy(to, o.triangles[lo:hi]) },
		Material: -1,
	}
	if o.material != nil {
		s.MaterialOf = func(lo, hi int, to []int32) { copyPadded(o.material, lo, hi, to, -1) }
	}
	s.ColorOf = func(lo, hi int, to [][3]uint32) { r.fillColors(o, filament, lo, hi, to) }
	if o.texCoord != nil {
		s.TexCoordOf = func(lo, hi int, to [][3]uint32) { copyPadded(o.texCoord, lo, hi, to, [3]uint32{}) }
	}
	all := []*assembly.Shape{s}
	if o.lattice != nil {
		bodies, err := o.lattice.makeShapes(r, o.points)
		if err != nil {
			return nil, err
		}
		for _, body := range bodies {
			if body.ColorOf == nil && body.MaterialOf == nil {
				body.ColorOf = func(lo, hi int, to [][3]uint32) { r.fillColors(new(object), filament, lo, hi, to) }
			}
			all = append(all, body)
		}
	}
	if o.shape == nil {
		o.shape = make(map[uint32][]*assembly.Shape, 1)
	}
	o.shape[filament] = all
	return all, r.Reserve(512 * int64(len(all)))
}

// copyPadded copies entries lo to hi (exclusive) of list to `to`. Beyond the end of list, it writes `none`.
func copyPadded[T any](list []T, lo, hi int, to []T, none T) {
	n := copy(to, list[min(lo, len(list)):min(hi, len(list))])
	for i := n; i < hi-lo; i++ {
		to[i] = none
	}
}
