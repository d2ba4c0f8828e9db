package view

import (
	"bytes"
	"image"
	"strings"
	"testing"

	"lockstep/internal/budget"
	"lockstep/render/footprint"
	"lockstep/render/recipe"
)

// slid returns a movement with a section across x. The position of the section is in per cent of the mesh.
func slid(percent float64) *request {
	r := &request{Kind: "move", Size: recipe.Size{Width: 160, Height: 120}, File: 1}
	r.Picture.Size = r.Size
	r.Picture.Cuts.Sections = []recipe.Plane{{Normal: [3]float64{1, 0, 0}, Offset: percent, Percent: true, Keep: '<'}}
	return r
}

// TestSlider moves a section. Each picture must equal that of a new session, also after sections that remove the whole
// mesh. After a still picture, movements use the normals of the cut mesh, so the picture must nearly equal the one with
// these normals.
func TestSlider(t *testing.T) {
	s := started(t, func(o *Options) { o.Policy = "never" })
	begin := func() *session {
		one := &session{server: s}
		t.Cleanup(one.close)
		if err := one.setMesh(t.Context(), &request{File: 1}); err != nil {
			t.Fatal(err)
		}
		return one
	}
	move := func(one *session, percent float64) []byte {
		t.Helper()
		message, err := one.drawMovement(t.Context(), slid(percent))
		if err != nil {
			t.Fatal(err)
		}
		return message[headerBytes:]
	}
	one := begin()
	var last []byte
	for _, percent := range []float64{30, 80, 20, 55} {
		got := move(one, percent)
		if bytes.Equal(got, last) {
			t.Errorf("%g%%: the section does not move", percent)
		}
		if last = got; !bytes.Equal(got, move(begin(), percent)) {
			t.Errorf("%g%%: another picture than that of a session that begins with it", percent)
		}
		if _, err := one.drawMovement(t.Context(), slid(-50)); err == nil {
			t.Error("a section that leaves nothing is drawn")
		}
		if !bytes.Equal(got, move(one, percent)) {
			t.Errorf("%g%%: another picture after a section that leaves nothing", percent)
		}
	}
	if err := one.writeStill(t.Context(), one.picture(slid(55))); err != nil {
		t.Fatal(err)
	}
	exact := move(one, 55)
	if one.drawing.Input != one.cachedInput {
		t.Error("movements do not use the normals of the picture that stands")
	}
	if n := unlike(t, exact, last); n > 160*120/20 {
		t.Errorf("%d pixels of %d are unlike those of the cut mesh", n, 160*120)
	}
}

// TestSliderRefuses moves a section with different limits of memory. The memory suffices for the mesh and its normals
// only, for a section by one plane, or for a section by two planes.
func TestSliderRefuses(t *testing.T) {
	s := started(t, func(o *Options) { o.Policy = "never" })
	one := &session{server: s}
	defer one.close()
	r := slid(50)
	if err := one.setMesh(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	n := one.base.Mesh().Len()
	mesh := budget.MeshBytes(n) + footprint.Surface(n)
	both := slid(50)
	both.Picture.Cuts.Sections = append(both.Picture.Cuts.Sections, recipe.Plane{Normal: [3]float64{0, 1, 0}, Offset: 50, Percent: true, Keep: '<'})
	for _, c := range []struct {
		limit    int64
		one, two bool // whether memory suffices for a section by one plane, and by two planes
	}{{mesh, false, false}, {2*mesh + int64(4*n) - 1, false, false}, {2*mesh + int64(4*n), true, false}, {3*mesh + int64(8*n), true, true}} {
		s.options.Drawer.Read.MaxMemory = c.limit
		one.sections = sectionCache{}
		for _, move := range []struct {
			of   *request
			fits bool
		}{{r, c.one}, {both, c.two}} {
			_, err := one.drawMovement(t.Context(), move.of)
			if refused := err != nil && strings.Contains(err.Error(), "moving a section through it needs"); refused == move.fits || err != nil && !refused {
				t.Errorf("%d bytes for %d triangles and %d planes: %v", c.limit, n, len(move.of.Picture.Cuts.Sections), err)
			}
		}
	}
}

// unlike returns the number of pixels that differ clearly between two pictures.
func unlike(t *testing.T, a, b []byte) (n int) {
	t.Helper()
	var pics [2]image.Image
	for i, file := range [][]byte{a, b} {
		pic, _, err := image.Decode(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		pics[i] = pic
	}
	for y := range pics[0].Bounds().Dy() {
		for x := range pics[0].Bounds().Dx() {
			r, g, b, _ := pics[0].At(x, y).RGBA()
			u, v, w, _ := pics[1].At(x, y).RGBA()
			for _, pair := range [][2]uint32{{r, u}, {g, v}, {b, w}} {
				if max(pair[0], pair[1])-min(pair[0], pair[1]) > 20<<8 {
					n++
					break
				}
			}
		}
	}
	return n
}

// TestHelloOfCut checks that the page gets the box of the whole mesh even if the command begins with a section.
func TestHelloOfCut(t *testing.T) {
	s := started(t, func(o *Options) { o.Picture.Cuts.Sections = slid(20).Picture.Cuts.Sections })
	if h := dial(t, s).hello(0); h.Box != [2][3]float64{{-10, -10, -10}, {10, 10, 10}} {
		t.Errorf("the box is %v", h.Box)
	}
}

// TestKeyOfSides checks that two cameras have different keys if and only if different sides of a section face away
// from them.
func TestKeyOfSides(t *testing.T) {
	key := func(keep byte, x float64) string {
		p := recipe.Picture{Cuts: recipe.Cuts{Sections: []recipe.Plane{{Normal: [3]float64{1, 0, 0}, Keep: keep}}}}
		p.Camera.Eye, p.Camera.Target = &recipe.Point{x, 1, 2}, &recipe.Point{}
		text, err := meshKey(p)
		if err != nil || p.Cuts.Sections[0].Keep != keep {
			t.Fatal(err, p.Cuts)
		}
		return text
	}
	if key('=', 5) != key('=', 7) || key('=', 5) == key('=', -5) || key('<', 5) != key('<', -5) {
		t.Error("other keys for one mesh, or one key for two")
	}
	// A camera at x = 5 sees the half with x < 0 as the farther half.
	if key('=', 5) != key('<', 5) || key('=', -5) != key('>', 5) {
		t.Error("the side that is nearer stays")
	}
}
