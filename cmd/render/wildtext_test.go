package main

import (
	"slices"
	"strings"

	"lockstep/internal/cli"
)

// wildText returns cases of OBJ, MTL, OFF, PLY and STL.
func wildText() []wildCase {
	return slices.Concat(wildOBJ(), wildMTL(), wildOFF(), wildPLY(), wildASCII(), wildBinary())
}

// These are files of a square. In OBJ it faces the front, and in other formats it lies on the ground.
const (
	wildSquare = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"
	wildPlaced = "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nusemtl m\nf 1/1 2/2 3/3 4/4\n"
)

var (
	front   = []string{"--view", "front"}
	fromTop = []string{"--view", "top"}
)

func file(name, data string) map[string]string { return map[string]string{name: data} }

func wildOBJ() []wildCase {
	const flat = "0 0 0 to 1 1 0"
	return []wildCase{
		{name: "OBJ with words of its own", mesh: "a.obj", strict: cli.Input, bounds: flat, warns: []string{`line 5: unexpected "vw", and on 5 more lines`},
			files: file("a.obj", wildSquare+"vw 0 0 1.0\nvw 1 0 0.5 1 0.5\nvw 2 1 1\nvw 3 1 1\nvw 4 1 1\nvw 5 1 1\nf 1 2 3 4\n")},
		{name: "OBJ with many words of its own", mesh: "a.obj", strict: cli.Input, bounds: flat, warns: []string{"unexpected"},
			files: file("a.obj", "aa\nbb\ncc\ndd\n"+wildSquare+"aa 1\nbb\naa 2\ncc\naa 3\ndd\nf 1 2 3 4\n")},
		{name: "OBJ with commas", mesh: "a.obj", code: cli.Input, strict: cli.Input, warns: []string{`a.obj: line 2: vertex 0: "0,0,0" where three numbers should be; spaces part numbers, not commas`},
			files: file("a.obj", "# elev\nv 0,0,0\nv 1,0,0\nv 1,1,0\nf 1 2 3\n")},
		{name: "OBJ with semicolons", mesh: "a.obj", code: cli.Input, strict: cli.Input, warns: []string{`line 1: vertex 0: "0;0;0" where three numbers should be; spaces part numbers, not semicolons`},
			files: file("a.obj", "v 0;0;0\nv 1;0;0\nv 0;1;0\nf 1 2 3\n")},
		{name: "OBJ that begins with many normals", mesh: "a.obj", silent: true, bounds: "0 0 0 to 1 1 0",
			files: file("a.obj", strings.Repeat("vn 0 0 1\n", 10_000)+"v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1//1 2//1 3//1\n")},
		{name: "OBJ with decimal commas", mesh: "a.obj", code: cli.Input, strict: cli.Input, warns: []string{`line 1: vertex 0: "0,5"`, "numbers take a point, not a comma"},
			files: file("a.obj", "v 0,5 1,2 3\nv 1,5 1 3\nv 0,5 2 3\nf 1 2 3\n")},
		{name: "OBJ of points", mesh: "a.obj",
			files: file("a.obj", wildSquare+"p 1 2 3 4\n")},
		{name: "OBJ of lines", mesh: "a.obj",
			files: file("a.obj", wildSquare+"l 1 2 3 4\n")},
	}
}

func wildMTL() []wildCase {
	obj := func(mtl string, pictures map[string]string) map[string]string {
		files := map[string]string{"a.obj": "mtllib a.mtl\n" + wildSquare + wildPlaced, "a.mtl": "newmtl m\n" + mtl}
		for name, data := range pictures {
			files[name] = data
		}
		return files
	}
	redBlue := looksLike('r', 'b')
	pictures := map[string]string{
		"a.png": wildPicture("png", wildRed, wildBlue), "a.bmp": wildPicture("bmp", wildRed, wildBlue),
		"plain.tga": wildTGA(wildRed, wildBlue, false), "runs.tga": wildTGA(wildRed, wildBlue, true),
		"mask.png": wildPicture("png", wildWhite, wildHole), "mask.bmp": wildPicture("bmp", wildWhite, wildHole), "mask.tga": wildTGA(wildWhite, wildHole, true),
	}
	leaf := wildRed
	leaf.A = 0
	pictures["leaf.png"] = wildPicture("png", wildRed, leaf)
	row := func(name, mtl string, look string) wildCase {
		return wildCase{name: name, mesh: "a.obj", args: front, silent: true, files: obj(mtl, pictures), look: looksLike(look[0], look[1])}
	}
	return []wildCase{
		row("a texture of TGA", "Kd 1 1 1\nmap_Kd plain.tga\n", "rb"),
		row("a texture of TGA in runs", `Kd 1 1 1`+"\nmap_Kd -s 1 1 1 textures\\RUNS.TGA\n", "rb"),
		row("a texture of BMP", "map_Kd a.bmp\n", "rb"),
		row("map_d alone", "Kd 0.1 0.9 0.1\nmap_d mask.png\n", "go"),
		row("map_d of TGA", "Kd 0.1 0.9 0.1\nmap_d mask.tga\n", "go"),
		row("map_d beside map_Kd", "map_Kd a.png\nmap_d mask.bmp\n", "ro"),
		row("map_d of the file of map_Kd", "map_Kd leaf.png\nmap_d leaf.png\n", "ro"),
		row("map_d of a file without alpha", "map_Kd a.png\nmap_d a.png\n", "rb"),
		row("map_Ka alone", "Ka 1 1 1\nmap_Ka a.png\n", "rb"),
		row("map_Ka beside map_Kd", "map_Ka mask.png\nmap_Kd a.png\n", "rb"),
		row("maps that are not drawn", "map_Kd a.png\nmap_Bump none.png\nbump none.png\nmap_Ks none.png\nNs 20\nKe 0 0 0\n", "rb"),
		{name: "Ke", mesh: "a.obj", files: obj("Kd 0 0 0\nKe 1 0 0\n", nil), silent: true},
		{name: "map_Ke", mesh: "a.obj", args: front, files: obj("map_Kd a.png\nmap_Ke a.png\n", pictures), silent: true, look: redBlue},
		{name: "a texture that is none", mesh: "a.obj", strict: cli.Input, files: obj("map_Kd x.tga\n", map[string]string{"x.tga": "<html>not found</html>"}), warns: []string{`texture "x.tga"`}},
		{name: "a texture of TGA that is cut", mesh: "a.obj", strict: cli.Input, files: obj("map_Kd x.tga\n", map[string]string{"x.tga": pictures["plain.tga"][:60]}), warns: []string{`texture "x.tga"`}},
		{name: "a texture of TGA that claims to be huge", mesh: "a.obj", strict: cli.Input, warns: []string{`texture "x.tga"`},
			files: obj("map_Kd x.tga\n", map[string]string{"x.tga": "\x00\x00\x0a\x00\x00\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff\x18\x00" + pictures["runs.tga"][18:]})},
		{name: "a mask that is not there", mesh: "a.obj", args: front, strict: cli.Input, files: obj("Kd 0.1 0.9 0.1\nmap_d none.png\n", nil), warns: []string{`texture "none.png"`}, look: looksLike('g', 'g')},
	}
}

func wildOFF() []wildCase {
	const vertices, flat = "0 0 0\n1 0 0\n1 1 0\n0 1 0\n", "0 0 0 to 1 1 0"
	row := func(name, data string) wildCase {
		return wildCase{name: "OFF, " + name, mesh: "a.off", files: file("a.off", data), silent: true, bounds: flat}
	}
	return []wildCase{
		row("faces over several lines", "OFF\n4 2 0\n"+vertices+"3\n0 1\n2\n3 0\n2 3\n"),
		row("all on one line", "OFF 4 2 5 0 0 0 1 0 0 1 1 0 0 1 0 3 0 1 2 3 0 2 3"),
		row("two vertices a line", "OFF\n4 2 0\n0 0 0 1 0 0\n1 1 0 0 1 0\n3 0 1 2\n3 0 2 3\n"),
		row("two faces a line", "OFF\n4 2 0\n"+vertices+"3 0 1 2 3 0 2 3\n"),
		row("a number a line", "OFF\n4\n2\n5\n0\n0\n0\n1\n0\n0\n1\n1\n0\n0\n1\n0\n3\n0\n1\n2\n3\n0\n2\n3\n"),
		row("comments anywhere", "# a\nOFF # b\n# c\n4 2 # d\n\n# e\n0 0 0 # f\n1 0 0\n# g\n1 1 0\n0 1 0\n4 0 1 # h\n\n#i\n2 3\n3 0 2 3\n"),
		row("colours of vertices on lines of their own", "COFF\n4 2 0\n0 0 0\n255 0 0 255\n1 0 0\n255 0 0 255\n1 1 0\n255 0 0 255\n0 1 0\n255 0 0 255\n3 0 1 2\n3 0 2 3\n"),
		{name: "OFF, colours of faces over lines", mesh: "a.off", args: fromTop, silent: true, look: looksLike('r', 'b'),
			files: file("a.off", "OFF\n6 2 0\n0 0 0\n1 0 0\n2 0 0\n0 1 0\n1 1 0\n2 1 0\n4 0 1\n4 3 200 0 0\n4 1 2\n5 4 0 0 200\n")},
		{name: "OFF with decimal commas", mesh: "a.off", code: cli.Input, strict: cli.Input, warns: []string{`line 3: vertex 0: "0,5" where a number should be; numbers take a point, not a comma`},
			files: file("a.off", "OFF\n3 1 0\n0,5 0 0\n1,5 0 0\n0 1 0\n3 0 1 2\n")},
	}
}

const wildHead = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n"

func wildPLY() []wildCase {
	const flat = "0 0 0 to 1 1 0"
	return []wildCase{
		{name: "PLY with comments between rows", mesh: "a.ply", silent: true, bounds: flat,
			files: file("a.ply", wildHead+"element face 1\nproperty list uchar int vertex_index\nend_header\n\n0 0 0\ncomment a\ncomment and b\n\n1 0 0\n# c\n1 1 0\n0 1 0\nobj_info d\n4 0 1 2 3\ncomment the end\n")},
		{name: "PLY with decimal commas", mesh: "a.ply", code: cli.Input, strict: cli.Input, warns: []string{`vertex 0: x is "0,5"; numbers take a point, not a comma`},
			files: file("a.ply", wildHead+"element face 1\nproperty list uchar int vertex_index\nend_header\n0,5 0 0\n1,5 0 0\n1,5 1 0\n0 1 0\n4 0 1 2 3\n")},
		{name: "PLY of points", mesh: "a.ply",
			files: file("a.ply", wildHead+"end_header\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n")},
	}
}

func wildASCII() []wildCase {
	facet := "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n"
	return []wildCase{
		{name: "ASCII STL with comments", mesh: "a.stl", silent: true, bounds: "0 0 0 to 1 1 0",
			files: file("a.stl", "# by hand\n\nsolid a\n; b\n\nfacet normal 0 0 1\n# facet normal\nouter loop // c\nvertex 0 0 0\n\n# vertex 5 5 5\nvertex 1 0 0\nvertex 0 1 0\nendloop\ncomment d\nendfacet\n// endsolid\nendsolid a\n")},
		{name: "ASCII STL with decimal commas", mesh: "a.stl", code: cli.Input, strict: cli.Input, warns: []string{`facet left out: "0,5" where three numbers should be; numbers take a point, not a comma`},
			files: file("a.stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0,5 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid a\n")},
		{name: "ASCII STL without facets", mesh: "a.stl", code: cli.Blank, strict: cli.Blank, files: file("a.stl", "solid a\nendsolid a\n")},
		{name: "ASCII STL between blank lines", mesh: "a.stl", silent: true, files: file("a.stl", "\n\n solid a\n\n"+facet+"\n\n"+facet+"\nendsolid a\n\n")},
	}
}

func wildBinary() []wildCase {
	const none, colored = "colours    none", "colours    yes"
	row := func(name, data, info, look string) wildCase {
		return wildCase{name: "binary STL, " + name, mesh: "a.stl", args: fromTop, files: file("a.stl", data), silent: true, bounds: info, look: looksLike(look[0], look[1])}
	}
	blank := func(name, data string) wildCase {
		return wildCase{name: "binary STL, " + name, mesh: "a.stl", code: cli.Blank, strict: cli.Blank, files: file("a.stl", data), warns: []string{"there are no triangles in it"}}
	}
	return []wildCase{
		row("one attribute", wildSTL("exporter", []uint16{0xe000, 0xe000}, 0), none, ".."),
		row("one attribute without the mark", wildSTL("exporter", []uint16{0x5000, 0x5000}, 0), none, ".."),
		row("attributes that differ", wildSTL("exporter", []uint16{0x8000 | 31<<10, 0x8000 | 31<<10 | 1}, 0), colored, "rr"),
		row("one attribute and none", wildSTL("exporter", []uint16{0x8000 | 31<<10, 0}, 0), colored, ".r"),
		row("one attribute below COLOR=", wildSTL("COLOR=\x00\x00\xff\xff ", []uint16{31, 31}, 0), colored, "rr"),
		row("one attribute below MATERIAL=", wildSTL("MATERIAL=abcd", []uint16{0x8000 | 31<<10, 0x8000 | 31<<10}, 0), colored, "rr"),
		row("bytes behind facets", wildSTL("vendor data", []uint16{4, 4}, 4), none, ".."),
		row("bytes behind facets of a solid", wildSTL("solid data", []uint16{60, 60}, 60), none, ".."),
		blank("80 bytes of a solid", wildSTL("solid virtual_link", nil, 0)[:80]),
		blank("80 bytes", wildSTL("Exported by hand", nil, 0)[:80]),
		blank("no facets", wildSTL("any", nil, 0)),
		blank("no facets of a solid", wildSTL("solid virtual_link", nil, 0)),
	}
}
