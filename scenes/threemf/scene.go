package threemf

import (
	"fmt"

	"lockstep/scenes"
	"lockstep/scenes/internal/assembly"
	"lockstep/scenes/internal/text"
)

// The limits of placing objects: small files may place the same ones again and again.
const (
	maxVisits = 1 << 18
	maxLevels = 64
)

// scene returns what a model builds; all its objects where it builds nothing.
func (r *reader) scene(m *model) (*assembly.Scene, error) {
	s := &assembly.Scene{Unit: m.unit, Up: scenes.PlusZ, Warn: r.warn}
	items := m.items
	if len(items) == 0 {
		items = m.all()
	}
	for _, item := range items {
		if err := r.place(s, m, item, scenes.Identity(), 0); err != nil {
			return nil, err
		}
	}
	s.Materials, s.Held = r.materials, r.held
	switch {
	case len(m.objects) == 0:
		s.None = ": the model has no objects"
	case len(s.Instances) == 0:
		s.None = ": what it builds has none, and beams and slices are not drawn"
	}
	if len(r.palette) > 1 {
		s.Palette = r.palette
	}
	if len(r.texCoords) > 1 {
		s.TexCoords = r.texCoords
	}
	return s, nil
}

// all returns the objects that no component of the model places.
func (m *model) all() (items []component) {
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

// place appends an object and those that it is made of.
func (r *reader) place(s *assembly.Scene, m *model, c component, above scenes.Affine, level int) error {
	if r.visits++; r.visits > maxVisits {
		return &scenes.LimitError{File: r.in.Options.Name, Unit: "components", Want: int64(r.visits), Limit: maxVisits, Fixed: true}
	}
	where := fmt.Sprintf("object %d", c.object)
	if c.path != "" {
		other, err := r.model(c.path)
		if err != nil {
			if r.fatal(err) {
				return err
			}
			return r.warn.Add(where, "left out: %s", text.OneLine(err.Error()))
		}
		if other == nil {
			return r.warn.Add(where, "left out: the part %s could not be read", text.Short(c.path))
		}
		m = other
	}
	o := m.objects[c.object]
	if o == nil {
		return r.warn.Add(where, "left out: it is not there")
	}
	if o.open || level > maxLevels {
		return r.warn.Add(where, "left out: it is made of itself, or of too many levels")
	}
	if err := r.in.Context().Err(); err != nil {
		return err
	}
	o.open = true
	defer func() { o.open = false }()
	at := above.Mul(&c.transform)
	if len(o.triangles) > 0 {
		s.Instances = append(s.Instances, assembly.Instance{Name: o.name, Shapes: o.shapes(), Transform: at})
		if err := r.allow(256); err != nil {
			return err
		}
	}
	for _, below := range o.components {
		if err := r.place(s, m, below, at, level+1); err != nil {
			return err
		}
	}
	return nil
}

// shapes returns the triangles of an object.
func (o *object) shapes() []*assembly.Shape {
	if o.shape != nil {
		return o.shape
	}
	s := &assembly.Shape{
		Points:   &assembly.Points{N: len(o.points), Positions: func(lo, hi int, to [][3]float64) { copy(to, o.points[lo:hi]) }},
		N:        len(o.triangles),
		Corners:  func(lo, hi int, to [][3]uint32) { copy(to, o.triangles[lo:hi]) },
		Material: -1,
	}
	if o.material != nil {
		s.MaterialOf = func(lo, hi int, to []int32) { part(o.material, lo, hi, to, -1) }
	}
	if o.color != nil {
		s.ColorOf = func(lo, hi int, to [][3]uint32) { part(o.color, lo, hi, to, [3]uint32{}) }
	}
	if o.texCoord != nil {
		s.TexCoordOf = func(lo, hi int, to [][3]uint32) { part(o.texCoord, lo, hi, to, [3]uint32{}) }
	}
	o.shape = []*assembly.Shape{s}
	return o.shape
}

// part copies entries of a list that may be shorter: those behind it are none.
func part[T any](list []T, lo, hi int, to []T, none T) {
	n := copy(to, list[min(lo, len(list)):min(hi, len(list))])
	for i := n; i < hi-lo; i++ {
		to[i] = none
	}
}
