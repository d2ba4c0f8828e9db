package threemf

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/internal/meshtest"
)

// settings holds the colours of four filaments.
const settings = `{"filament_colour": ["#FF0000", "#00FF00", "#0000FF", "#FFFF00"]}`

func readModel(t *testing.T, model string, more ...string) (*scenes.Mesh, *scenes.Report) {
	t.Helper()
	mesh, rep, err := format.Read(context.Background(), strings.NewReader(pack(model, more...)), scenes.ReadOptions{}, Format)
	if err != nil {
		t.Fatal(err)
	}
	return mesh, rep
}

// areas returns the area of a mesh by colour.
func areas(m *scenes.Mesh) map[uint32]float64 {
	all := map[uint32]float64{}
	for t := range m.Len() {
		c := m.Triangle(t)
		ux, uy := float64(c[1][0]-c[0][0]), float64(c[1][1]-c[0][1])
		vx, vy := float64(c[2][0]-c[0][0]), float64(c[2][1]-c[0][1])
		all[m.Colors[t]] += math.Abs(ux*vy-uy*vx) / 2
	}
	return all
}

// TestPaint divides painted triangles as slicers do. The parts must cover the triangle, and each must have the filament
// that its digits name. The digits are read from the last to the first.
func TestPaint(t *testing.T) {
	const red, green, blue, yellow = 0xff0000, 0x00ff00, 0x0000ff, 0xffff00
	for digits, want := range map[string]map[uint32]float64{
		"4":       {red: 0.5},
		"8":       {green: 0.5},
		"0C":      {blue: 0.5},
		"1c":      {yellow: 0.5},
		"0":       {red: 0.5}, // colour of the object
		"9C":      {red: 0.5}, // the filament does not exist
		"481":     {red: 0.25, green: 0.25},
		"845":     {red: 0.25, green: 0.25}, // divided at another side
		"4882":    {red: 0.125, green: 0.375},
		"8442":    {red: 0.25 + 0.125, green: 0.125},
		"84443":   {red: 0.375, green: 0.125},
		"4844813": {green: 0.125 + 0.0625, red: 0.375 - 0.0625},
	} {
		mesh, rep := readModel(t, strings.Replace(whole, `v3="3"`, `v3="3" paint_color="`+digits+`"`, 1), "Metadata/project_settings.config", settings)
		got := areas(mesh)
		got[red] -= 0.5 // area of the other triangle
		if len(rep.Warnings) > 0 {
			t.Errorf("%s: %v", digits, rep.Warnings)
		}
		for c, a := range want {
			if math.Abs(got[c]-a) > 1e-6 {
				t.Errorf("%s: area %g of colour %06x, want %g: %v", digits, got[c], c, a, got)
			}
		}
	}
	for _, digits := range []string{"3", "x", "43", "C", "f1", "4d", strings.Repeat("4", 50) + strings.Repeat("1", 50)} {
		mesh, rep := readModel(t, strings.Replace(whole, `v3="3"`, `v3="3" paint_color="`+digits+`"`, 1), "Metadata/project_settings.config", settings)
		if len(rep.Warnings) != 1 || !strings.Contains(rep.Warnings[0], "the paint") || mesh.Len() != 2 {
			t.Errorf("%s: %d triangles, %v", digits, mesh.Len(), rep.Warnings)
		}
	}
}

// TestPaintedSides checks which sides the digits divide. The triangle has the corners (0, 0), (1, 1) and (0, 1).
func TestPaintedSides(t *testing.T) {
	for digits, want := range map[string][2]float32{
		"481": {0.5, 1}, "485": {0, 0.5}, "489": {0.5, 0.5}, // sides opposite to the first, the second and the third corner
	} {
		mesh, _ := readModel(t, strings.Replace(whole, `v3="3"`, `v3="3" paint_color="`+digits+`"`, 1), "Metadata/project_settings.config", settings)
		found := false
		for tri := range mesh.Len() {
			for _, p := range mesh.Triangle(tri) {
				found = found || p[0] == want[0] && p[1] == want[1]
			}
		}
		if !found {
			t.Errorf("%s: no corner at %v", digits, want)
		}
	}
}

// TestFilaments checks that objects have the colours of the filaments that print them, with the settings of several
// slicers.
func TestFilaments(t *testing.T) {
	const objects = `<?xml version="1.0"?><config><object id="1"><metadata key="extruder" value="3"/><part id="1"><metadata key="name" value="x"/></part></object></config>`
	const other = `<config><object id="1"><metadata type="object" key="extruder" value="2"/><volume firstid="0"><metadata type="volume" key="extruder" value="4"/></volume></object></config>`
	ini := "; filament_colour = #111111;#222222;#333333\n; extruder_colour = #FF0000;#00FF00;#0000FF;#FFFF00\n; layer_height = 0.2\n"
	for name, c := range map[string]struct {
		files []string
		want  uint32
	}{
		"one":                  {[]string{"Metadata/project_settings.config", settings}, 0xff0000},
		"of the object":        {[]string{"Metadata/project_settings.config", settings, "Metadata/model_settings.config", objects}, 0x0000ff},
		"of another slicer":    {[]string{"Metadata/Slic3r_PE.config", ini, "Metadata/Slic3r_PE_model.config", other}, 0x00ff00},
		"without extruders'":   {[]string{"Metadata/Slic3r_PE.config", strings.Replace(ini, "extruder_colour", "other", 1)}, 0x111111},
		"one text":             {[]string{"Metadata/project_settings.config", `{"filament_color": "#102030;#405060"}`}, 0x102030},
		"a colour with alpha":  {[]string{"Metadata/project_settings.config", `{"filament_colour": ["#102030FF"]}`}, 0x102030},
		"objects are no XML":   {[]string{"Metadata/project_settings.config", settings, "Metadata/model_settings.config", "<config><object id="}, 0xff0000},
		"a filament not there": {[]string{"Metadata/project_settings.config", settings, "Metadata/model_settings.config", strings.Replace(objects, `"3"`, `"9"`, 1)}, 0xff0000},
	} {
		mesh, rep := readModel(t, whole, c.files...)
		if got := areas(mesh); len(got) != 1 || got[c.want] == 0 || len(rep.Warnings) > 0 {
			t.Errorf("%s: %x, want %06x; %v", name, got, c.want, rep.Warnings)
		}
	}
	for _, broken := range []string{"", "{", `{"filament_colour": [1]}`, `{"filament_colour": ["red"]}`, "; filament_colour = \n"} {
		mesh, rep := readModel(t, whole, "Metadata/project_settings.config", broken)
		if mesh.Attributes.Colors.Has() || len(rep.Warnings) > 0 {
			t.Errorf("%q: %v, %v", broken, mesh.Colors, rep.Warnings)
		}
	}
}

// TestLattice checks that beams are drawn as frustums in their colours, with spheres at their round ends.
func TestLattice(t *testing.T) {
	lattice := func(attributes, beams string) string {
		const points = `<vertex x="0" y="0" z="0"/><vertex x="10" y="0" z="0"/><vertex x="0" y="10" z="0"/>`
		return head + `<resources><m:colorgroup id="5"><m:color color="#FF0000"/><m:color color="#00FF00"/></m:colorgroup>` +
			`<object id="1"><mesh><vertices>` + points + `</vertices><b:beamlattice ` + attributes + `>` + beams + `</b:beamlattice></mesh></object></resources>` + build
	}
	const beam, sphere = 4*fineSides - 4, 128
	for _, c := range []struct {
		attributes, beams string
		triangles         int
		low, high         float32 // ends of the mesh along x
		warning           string
	}{
		{`radius="1"`, `<b:beams><b:beam v1="0" v2="1"/></b:beams>`, beam + 2*sphere, -1, 11, ""},
		{`radius="1" cap="butt"`, `<b:beam v1="0" v2="1"/>`, beam, 0, 10, ""},
		{`radius="1" cap="butt"`, `<b:beam v1="0" v2="1" cap2="sphere"/>`, beam + sphere, 0, 11, ""},
		{`radius="1"`, `<b:beam v1="0" v2="1" r1="2" r2="0.5"/>`, beam + 2*sphere, -2, 10.5, ""},
		{`radius="1"`, `<b:beam v1="0" v2="1" r1="2"/>`, beam + 2*sphere, -2, 12, ""},
		{`radius="1"`, `<b:beam v1="0" v2="1"/><b:beam v1="0" v2="2"/>`, 2*beam + 3*sphere, -1, 11, ""},
		{`radius="1" cap="butt"`, `<b:beam v1="0" v2="1"/><b:balls><b:ball vindex="1" r="3"/></b:balls>`, beam + sphere, 0, 13, ""},
		{`radius="1" cap="butt" ballmode="all" ballradius="2"`, `<b:beam v1="0" v2="1"/>`, beam + 2*sphere, -2, 12, ""},
		{`radius="1" minlength="11" cap="butt"`, `<b:beam v1="0" v2="1"/><b:beam v1="1" v2="2"/>`, beam, -0.7, 10.7, ""},
		{`radius="1" cap="butt"`, `<b:beam v1="0" v2="1"/><b:beam v1="0" v2="0"/>`, beam, 0, 10, ""},
		{`radius="1" cap="butt"`, `<b:beam v1="0" v2="1"/><b:beam v1="0" v2="3"/>`, beam, 0, 10, "beam left out: vertices"},
		{`cap="butt"`, `<b:beam v1="0" v2="1" r1="1"/><b:beam v1="0" v2="2"/>`, beam, 0, 10, "it has no radius"},
		{`radius="1" cap="butt"`, `<b:beam v1="0" v2="1"/><b:ball vindex="1"/>`, beam, 0, 10, "ball left out"},
	} {
		mesh, rep := readModel(t, lattice(c.attributes, c.beams))
		box := mesh.Bounds()
		near := func(a, b float64) bool { return math.Abs(a-b) < 0.3 }
		if mesh.Len() != c.triangles || !near(box.Min[0], float64(c.low)) || !near(box.Max[0], float64(c.high)) {
			t.Errorf("%s, %s: %d triangles in %v, want %d from %g to %g", c.attributes, c.beams, mesh.Len(), box, c.triangles, c.low, c.high)
		}
		if (len(rep.Warnings) > 0) != (c.warning != "") || c.warning != "" && !strings.Contains(rep.Warnings[0], c.warning) {
			t.Errorf("%s, %s: %v", c.attributes, c.beams, rep.Warnings)
		}
	}
	mesh, _ := readModel(t, lattice(`radius="1" pid="5" pindex="0"`, `<b:beam v1="0" v2="1"/><b:beam v1="0" v2="2" p1="1"/>`))
	if !slices.Contains(mesh.Colors, 0xff0000) || !slices.Contains(mesh.Colors, 0x00ff00) || len(slices.Compact(slices.Sorted(slices.Values(mesh.Colors)))) != 2 {
		t.Error("beams have other colours")
	}
}

// TestSpheresOnce checks that the spheres of a lattice are computed only once, although an object may have a thousand
// colours, and that their memory is counted.
func TestSpheresOnce(t *testing.T) {
	in := meshtest.Input(context.Background(), scenes.ReadOptions{})
	r := &reader{in: in, Memory: in.Memory(0)}
	l := &lattice{radii: [][2]float64{{1, 2}, {3, 1}}, flat: make([][2]bool, 2), beams: object{triangles: [][3]uint32{{0, 1}, {1, 2}}}}
	first, err := l.spheres(r)
	if err != nil || !slices.Equal(first, []ball{{0, 1, 0}, {1, 3, 1}, {2, 1, 1}}) {
		t.Fatal(first, err)
	}
	held := r.Held
	if held < 3*24 {
		t.Errorf("%d bytes are counted", held)
	}
	if again, err := l.spheres(r); err != nil || &again[0] != &first[0] || r.Held != held {
		t.Errorf("spheres are found again: %v, %v, %d bytes more", again, err, r.Held-held)
	}
	in = meshtest.Input(context.Background(), scenes.ReadOptions{MaxMemory: 1})
	few := &reader{in: in, Memory: in.Memory(0)}
	l.allKnown, l.all = false, nil
	if _, err := (&object{lattice: l, points: make([][3]float64, 3)}).shapes(few, 1); err == nil {
		t.Error("a lattice needs no memory")
	}
}
