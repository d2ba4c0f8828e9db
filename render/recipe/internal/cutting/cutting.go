// Package cutting turns the sections and the box of a recipe into planes, and cuts meshes by them.
package cutting

import (
	"strconv"
	"strings"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/internal/phrase"
	"lockstep/scenes"
	"lockstep/scenes/section"
)

// A Section is a cutting plane of a recipe, see recipe.Plane.
type Section struct {
	Normal  [3]float64
	Offset  float64
	Percent bool
	Keep    byte
}

// A Box is the box of a recipe (see recipe.Box). Everything outside it is cut off.
type Box struct{ Low, High [3]float64 }

// Planes returns the planes of sections and of a box outside which everything is cut off. The zero box has no planes.
// bounds is the box of the mesh relative to origin. forward is the direction in which the camera looks.
func Planes(sections []Section, box Box, bounds scenes.Box, origin [3]float64, forward mgl64.Vec3) (planes []section.Plane) {
	for _, s := range sections {
		plane := section.Plane{Normal: s.Normal, Offset: s.Offset}
		if s.Percent {
			low, high := 0.0, 0.0
			for axis, n := range s.Normal {
				a, b := n*(bounds.Min[axis]+origin[axis]), n*(bounds.Max[axis]+origin[axis])
				low, high = low+min(a, b), high+max(a, b)
			}
			plane.Offset = low + float64((high-low)*s.Offset/100)
		}
		away := mgl64.Vec3(plane.Normal).Dot(forward) > 0
		if s.Keep == '>' || s.Keep == '=' && away {
			for axis := range plane.Normal {
				plane.Normal[axis] = -plane.Normal[axis]
			}
			plane.Offset = -plane.Offset
		}
		planes = append(planes, plane)
	}
	if box != (Box{}) {
		for axis := range 3 {
			var n [3]float64
			n[axis] = 1
			planes = append(planes, section.Plane{Normal: n, Offset: box.High[axis]})
			n[axis] = -1
			planes = append(planes, section.Plane{Normal: n, Offset: -box.Low[axis]})
		}
	}
	return planes
}

// Cut cuts a mesh by planes. It also returns warnings. If o requests the owners of triangles and the mesh was cut, it
// returns the owners.
func Cut(mesh *scenes.Mesh, planes []section.Plane, o section.Options) (cut *scenes.Mesh, owners []uint32, warnings []string, err error) {
	cut, report, err := section.Cut(mesh, planes, o)
	if err != nil {
		return nil, nil, nil, err
	}
	if report.Bridged > 0 {
		warnings = append(warnings, "the surface is not closed: "+phrase.Plural(int64(report.Bridged), "gap")+" in the cut bridged")
	}
	if report.Loose > 0 && !o.Open {
		warnings = append(warnings, "the surface is not closed: a part of the cut is left open")
	}
	return cut, report.Owners, warnings, nil
}

// BoxText returns a box in the text form of recipe.Box, in coordinates of the file.
func BoxText(box scenes.Box, origin [3]float64) string {
	var s []string
	for _, corner := range [2][3]float64{box.Min, box.Max} {
		for axis, x := range corner {
			s = append(s, strconv.FormatFloat(x+origin[axis], 'g', 7, 64))
		}
	}
	return strings.Join(s, ",")
}

// Recolored returns a copy of a mesh in which all triangles have the same colour.
func Recolored(mesh *scenes.Mesh, color uint32) *scenes.Mesh {
	m := *mesh
	m.Colors = make([]uint32, m.Len())
	for i := range m.Colors {
		m.Colors[i] = color
	}
	if m.Attributes != nil {
		a := *m.Attributes
		a.Colors, a.Materials, a.MaterialOf = scenes.Attribute[scenes.RGBA]{}, nil, nil
		m.Attributes = &a
	}
	return &m
}
