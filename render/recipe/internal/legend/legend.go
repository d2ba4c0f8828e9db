// Package legend has the legends and contour lines of a field of numbers that colours a mesh.
package legend

import (
	"fmt"
	"math"

	"lockstep/internal/phrase"
	"lockstep/render"
	"lockstep/render/annotate"
	"lockstep/render/recipe/internal/units"
	"lockstep/scenes"
)

// Of returns the legend of a field of a mesh, or nil if the mesh does not have the field. `own` is the title of the
// legend. If it is empty, the title is the name of the field, with a unit if the field is a length.
func Of(mesh *scenes.Mesh, field render.Field, own string) *annotate.Legend {
	found := mesh.Field(field.Name)
	if found == nil {
		return nil
	}
	title := field.Name
	if unit := units.Symbol(mesh.Unit); found.Symmetric > 0 && unit != "" { // a length
		title += ", " + unit
	}
	if own != "" {
		title = own
	}
	l := &annotate.Legend{Title: phrase.Printable(title), Map: field.Map, Low: field.Low, High: field.High}
	if l.Low == l.High {
		l.Low, l.High = found.Range()
	}
	if l.Low == l.High { // all numbers are equal, so High is raised a little
		l.High = math.Nextafter(float64(float32(l.Low)), math.Inf(1)) + max(1, math.Abs(l.Low))*1e-3
	}
	for _, v := range found.Values {
		l.None = l.None || v != v && !scenes.IsNoField(v)
	}
	return l
}

// Levels returns the contour lines of a field of a mesh. The parameter lines is the greatest number of values for which
// lines are drawn.
func Levels(mesh *scenes.Mesh, field render.Field, lines int) (*annotate.Levels, error) {
	l := &annotate.Levels{Lines: lines}
	if mesh == nil {
		return l, nil
	}
	switch found := mesh.Field(field.Name); {
	case found == nil: // not an error, because one of several meshes may lack the field
	case found.OfTriangles:
		return nil, fmt.Errorf("need a field of vertices, and %s is one of triangles", phrase.Printable(field.Name))
	default:
		l.Mesh, l.Field, l.Low, l.High = mesh, found, field.Low, field.High
		if l.Low == l.High {
			l.Low, l.High = found.Range()
		}
	}
	return l, nil
}
