package main

import (
	"fmt"
	"strings"
)

// assembly returns a Collada file of two plates, four posts between them, and eight nuts. The file is in millimetres,
// with z up. Its nodes place three geometries several times, in three materials.
func assembly() ([]byte, error) {
	var effects, materials, geometries, nodes strings.Builder
	for _, m := range [][2]string{{"steel", "0.42 0.45 0.5"}, {"brass", "0.72 0.5 0.16"}, {"board", "0.08 0.32 0.2"}} {
		fmt.Fprintf(&effects, `<effect id="e-%s"><profile_COMMON><technique sid="t"><lambert><diffuse><color>%s 1</color></diffuse></lambert></technique></profile_COMMON></effect>`, m[0], m[1])
		fmt.Fprintf(&materials, `<material id="%s"><instance_effect url="#e-%[1]s"/></material>`, m[0])
	}
	plate := prism(4, 30, 2)
	for i, p := range plate.points {
		plate.points[i][0] = p[0] * 1.5
	}
	for _, g := range []struct {
		name string
		surface
	}{{"post", prism(48, 2.2, 34)}, {"nut", prism(6, 4, 3)}, {"plate", plate}} {
		writeGeometry(&geometries, g.name, g.surface)
	}
	place := func(geometry, material string, x, y, z float64) {
		fmt.Fprintf(&nodes, `<node name="%s"><translate>%g %g %g</translate><instance_geometry url="#%[1]s"><bind_material><technique_common><instance_material symbol="m" target="#%[5]s"/></technique_common></bind_material></instance_geometry></node>`, geometry, x, y, z, material)
	}
	for _, z := range []float64{2, 24} {
		place("plate", "board", 0, 0, z)
	}
	for corner := range 4 {
		x, y := float64(corner%2*2-1)*26, float64(corner/2*2-1)*16
		place("post", "steel", x, y, -4)
		place("nut", "brass", x, y, 4)
		place("nut", "brass", x, y, 26)
	}
	return []byte(`<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset><unit name="millimeter" meter="0.001"/><up_axis>Z_UP</up_axis></asset>
<library_effects>` + effects.String() + `</library_effects>
<library_materials>` + materials.String() + `</library_materials>
<library_geometries>` + geometries.String() + `</library_geometries>
<library_visual_scenes><visual_scene id="s">` + nodes.String() + `</visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>
`), nil
}

// writeGeometry writes a geometry of triangles.
func writeGeometry(b *strings.Builder, name string, s surface) {
	fmt.Fprintf(b, `<geometry id="%s"><mesh><source id="%[1]s-p"><float_array id="%[1]s-a" count="%[2]d">`, name, 3*len(s.points))
	for _, p := range s.points {
		fmt.Fprintf(b, "%.4f %.4f %.4f ", p[0], p[1], p[2])
	}
	fmt.Fprintf(b, `</float_array><technique_common><accessor source="#%s-a" count="%d" stride="3"><param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>`, name, len(s.points))
	fmt.Fprintf(b, `<vertices id="%s-v"><input semantic="POSITION" source="#%[1]s-p"/></vertices><triangles material="m" count="%[2]d"><input semantic="VERTEX" source="#%[1]s-v" offset="0"/><p>`, name, len(s.triangles))
	for _, t := range s.triangles {
		fmt.Fprintf(b, "%d %d %d ", t[0], t[1], t[2])
	}
	b.WriteString("</p></triangles></mesh></geometry>\n")
}
