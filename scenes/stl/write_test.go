package stl

import (
	"bytes"
	"errors"
	"lockstep/scenes"
	"lockstep/scenes/internal/meshtest"
	"math"
	"slices"
	"testing"

	"github.com/hschendel/stl"
)

// TestWriteSTL reads written files with an independent implementation and with this package.
func TestWriteSTL(t *testing.T) {
	m := generate(t, "scene:bumpy?triangles=10000")
	file := writeSTL(t, m)
	solid, err := stl.ReadAll(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	oracle := &scenes.Mesh{Block: scenes.MakeBlock(len(solid.Triangles))}
	for i := range solid.Triangles {
		tri := &solid.Triangles[i]
		oracle.Set(i, [3][3]float32{tri.Vertices[0], tri.Vertices[1], tri.Vertices[2]})
		var n float64
		for _, v := range tri.Normal {
			n += float64(v) * float64(v)
		}
		if math.Abs(n-1) > 1e-6 {
			t.Fatalf("normal of triangle %d is %v", i, tri.Normal)
		}
	}
	meshtest.Same(t, oracle, m)
	got, rep := allWays(t, file)
	meshtest.Same(t, got, m)
	if solid.Name != "lockstep" || len(rep.Warnings) != 0 {
		t.Errorf("name %q, warnings %q", solid.Name, rep.Warnings)
	}
}

func TestWriteColorsAndOrigin(t *testing.T) {
	m := generate(t, "scene:cube")
	m.Origin = [3]float64{100, 0, -5}
	m.Colors = make([]uint32, m.Len())
	for i := range m.Colors {
		m.Colors[i] = uint32(i) * 0x150a05 & 0xffffff
	}
	got, _ := allWays(t, writeSTL(t, m))
	if b := got.Bounds(); b.Min != [3]float64{99, -1, -6} || b.Max != [3]float64{101, 1, -4} {
		t.Errorf("bounds %v", b)
	}
	for i, c := range got.Colors {
		for shift := 0; shift < 24; shift += 8 {
			if d := int(c>>shift&255) - int(m.Colors[i]>>shift&255); d < -4 || d > 4 {
				t.Errorf("triangle %d is %06x, want about %06x", i, c, m.Colors[i])
			}
		}
	}
}

type fullDisk struct{ room int }

var errFull = errors.New("disk full")

func (d *fullDisk) Write(p []byte) (int, error) {
	if len(p) > d.room {
		return d.room, errFull
	}
	d.room -= len(p)
	return len(p), nil
}

func TestWriteErrors(t *testing.T) {
	for _, room := range []int{0, 84, 300_000} {
		if err := Write(&fullDisk{room}, scene(t, "scene:sphere"), WriteOptions{}); !errors.Is(err, errFull) {
			t.Errorf("room for %d bytes: %v", room, err)
		}
	}
	if err := Write(&fullDisk{}, tooMany{}, WriteOptions{}); err == nil || errors.Is(err, errFull) {
		t.Errorf("too many triangles: %v", err)
	}
}

// A tooMany is a source with more triangles than the format can count.
type tooMany struct{ scenes.Source }

func (tooMany) Len() int {
	n := int64(math.MaxUint32) + 1
	return int(n)
}

// A shortBlocks is a source whose blocks have one triangle too few.
type shortBlocks struct{ *scenes.Mesh }

func (s shortBlocks) ReadBlock(i int, dst *scenes.Block) error {
	var b scenes.Block
	if err := s.Mesh.ReadBlock(i, &b); err != nil {
		return err
	}
	*dst = b.Slice(0, b.Len()-1)
	return nil
}

// TestWriteShortBlocks checks that Write returns an error if a source delivers fewer triangles than its length. It must
// not write a file whose header claims too many triangles.
func TestWriteShortBlocks(t *testing.T) {
	for _, n := range []string{"cube", "soup?triangles=5000"} {
		var file bytes.Buffer
		if err := Write(&file, shortBlocks{generate(t, "scene:"+n)}, WriteOptions{}); err == nil {
			t.Errorf("%s: %d bytes were written without an error", n, file.Len())
		}
	}
}

// TestWriteOneColor writes sources of one colour, which are in memory or not. The colour must be in the header, because
// readers ignore an attribute that all facets share.
func TestWriteOneColor(t *testing.T) {
	m := generate(t, "scene:bumpy?triangles=9000")
	m.Colors = slices.Repeat([]uint32{0x9c9c9c}, m.Len())
	for name, src := range map[string]scenes.Source{"mesh": m, "blocks": struct{ scenes.Source }{m}} {
		var file bytes.Buffer
		if err := Write(&file, src, WriteOptions{}); err != nil {
			t.Fatal(err)
		}
		if got, _ := allWays(t, file.Bytes()); !slices.Equal(got.Colors, m.Colors) {
			t.Errorf("%s: colours %06x", name, got.Colors[:min(3, len(got.Colors))])
		}
	}
	m.Colors[m.Len()-1] = 0xff0000
	var file bytes.Buffer
	if err := Write(&file, struct{ scenes.Source }{m}, WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	if got, _ := allWays(t, file.Bytes()); !slices.Equal(got.Colors, m.Colors) {
		t.Error("the last colour is another")
	}
}
