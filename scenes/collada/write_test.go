package collada

import (
	"fmt"
	"strings"
)

// A document holds the parts of a COLLADA file as text. Tests replace some of the parts.
type document struct {
	asset, effects, images, materials, geometries, controllers, nodes, scene string
}

// square holds the sources of a square of width 4 with the corners of a hole inside: positions, normals, two texture
// coordinates and a colour.
const square = `<source id="p"><float_array id="pa" count="24">0 0 0 4 0 0 4 4 0 0 4 0 1 1 0 3 1 0 3 3 0 1 3 0</float_array>
	<technique_common><accessor source="#pa" count="8" stride="3"><param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
<source id="n"><float_array count="6">0 0 1 0 1 0</float_array><technique_common><accessor stride="3" count="2"/></technique_common></source>
<source id="t"><float_array count="6">0.25 0.75 9 1 0 9</float_array><technique_common><accessor stride="3" count="2"><param name="S"/><param name="T"/><param/></accessor></technique_common></source>
<source id="c"><float_array count="4">1 0.5 0 1</float_array><technique_common><accessor stride="4" count="1"><param name="R"/><param name="G"/><param name="B"/><param name="A"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>`

// geometryOf returns a geometry of the square.
func geometryOf(id, primitives string) string {
	return fmt.Sprintf(`<geometry id=%q name="square"><mesh>%s%s</mesh></geometry>`, id, square, primitives)
}

const (
	vertexInput = `<input semantic="VERTEX" source="#v" offset="0"/>`
	allInputs   = vertexInput + `<input semantic="NORMAL" source="#n" offset="1"/><input semantic="TEXCOORD" source="#t" offset="2" set="0"/><input semantic="COLOR" source="#c" offset="2"/>`
	oneTriangle = `<triangles count="1" material="m">` + vertexInput + `<p>0 1 2</p></triangles>`
	redEffect   = `<effect id="red"><profile_COMMON><technique><phong><diffuse><color>1 0 0 1</color></diffuse></phong></technique></profile_COMMON></effect>`
	redMaterial = `<material id="Red" name="red"><instance_effect url="#red"/></material>`
	bindRed     = `<bind_material><technique_common><instance_material symbol="m" target="#Red"/></technique_common></bind_material>`
)

// withDefaults returns a document with a red triangle.
func withDefaults() document {
	return document{
		effects: redEffect, materials: redMaterial, geometries: geometryOf("g", oneTriangle),
		nodes: `<node id="a" name="first"><instance_geometry url="#g">` + bindRed + `</instance_geometry></node>`,
		scene: `<scene><instance_visual_scene url="#s"/></scene>`,
	}
}

// String returns the text of the document.
func (d document) String() string {
	var b strings.Builder
	b.WriteString("<?xml version=\"1.0\"?>\n<COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" version=\"1.4.1\">")
	for _, part := range []struct{ name, text string }{
		{"asset", d.asset}, {"library_images", d.images}, {"library_effects", d.effects}, {"library_materials", d.materials},
		{"library_geometries", d.geometries}, {"library_controllers", d.controllers},
	} {
		fmt.Fprintf(&b, "<%s>%s</%[1]s>\n", part.name, part.text)
	}
	fmt.Fprintf(&b, "<library_visual_scenes><visual_scene id=\"s\">%s</visual_scene></library_visual_scenes>%s</COLLADA>\n", d.nodes, d.scene)
	return b.String()
}

// drawn returns a document with primitives of the square.
func drawn(primitives string) string {
	d := withDefaults()
	d.geometries = geometryOf("g", primitives)
	return d.String()
}

// placed returns a document with the given nodes.
func placed(nodes string) string {
	d := withDefaults()
	d.nodes = nodes
	return d.String()
}

// skinOf returns a document with a triangle on two joints. The second joint is 10 above its bind position.
func skinOf(weights string) string {
	d := withDefaults()
	const identity = "1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1"
	d.controllers = `<controller id="k"><skin source="#g"><bind_shape_matrix>2 0 0 0 0 2 0 0 0 0 2 0 0 0 0 1</bind_shape_matrix>
	<source id="j"><Name_array count="2">hip knee</Name_array></source>
	<source id="b"><float_array count="32">` + identity + " " + identity + `</float_array></source>
	<source id="w"><float_array count="2">1 0.5</float_array><technique_common><accessor stride="1" count="2"/></technique_common></source>
	<joints><input semantic="JOINT" source="#j"/><input semantic="INV_BIND_MATRIX" source="#b"/></joints>` + weights + `</skin></controller>`
	d.nodes = `<node name="body"><translate>100 0 0</translate><instance_controller url="#k"><skeleton>#hip</skeleton></instance_controller></node>
	<node id="hip" sid="hip" type="JOINT"><node id="x" sid="knee" type="JOINT"><translate>0 0 10</translate></node></node>`
	return d.String()
}

const twoJoints = `<vertex_weights count="3"><input semantic="JOINT" source="#j" offset="0"/><input semantic="WEIGHT" source="#w" offset="1"/><vcount>1 1 2</vcount><v>0 0 1 0 0 1 1 1</v></vertex_weights>`
