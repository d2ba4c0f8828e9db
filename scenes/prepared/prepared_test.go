package prepared

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/internal/meshtest"
	"lockstep/scenes/leaves"
	"lockstep/scenes/procedural"
)

func inTurn(n int, do func(task int)) {
	for i := range n {
		do(i)
	}
}

// scene returns a mesh with the given number of triangles, one of which is not finite. The triangles have colours if
// colors is set.
func scene(t testing.TB, triangles int, colors bool) *scenes.Mesh {
	t.Helper()
	s, err := procedural.Parse(fmt.Sprintf("scene:bumpy?triangles=%d", triangles))
	if err != nil {
		t.Fatal(err)
	}
	m, err := scenes.Load(t.Context(), s, scenes.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	m.Y[1][m.Len()/3] = float32(math.Inf(1))
	if colors {
		m.Colors = make([]uint32, m.Len())
		for i := range m.Colors {
			m.Colors[i] = uint32(i) * 7
		}
	}
	return m
}

// normals returns arbitrary numbers in place of the packed normals of a mesh.
func normals(m *scenes.Mesh) []uint32 {
	all := make([]uint32, 3*m.Len())
	for i := range all {
		all[i] = uint32(i)*2654435761 | 1
	}
	return all
}

func written(t testing.TB, m *scenes.Mesh, packed []uint32) []byte {
	t.Helper()
	var out bytes.Buffer
	c := Contents{Mesh: m, Leaves: leaves.New(&m.Block, inTurn), Bad: 1, Normals: packed, Crease: 35}
	if err := Write(t.Context(), &out, &c); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// opened opens a file with the given contents.
func opened(t testing.TB, data []byte, opts scenes.ReadOptions) (*File, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.lkm")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	opts.Name = "a.lkm"
	s, _, err := format.Open(t.Context(), path, opts, Format)
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { s.Close() })
	return s.(*File), nil
}

// TestWholeMesh reads meshes from a file and from a stream, and checks that they are unchanged.
func TestWholeMesh(t *testing.T) {
	for _, n := range []int{12, 1024, 5000} {
		for _, colors := range []bool{false, true} {
			m := scene(t, n, colors)
			m.Origin, m.Up, m.Unit = [3]float64{1, math.Pi, -1e300}, scenes.MinusX, 0.001
			m.Parts = []scenes.Part{{Name: "a <b>", Count: 1, Transform: &scenes.Affine{{1, 2, 3, math.NaN()}}}, {Name: "b", First: 1, Count: m.Len() - 1, Flat: true}}
			data := written(t, m, normals(m))
			for _, opts := range []scenes.ReadOptions{{}, {Strict: false, Workers: 3}} {
				got, report, err := format.Read(t.Context(), bytes.NewReader(data), opts, Format)
				if err != nil {
					t.Fatal(err)
				}
				same(t, got, m)
				if report.BadTriangles != 1 || report.Bounds != m.Bounds() || report.Bytes != int64(len(data)) || len(report.Warnings) != 1 {
					t.Errorf("report %+v", report)
				}
			}
		}
	}
}

// The function same compares two meshes bit for bit.
func same(t *testing.T, got, want *scenes.Mesh) {
	t.Helper()
	for k := range 3 {
		for _, c := range [][2][]float32{{got.X[k], want.X[k]}, {got.Y[k], want.Y[k]}, {got.Z[k], want.Z[k]}} {
			if !slices.EqualFunc(c[0], c[1], func(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) }) {
				t.Fatal("other places")
			}
		}
	}
	if !slices.Equal(got.Colors, want.Colors) || got.Origin != want.Origin || got.Up != want.Up || got.Unit != want.Unit {
		t.Fatalf("%v %v %v, want %v %v %v", got.Origin, got.Up, got.Unit, want.Origin, want.Up, want.Unit)
	}
	if g, w := fmt.Sprintf("%+v", got.Attributes), fmt.Sprintf("%+v", want.Attributes); len(g) != len(w) {
		t.Fatal("other attributes")
	}
	if len(got.Parts) != len(want.Parts) {
		t.Fatalf("%d parts", len(got.Parts))
	}
	for i, p := range got.Parts {
		w := want.Parts[i]
		if p.Name != w.Name || p.First != w.First || p.Count != w.Count || p.Flat != w.Flat || fmt.Sprint(p.Transform) != fmt.Sprint(w.Transform) {
			t.Fatalf("part %+v, want %+v", p, w)
		}
	}
}

// furnished returns a mesh that has all kinds of data.
func furnished(t *testing.T) *scenes.Mesh {
	m := scene(t, 300, true)
	n := m.Len()
	column := func(below int) (index [3][]uint32) {
		for k := range index {
			index[k] = make([]uint32, n)
			for i := range index[k] {
				index[k][i] = uint32((3*i + k) % below)
			}
		}
		return index
	}
	picture := image.NewNRGBA(image.Rect(0, 0, 5, 3))
	for i := range picture.Pix {
		picture.Pix[i] = uint8(i)
	}
	texture := func(name string) *scenes.Texture {
		return &scenes.Texture{Name: name, Picture: picture, WrapU: scenes.Mirror, WrapV: scenes.Clamp, Nearest: name == "b", Minify: scenes.Minify(len(name) % 3)}
	}
	shared := texture("a")
	finish := &scenes.Finish{
		Metallic: 0.1, Roughness: 0.2, Surface: shared, Specular: [3]float32{0.3, 0.4, 0.5}, Normals: texture("b"), NormalScale: 0.6,
		Occlusion: texture("c"), OcclusionAmount: 0.7, Coat: 0.8, CoatRoughness: 0.9, Transmission: 0.25, Through: shared,
	}
	for i, v := range finish.Numbers() {
		*v = float32(i+1) / 32
	}
	for i, x := range finish.Textures() {
		if *x == nil {
			*x = texture(fmt.Sprint("of finish ", i))
			(*x).Second = true
		}
	}
	finish.SheenTint.Placement = &scenes.Placement{{1, 2, 3}, {-4, 5, 1e30}}
	a := &scenes.Attributes{Index: column(17), Vertices: 17, MaterialOf: make([]int32, n)}
	a.Colors = scenes.Attribute[scenes.RGBA]{Values: []scenes.RGBA{{1, 2, 3, 4}, {5, 6, 7, 8}}, Index: column(2)}
	a.TexCoords = scenes.Attribute[[2]float32]{Values: [][2]float32{{1, 2}, {3, -4}, {0.5, 1e30}}, Index: column(3)}
	a.TexCoords2 = scenes.Attribute[[2]float32]{Values: [][2]float32{{7, 8}, {9, -1}}, Index: column(2)}
	a.Normals = scenes.Attribute[[3]float32]{Values: make([][3]float32, 17), Index: a.Index}
	a.Normals.Values[3] = [3]float32{1, -2, 3}
	a.Materials = []scenes.Material{
		{Name: "m", BaseColor: [4]float32{0.1, 0.2, 0.3, 0.4}, Texture: shared, Emission: [3]float32{5, 6, 7}, Glow: texture("d"), Finish: finish, OneSided: true, Alpha: scenes.AlphaBlend},
		{Unlit: true, Alpha: scenes.AlphaMask, AlphaCutoff: 0.75},
	}
	for i := range a.MaterialOf {
		a.MaterialOf[i] = int32(i%3) - 1
	}
	a.Fields = []scenes.Field{
		{Name: "heat", Values: make([]float32, 17), Symmetric: 2}, {Name: "stress", OfTriangles: true, Values: make([]float32, n)},
	}
	a.Fields[0].Values[2], a.Fields[1].Values[5] = 1.5, scenes.NoField()
	m.Attributes = a
	m.Parts = []scenes.Part{{Name: "p", Count: 10}, {Name: "q", First: 10, Count: n - 10}}
	return m
}

// TestForeignNumbers checks that fields and materials with numbers that do not fit the mesh are refused.
func TestForeignNumbers(t *testing.T) {
	for name, change := range map[string]func(m *scenes.Mesh){
		"a field of more vertices":  func(m *scenes.Mesh) { m.Attributes.Fields[0].Values = make([]float32, 18) },
		"a field of fewer":          func(m *scenes.Mesh) { m.Attributes.Fields[0].Values = make([]float32, 16) },
		"a field of more triangles": func(m *scenes.Mesh) { m.Attributes.Fields[1].Values = make([]float32, m.Len()+1) },
		"material -2":               func(m *scenes.Mesh) { m.Attributes.MaterialOf[7] = -2 },
		"material 2":                func(m *scenes.Mesh) { m.Attributes.MaterialOf[7] = 2 },
		"fewer materials":           func(m *scenes.Mesh) { m.Attributes.MaterialOf = m.Attributes.MaterialOf[1:] },
		"a part too long":           func(m *scenes.Mesh) { m.Parts[1].Count++ },
		"a part of less":            func(m *scenes.Mesh) { m.Parts[1].Count = -1 },
		"a part before":             func(m *scenes.Mesh) { m.Parts[0].First = -1 },
	} {
		m := furnished(t)
		change(m)
		var damage *scenes.DamageError
		if _, _, err := format.Read(t.Context(), bytes.NewReader(written(t, m, nil)), scenes.ReadOptions{}, Format); !errors.As(err, &damage) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestAttributes reads back all data of a mesh.
func TestAttributes(t *testing.T) {
	m := furnished(t)
	data := written(t, m, nil)
	got, _, err := format.Read(t.Context(), bytes.NewReader(data), scenes.ReadOptions{}, Format)
	if err != nil {
		t.Fatal(err)
	}
	same(t, got, m)
	if g, w := fmt.Sprintf("%#v", flat(got.Attributes)), fmt.Sprintf("%#v", flat(m.Attributes)); g != w {
		t.Errorf("%s, want %s", g, w)
	}
	if a := got.Attributes; a.Materials[0].Texture != a.Materials[0].Finish.Through || a.Materials[0].Texture.Picture != a.Materials[0].Glow.Picture {
		t.Error("textures and pictures are no longer shared")
	}
	if &got.Attributes.Normals.Index[0][0] != &got.Attributes.Index[0][0] {
		t.Error("columns are no longer shared")
	}
	if f, err := opened(t, data, scenes.ReadOptions{}); err != nil || f.Plain() {
		t.Errorf("%v, %v: has materials", f, err)
	}
	got, _, err = format.Read(t.Context(), bytes.NewReader(data), scenes.ReadOptions{Flat: true}, Format)
	if err != nil || got.Attributes != nil {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestHostileAttributes changes each number in the description of a mesh that has all kinds of data. Whatever the
// number is, no data outside the file or the lists may be read.
func TestHostileAttributes(t *testing.T) {
	m := furnished(t)
	data := written(t, m, nil)
	meta := int(binary.LittleEndian.Uint32(data[12:]))
	text := string(data[headerSize : headerSize+meta])
	h, _ := parseHeader(data)
	refused := 0
	for _, at := range regexp.MustCompile(`-?[0-9.]+`).FindAllStringIndex(text, -1) {
		for _, other := range []string{"0", "-1", "3", "5", "17", "5000", "9223372036854775807"} {
			lie := text[:at[0]] + other + text[at[1]:]
			h.meta, h.metaSum = uint32(len(lie)), checksum([]byte(lie))
			bad := slices.Concat(h.bytes(), []byte(lie), data[headerSize+meta:])
			got, _, err := format.Read(t.Context(), bytes.NewReader(bad), scenes.ReadOptions{MaxMemory: 64 << 20}, Format)
			if err != nil {
				refused++
				continue
			}
			check(t, got, lie)
		}
	}
	if refused < 100 {
		t.Errorf("only %d were refused", refused)
	}
}

// check accesses all data to which a mesh refers.
func check(t *testing.T, m *scenes.Mesh, lie string) {
	t.Helper()
	defer func() {
		if r := recover(); r != nil {
			t.Errorf("%v: %s", r, lie)
		}
	}()
	a := m.Attributes
	for i := range m.Len() {
		a.Material(i)
		for k := range 3 {
			_ = a.Index[k][i]
			if a.Normals.Has() {
				a.Normals.At(k, i)
			}
			if a.Colors.Has() {
				a.Colors.At(k, i)
			}
			if a.TexCoords.Has() {
				a.TexCoords.At(k, i)
			}
			for _, f := range a.Fields {
				if f.OfTriangles {
					_ = f.Values[i]
				} else {
					_ = f.Values[a.Index[k][i]]
				}
			}
		}
	}
	for _, p := range m.Parts {
		m.Slice(p.First, p.First+p.Count)
	}
}

// flat returns attributes without pointers, because the addresses differ.
func flat(a *scenes.Attributes) any {
	type one struct {
		m scenes.Material
		f scenes.Finish
		t []any
	}
	all := []any{a.Index, a.Vertices, a.Normals, a.Colors, a.TexCoords, a.TexCoords2, a.MaterialOf, a.Fields}
	for _, m := range a.Materials {
		o := one{m: m}
		textures := []*scenes.Texture{m.Texture, m.Glow}
		if m.Finish != nil {
			o.f = *m.Finish
			for _, t := range m.Finish.Textures() {
				textures = append(textures, *t)
			}
		}
		for _, t := range textures {
			if t != nil {
				o.t = append(o.t, t.Name, t.WrapU, t.WrapV, t.Nearest, t.Minify, t.Picture.Rect, slices.Clone(t.Picture.Pix), t.Second)
				if t.Placement != nil {
					o.t = append(o.t, *t.Placement)
				}
			}
		}
		o.m.Texture, o.m.Glow, o.m.Finish = nil, nil, nil
		for _, t := range o.f.Textures() {
			*t = nil
		}
		all = append(all, o)
	}
	return all
}

// TestChunks reads blocks, records and groups of an open file, with caches of different sizes.
func TestChunks(t *testing.T) {
	for _, colors := range []bool{false, true} {
		m := scene(t, 9000, colors)
		packed := normals(m)
		data, order := written(t, m, packed), leaves.New(&m.Block, inTurn)
		for _, limit := range []int64{0, 600 << 10, 1 << 18} {
			f, err := opened(t, data, scenes.ReadOptions{MaxMemory: limit})
			if err != nil {
				t.Fatal(err)
			}
			random := rand.New(rand.NewPCG(1, uint64(limit)))
			for range 3 {
				checkBlocks(t, f, m)
				checkRecords(t, f, m, packed)
				checkGroups(t, f, order, random)
			}
			if used := f.cache.used.Load(); limit > 0 && used > limit/cacheShare || used == 0 {
				t.Errorf("%d bytes are kept, limit %d", used, limit)
			}
			checkKept(t, f)
			if f.Damage() != nil {
				t.Error(f.Damage())
			}
		}
	}
}

// checkKept compares the size that the cache has counted with the size of its chunks.
func checkKept(t *testing.T, f *File) {
	t.Helper()
	total := int64(0)
	for i := range f.cache.chunks {
		if e := f.cache.chunks[i].Load(); e != nil {
			total += int64(4 * len(e.words))
		}
	}
	if total != f.cache.used.Load() {
		t.Errorf("%d bytes are kept, %d are counted", total, f.cache.used.Load())
	}
}

func checkBlocks(t *testing.T, f *File, m *scenes.Mesh) {
	t.Helper()
	got, err := scenes.Load(t.Context(), f, scenes.ReadOptions{Workers: 3})
	if err != nil {
		t.Fatal(err)
	}
	same(t, got, m)
}

func checkRecords(t *testing.T, f *File, m *scenes.Mesh, packed []uint32) {
	t.Helper()
	scratch := make([]uint32, ChunkWords)
	for c := range (m.Len() + ChunkTriangles - 1) / ChunkTriangles {
		records, err := f.Records(c, scratch)
		if err != nil {
			t.Fatal(err)
		}
		for i := range len(records) / RecordWords {
			n := c*ChunkTriangles + i
			r := records[i*RecordWords:]
			if r[3] != math.Float32bits(m.X[1][n]) || r[8] != math.Float32bits(m.Z[2][n]) || !slices.Equal(r[9:12], packed[3*n:3*n+3]) {
				t.Fatalf("triangle %d: %x", n, r[:12])
			}
		}
	}
}

func checkGroups(t *testing.T, f *File, order *leaves.Leaves, random *rand.Rand) {
	t.Helper()
	columns, err := f.GroupBounds()
	if err != nil {
		t.Fatal(err)
	}
	groups := (f.Len() + GroupTriangles - 1) / GroupTriangles
	var wanted []int32
	for g := range groups {
		if random.IntN(3) > 0 && len(wanted) < scenes.BlockSize/GroupTriangles {
			wanted = append(wanted, int32(g))
		}
	}
	wanted = append(wanted[:len(wanted)-1], int32(groups-1)) // the last group is not full
	var b scenes.Block
	numbers := make([]uint32, scenes.BlockSize)
	if err := f.ReadGroups(wanted, &b, numbers); err != nil {
		t.Fatal(err)
	}
	at := 0
	for _, g := range wanted {
		lo, hi := int(g)*GroupTriangles, min(int(g+1)*GroupTriangles, f.Len())
		for i := lo; i < hi; i++ {
			if b.Triangle(at) != order.Triangle(i) && numbers[at] != order.Numbers[len(order.Numbers)-1] || numbers[at] != order.Numbers[i] {
				t.Fatalf("group %d: triangle %d is number %d, want %d", g, at, numbers[at], order.Numbers[i])
			}
			if b.Colors != nil && b.Colors[at] != order.Colors[i] {
				t.Fatalf("group %d: colour %x", g, b.Colors[at])
			}
			for axis, c := range [3]float32{b.X[1][at], b.Y[1][at], b.Z[1][at]} {
				if c < columns[axis][g] || c > columns[3+axis][g] {
					t.Fatalf("group %d: %g lies outside of %g to %g", g, c, columns[axis][g], columns[3+axis][g])
				}
			}
			at++
		}
	}
	if b.Len() != at {
		t.Fatalf("%d triangles, want %d", b.Len(), at)
	}
	for g := range groups { // only the last triangle is not finite, and it is in the last group
		for axis := range 6 {
			if math.IsInf(float64(columns[axis][g]), 0) != (g == groups-1) {
				t.Fatalf("group %d of %d reaches to %g", g, groups, columns[axis][g])
			}
		}
	}
}

// TestCache checks that the cache stores a chunk once if two goroutines read it at the same time, and that released
// memory is available again. The cache must drop unused chunks first.
func TestCache(t *testing.T) {
	c := cache{limit: 40, chunks: make([]atomic.Pointer[entry], 4)}
	add := func(number int64) {
		t.Helper()
		words := c.reserve(5)
		for i := 0; i < 4 && words == nil; i++ { // until the hand of the clock algorithm has passed all chunks
			c.get(0)
			words = c.reserve(5)
		}
		if words == nil {
			t.Fatalf("chunk %d has no room", number)
		}
		c.put(number, words)
	}
	one, two := c.reserve(5), c.reserve(5)
	if c.put(0, one); c.reserve(1) != nil {
		t.Error("there is room for more than the limit")
	}
	c.put(0, two)
	if used := c.used.Load(); used != 20 || &c.get(0)[0] != &one[0] {
		t.Errorf("%d bytes are used", used)
	}
	add(1)
	c.get(0)
	add(2) // replaces chunk 1, which was not read since it was added
	if c.get(0) == nil || c.get(1) != nil || c.get(2) == nil {
		t.Error("another chunk was dropped")
	}
	if c.release(5); c.used.Load() != 20 {
		t.Error("room is not given back")
	}
	if c.reserve(11) != nil {
		t.Error("a chunk has more room than the limit")
	}
}

// TestDamage changes each part of a file. A lenient read must read the rest of the file, and give NaN coordinates to
// the triangles of the damaged chunk. A strict read must return an error that names the place, and so must every read
// if the whole file depends on the changed bytes.
func TestDamage(t *testing.T) {
	m := scene(t, 5000, true)
	data := written(t, m, normals(m))
	f, err := opened(t, data, scenes.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for section, s := range f.d.Sections {
		bad := slices.Clone(data)
		at := f.starts[section] + 4*s.Chunk - 8
		if s.chunks() == 1 {
			at = f.starts[section]
		}
		bad[at] ^= 1
		if _, err := opened(t, bad, scenes.ReadOptions{Strict: true}); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("byte %d: the checksum of chunk 0 of %s is wrong", f.starts[section], s.Name)) {
			t.Errorf("%s: %v", s.Name, err)
		}
		got, report, err := format.Read(t.Context(), bytes.NewReader(bad), scenes.ReadOptions{}, Format)
		if err != nil {
			t.Fatal(err)
		}
		gone := 0
		for i := range got.Len() {
			if p := got.Triangle(i); p[0][0] != p[0][0] {
				gone++
			}
		}
		if want := map[bool]int{true: ChunkTriangles}[s.Name == recordsSection]; gone != want {
			t.Errorf("%s: %d triangles are gone, want %d: %v", s.Name, gone, want, report.Warnings)
		}
	}
	for _, cut := range []int{0, 7, 20, 63, 64, 200, 70000, len(data) - 300000, len(data) - 8, len(data) - 1} {
		var damage *scenes.DamageError
		if _, err := opened(t, data[:cut], scenes.ReadOptions{}); !errors.As(err, &damage) && !(cut < 8 && errors.Is(err, scenes.ErrUnknownFormat)) {
			t.Errorf("cut at %d: %v", cut, err)
		}
	}
	for at, want := range map[int]string{8: "version 6", 12: "header", 25: "header", 61: "header", 70: "description", len(data) - 2: "sums", len(data) - 6: "sums"} {
		bad := slices.Clone(data)
		bad[at] ^= 2
		if _, err := opened(t, bad, scenes.ReadOptions{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("byte %d: %v", at, err)
		}
	}
}

// TestOldest reads a file of version 3, which has the first 10 numbers and the first 4 textures of a finish, and refuses
// version 2.
func TestOldest(t *testing.T) {
	m := furnished(t)
	lists := regexp.MustCompile(`("numbers":\[(?:[^],]*,){9}[^],]*)[^]]*(\],"textures":\[(?:[^],]*,){3}[^],]*)[^]]*\]`)
	data := described(written(t, m, nil), func(text string) string { return lists.ReplaceAllString(text, "$1$2]") })
	finished := 0
	for v, ok := range map[uint32]bool{2: false, 3: true} {
		binary.LittleEndian.PutUint32(data[8:], v)
		binary.LittleEndian.PutUint32(data[60:], checksum(data[:60]))
		got, _, err := format.Read(t.Context(), bytes.NewReader(data), scenes.ReadOptions{}, Format)
		if (err == nil) != ok {
			t.Fatalf("version %d: %v", v, err)
		}
		for i := range m.Attributes.Materials {
			f := m.Attributes.Materials[i].Finish
			if !ok || f == nil {
				continue
			}
			finished++
			read := got.Attributes.Materials[i].Finish
			for k, n := range read.Numbers() {
				if want := *f.Numbers()[k]; k < 10 && *n != want || k >= 10 && *n != 0 {
					t.Errorf("material %d: number %d is %g, was %g", i, k, *n, want)
				}
			}
			for k, texture := range read.Textures() {
				if want := *f.Textures()[k] != nil && k < 4; (*texture != nil) != want {
					t.Errorf("material %d: texture %d is there: %t", i, k, !want)
				}
			}
		}
	}
	if finished == 0 {
		t.Error("no material has a finish")
	}
}

// TestLeavesDamage checks that only the triangles of a damaged chunk of leaves are left out. Triangles of a damaged
// chunk of numbers are left out only if numbers are read. Triangles of a damaged chunk of colours must have the default
// colour.
func TestLeavesDamage(t *testing.T) {
	m := scene(t, 9000, true)
	good := written(t, m, nil)
	for section, firstOf := range map[int]func(f *File) (first, end int32){
		leavesIndex:     func(f *File) (first, end int32) { return f.leaves.firsts[1], f.leaves.firsts[2] },
		numbersIndex:    func(*File) (first, end int32) { return 64, 128 },
		leafColorsIndex: func(*File) (first, end int32) { return 64, 128 },
	} {
		f, err := opened(t, good, scenes.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		data := slices.Clone(good)
		data[f.starts[section]+4*f.d.Sections[section].Chunk+5] ^= 4
		if f, err = opened(t, data, scenes.ReadOptions{}); err != nil {
			t.Fatal(err)
		}
		first, end := firstOf(f)
		var b scenes.Block
		for _, numbers := range [][]uint32{nil, make([]uint32, scenes.BlockSize)} {
			if err := f.ReadGroups([]int32{first - 1, first, end - 1, end}, &b, numbers); err != nil {
				t.Fatal(err)
			}
			checkPick(t, f, []int32{first - 1, first, end - 1, end}, numbers != nil)
			for i, within := range []bool{false, true, true, false} {
				want := within && (section == leavesIndex || section == numbersIndex && numbers != nil)
				if x := b.X[0][i*GroupTriangles]; (x != x) != want {
					t.Errorf("section %d, group %d: %g", section, i, x)
				}
				if c := b.Colors[i*GroupTriangles]; (c == scenes.DefaultColor) != (within && section == leafColorsIndex) {
					t.Errorf("section %d, group %d: colour %x", section, i, c)
				}
			}
		}
		if f.Damage() == nil || f.Failed() != nil {
			t.Errorf("damage %v, failure %v", f.Damage(), f.Failed())
		}
		checkKept(t, f)
	}
}

// checkPick reads groups by EachRun and Pick, and compares them with those that ReadGroups reads.
func checkPick(t *testing.T, f *File, groups []int32, numbered bool) {
	t.Helper()
	var want, scratch scenes.Block
	var wanted, numbers []uint32
	if numbered {
		wanted = make([]uint32, scenes.BlockSize)
	}
	if err := f.ReadGroups(groups, &want, wanted); err != nil {
		t.Fatal(err)
	}
	got := scenes.MakeBlock(want.Len())
	got.Colors = make([]uint32, want.Len())
	err := f.EachRun(groups, make([]leaves.Group, 3), &scratch, func(run []int32, packed []leaves.Group) {
		for i, g := range run {
			n, size := len(numbers), f.groupSize(g)
			if packed == nil {
				dropTriangles(&got, n, n+size)
			} else {
				packed[i].Unpack(&got, n, math.MaxUint64>>(GroupTriangles-size))
			}
			for k := range size {
				numbers = append(numbers, uint32(int(g)*GroupTriangles+k))
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Pick(&got, numbers, numbered, &scratch); err != nil {
		t.Fatal(err)
	}
	for i := range want.Len() {
		g, w := got.Z[2][i], want.Z[2][i]
		if (g != g) != (w != w) || g == g && g != w || got.Colors[i] != want.Colors[i] || numbered && numbers[i] != wanted[i] {
			t.Fatalf("triangle %d: %g, colour %x, number %d, want %g and %x", i, g, got.Colors[i], numbers[i], w, want.Colors[i])
		}
	}
}

// TestKeptFromSecond checks that chunks are kept when they are read for the second time, not before.
func TestKeptFromSecond(t *testing.T) {
	f, err := opened(t, written(t, scene(t, 5000, true), nil), scenes.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	scratch := make([]uint32, ChunkWords)
	for read := range 2 {
		words, err := f.readChunk(leavesIndex, 1, scratch)
		if err != nil {
			t.Fatal(err)
		}
		if kept := f.cache.get(f.firsts[leavesIndex] + 1); (kept != nil) != (read == 1) || (&words[0] == &scratch[0]) != (read == 0) {
			t.Errorf("after %d reads, %d words are kept", read+1, len(kept))
		}
	}
}

// TestGroupsExact reads back corners bit for bit, from meshes whose groups have few or many vertices, zeros of both
// signs, and NaNs.
func TestGroupsExact(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	some := []uint32{0, 1 << 31, notNumber, notNumber + 1, 1, 0x7f800000}
	for round := range 60 {
		m := &scenes.Mesh{Block: scenes.MakeBlock(1 + random.IntN(6000))}
		kinds := []int{1, 2, 5, 1 << 30}[round%4]
		for i := range m.Len() {
			var corners [3][3]float32
			for k := range 9 {
				corners[k/3][k%3] = float32(random.IntN(kinds))
				if round%3 == 0 && random.IntN(5) == 0 {
					corners[k/3][k%3] = math.Float32frombits(some[random.IntN(len(some))])
				}
			}
			m.Set(i, corners)
		}
		order := leaves.New(&m.Block, inTurn)
		f, err := opened(t, written(t, m, nil), scenes.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var b scenes.Block
		for g := range groupsOf(m.Len()) {
			if err := f.ReadGroups([]int32{int32(g)}, &b, nil); err != nil {
				t.Fatal(err)
			}
			part := order.Slice(g*GroupTriangles, min((g+1)*GroupTriangles, m.Len()))
			same(t, &scenes.Mesh{Block: b}, &scenes.Mesh{Block: part})
		}
		if f.Damage() != nil {
			t.Error(f.Damage())
		}
	}
}

// TestEncoderAgain encodes many groups with one encoder, whose table of vertices is not cleared for each group. The
// groups must be the same as those of a new encoder.
func TestEncoderAgain(t *testing.T) {
	m := scene(t, 3000, false)
	numbers := make([]uint32, m.Len())
	var used groupEncoder
	var got, want encodedGroups
	for range 40 { // some 70,000 vertices, more than the table can number before it must be cleared
		used.encode(&got, &m.Block, numbers)
		new(groupEncoder).encode(&want, &m.Block, numbers)
		if !slices.Equal(got.words, want.words) || !slices.Equal(got.counts, want.counts) {
			t.Fatal("other groups")
		}
	}
}

// TestForeignVertices checks that a chunk of leaves is damaged if a corner refers to a vertex that its group does not
// have, even if the previous group has such a vertex.
func TestForeignVertices(t *testing.T) {
	good := written(t, scene(t, 9000, false), nil)
	f, err := opened(t, good, scenes.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	counts, firsts := f.leaves.counts, f.leaves.firsts
	group := firsts[1] + 1
	for counts[group] >= counts[group-1] {
		group++
	}
	from, end := firsts[1], firsts[2]
	if group >= end {
		t.Fatalf("group %d is beyond the chunk of groups %d to %d", group, from, end)
	}
	vertices := counts[group]
	at := f.starts[leavesIndex] + 4*(leafChunk+int64(f.leaves.at[group])+3*int64(vertices))
	for corner := range int64(3 * GroupTriangles) {
		data := slices.Clone(good)
		data[at+corner] = vertices + uint8(corner)%(255-vertices)
		repair(data, int(binary.LittleEndian.Uint32(data[12:])))
		if f, err = opened(t, data, scenes.ReadOptions{}); err != nil {
			t.Fatal(err)
		}
		var b scenes.Block
		if err := f.ReadGroups([]int32{from - 1, from, group, end - 1, end}, &b, nil); err != nil {
			t.Fatal(err)
		}
		for i := range b.Len() {
			damaged := i >= GroupTriangles && i < 4*GroupTriangles
			if x := b.X[0][i]; (x != x) != damaged {
				t.Fatalf("corner %d: triangle %d is at %g", corner, i, x)
			}
		}
		if err := f.Damage(); err == nil || !strings.Contains(err.Error(), "a corner in chunk 1 of leaves") {
			t.Fatalf("corner %d: damage %v", corner, err)
		}
	}
}

// TestUngrouped reads all triangles, but no groups, of a file whose boxes or counts of groups are damaged.
func TestUngrouped(t *testing.T) {
	m := scene(t, 5000, true)
	data := written(t, m, nil)
	whole, err := opened(t, data, scenes.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, section := range []int{boundsIndex, countsIndex} {
		bad := slices.Clone(data)
		bad[whole.starts[section]] ^= 1
		f, err := opened(t, bad, scenes.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		checkBlocks(t, f, m)
		var damage *scenes.DamageError
		if _, err := f.GroupBounds(); !errors.As(err, &damage) || f.Damage() != nil {
			t.Errorf("section %d: %v, and of triangles %v", section, err, f.Damage())
		}
		var b scenes.Block
		if err := f.ReadGroups([]int32{0}, &b, nil); section == countsIndex && !errors.As(err, &damage) {
			t.Errorf("groups in unknown places: %v", err)
		}
	}
}

// TestForeignCounts checks that a wrong number of vertices of a group is refused: a number that no group can have, or a
// number that does not fit the size of the leaves.
func TestForeignCounts(t *testing.T) {
	data := written(t, scene(t, 5000, false), nil)
	f, err := opened(t, data, scenes.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	last := int64(groupsOf(f.Len()) - 1)
	for lie, want := range map[uint8]string{
		0: "has 0 vertices", 193: "has 193 vertices", 255: "has 255 vertices", f.leaves.counts[last] + 1: "take", f.leaves.counts[last] - 1: "take",
	} {
		bad := slices.Clone(data)
		bad[f.starts[countsIndex]+last] = lie
		repair(bad, int(binary.LittleEndian.Uint32(data[12:])))
		if _, err := opened(t, bad, scenes.ReadOptions{Strict: true}); !isDamage(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("%d vertices: %v", lie, err)
		}
		f, err := opened(t, bad, scenes.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := f.ReadGroups([]int32{int32(last)}, new(scenes.Block), nil); !isDamage(err) {
			t.Errorf("%d vertices: %v", lie, err)
		}
	}
}

// TestForeignTriangles checks that a triangle of leaves is left out if its number is too large, and that no record is
// read for it.
func TestForeignTriangles(t *testing.T) {
	m := scene(t, 5000, true)
	data := written(t, m, nil)
	f, err := opened(t, data, scenes.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	number := func(triangle int) []byte { return data[f.starts[numbersIndex]+4*int64(triangle):] }
	le := binary.LittleEndian
	le.PutUint32(number(3), uint32(m.Len()))
	le.PutUint32(number(GroupTriangles), math.MaxUint32)
	le.PutUint32(number(GroupTriangles+1), notNumber)
	le.PutUint32(number(GroupTriangles+2), uint32(m.Len()-1))
	repair(data, int(le.Uint32(data[12:])))
	if f, err = opened(t, data, scenes.ReadOptions{}); err != nil {
		t.Fatal(err)
	}
	var b scenes.Block
	numbers := make([]uint32, scenes.BlockSize)
	if err := f.ReadGroups([]int32{0}, &b, numbers); err != nil || numbers[3] != 0 { // the larger numbers are in group 1
		t.Fatalf("triangle %d of %d, %v", numbers[3], m.Len(), err)
	}
	checkPick(t, f, []int32{0, 1, 2}, true)
	if err := f.ReadGroups([]int32{0, 1, 2}, &b, numbers); err != nil {
		t.Fatal(err)
	}
	for i := range b.Len() {
		left := i == 3 || i == GroupTriangles || i == GroupTriangles+1
		if x := b.Z[2][i]; (x != x) != left || int(numbers[i]) >= m.Len() {
			t.Errorf("triangle %d at %g has number %d", i, x, numbers[i])
		}
	}
	if err := f.Damage(); err == nil || !strings.Contains(err.Error(), "numbers: triangle") || f.Failed() != nil {
		t.Errorf("damage %v, failure %v", err, f.Failed())
	}
	for _, chunk := range []int{-1, 5, math.MaxInt32} {
		if _, err := f.Records(chunk, make([]uint32, ChunkWords)); err == nil {
			t.Errorf("chunk %d of records was read", chunk)
		}
	}
}

// TestFailure checks that errors of the operating system are returned. They do not mean damage, so the data must not be
// left out.
func TestFailure(t *testing.T) {
	m := scene(t, 5000, false)
	f, err := opened(t, written(t, m, nil), scenes.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var b scenes.Block
	if err := f.ReadGroups([]int32{0}, &b, make([]uint32, scenes.BlockSize)); err != nil { // chunks read again have room in the cache
		t.Fatal(err)
	}
	f.Close()
	if err := f.ReadGroups([]int32{0}, &b, make([]uint32, scenes.BlockSize)); !errors.Is(err, os.ErrClosed) || !errors.Is(f.Failed(), os.ErrClosed) {
		t.Errorf("%v, failure %v", err, f.Failed())
	}
	if _, err := f.Records(0, make([]uint32, ChunkWords)); !errors.Is(err, os.ErrClosed) {
		t.Error(err)
	}
	checkKept(t, f)
}

// TestSameForAnyOrder checks that the bytes of a file do not depend on the order in which tasks run.
func TestSameForAnyOrder(t *testing.T) {
	m := scene(t, 150000, false)
	one := written(t, m, nil)
	var out bytes.Buffer
	back := func(n int, do func(int)) {
		for i := range n {
			do(n - 1 - i)
		}
	}
	if err := Write(t.Context(), &out, &Contents{Mesh: m, Leaves: leaves.New(&m.Block, back), Bad: 1}); err != nil || !bytes.Equal(one, out.Bytes()) {
		t.Error("other bytes", err)
	}
}

// TestSource checks that WriteSource writes the same files as Write, with buckets of any size, and never holds a
// triangle twice.
func TestSource(t *testing.T) {
	for _, colors := range []bool{false, true} {
		m := scene(t, 150000, colors)
		shuffle(m)
		want := written(t, m, nil)
		for _, memory := range []int64{1, 1 << 30} {
			temporary, err := os.Create(filepath.Join(t.TempDir(), "order"))
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			last := int64(0)
			err = WriteSource(t.Context(), &out, m, SourceOptions{Temporary: temporary, Memory: memory, Bad: 1, Workers: 2, Progress: func(done, total int64) {
				if last = done; done > total {
					t.Errorf("%d of %d", done, total)
				}
			}})
			if err != nil || !bytes.Equal(out.Bytes(), want) {
				t.Errorf("colours %v, memory %d: %d bytes, want %d, %v", colors, memory, out.Len(), len(want), err)
			}
			if last != passes*int64(m.Len()) {
				t.Errorf("progress ends at %d", last)
			}
			temporary.Close()
		}
	}
}

// shuffle puts the triangles of a mesh into a random order.
func shuffle(m *scenes.Mesh) {
	random := rand.New(rand.NewPCG(4, 4))
	for i := range m.Len() {
		j := random.IntN(i + 1)
		a, b := m.Triangle(i), m.Triangle(j)
		m.Set(i, b)
		m.Set(j, a)
	}
}

// TestSourceErrors checks that errors of reading and writing are returned.
func TestSourceErrors(t *testing.T) {
	m := scene(t, 9000, false)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	temporary, err := os.Create(filepath.Join(t.TempDir(), "order"))
	if err != nil {
		t.Fatal(err)
	}
	if err := WriteSource(ctx, new(bytes.Buffer), m, SourceOptions{Temporary: temporary}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	temporary.Close()
	if err := WriteSource(t.Context(), new(bytes.Buffer), m, SourceOptions{Temporary: temporary}); !errors.Is(err, os.ErrClosed) {
		t.Error(err)
	}
	if err := WriteSource(t.Context(), new(bytes.Buffer), nil, SourceOptions{Temporary: temporary}); err == nil {
		t.Error("no mesh was written")
	}
}

// TestMutants changes files at random places and reads all their data. Most of the changed files have correct
// checksums.
func TestMutants(t *testing.T) {
	rounds := 150
	if *long {
		rounds = 100_000
	}
	whole := [][]byte{written(t, furnished(t), nil), written(t, scene(t, 3000, false), normals(scene(t, 3000, false)))}
	random := rand.New(rand.NewPCG(rand.Uint64(), 1))
	path, read := filepath.Join(t.TempDir(), "a.lkm"), 0
	for range rounds {
		data := mutant(random, whole[random.IntN(2)])
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		opts := scenes.ReadOptions{MaxMemory: 64 << 20, Name: "a"}
		if m, _, err := format.ReadFile(t.Context(), path, opts, Format); err == nil {
			read++
			if m.Attributes != nil {
				check(t, m, fmt.Sprintf("%q", data[:min(len(data), 4000)]))
			}
		}
		s, _, err := format.Open(t.Context(), path, opts, Format)
		if err != nil {
			continue
		}
		f := s.(*File)
		var b scenes.Block
		numbers := make([]uint32, scenes.BlockSize)
		for g := range f.Len() / GroupTriangles {
			f.ReadGroups([]int32{int32(g)}, &b, numbers)
		}
		f.GroupBounds()
		f.Colors()
		s.Close()
	}
	if read == 0 {
		t.Error("no mutant was read")
	}
}

// TestReadMutants reads changed files as whole meshes, within a limit of memory.
func TestReadMutants(t *testing.T) {
	whole := [][]byte{written(t, furnished(t), nil), written(t, scene(t, 3000, false), normals(scene(t, 3000, false)))}
	meshtest.MutantsBy(t, Format, func(r *rand.Rand) string { return string(mutant(r, whole[r.IntN(2)])) })
}

// mutant changes a few bytes or numbers of a file, or truncates it.
func mutant(random *rand.Rand, whole []byte) []byte {
	data := slices.Clone(whole)
	meta := int(binary.LittleEndian.Uint32(data[12:]))
	for range 1 + random.IntN(3) {
		at := random.IntN(len(data))
		if random.IntN(2) == 0 {
			at = headerSize + random.IntN(meta)
		}
		switch random.IntN(4) {
		case 0:
			data[at] = byte(random.Uint32())
		case 1:
			data[at] ^= 1 << random.IntN(8)
		case 2: // change a digit
			digits := regexp.MustCompile(`[0-9]`).FindAllIndex(data[headerSize:headerSize+meta], -1)
			data[headerSize+digits[random.IntN(len(digits))][0]] = '0' + byte(random.IntN(10))
		case 3:
			from := data[random.IntN(len(data)):]
			copy(data[at:], from[:min(random.IntN(40), len(from))])
		}
	}
	if random.IntN(10) == 0 {
		return data[:random.IntN(len(data))]
	}
	if random.IntN(4) > 0 {
		repair(data, meta)
	}
	return data
}

// repair corrects the checksums of a file.
func repair(data []byte, meta int) {
	le := binary.LittleEndian
	le.PutUint32(data[12:], uint32(meta))
	le.PutUint32(data[16:], checksum(data[headerSize:headerSize+meta]))
	le.PutUint32(data[60:], checksum(data[:60]))
	var d description
	if err := json.Unmarshal(data[headerSize:headerSize+meta], &d); err != nil || d.check() != nil {
		return
	}
	at := int64(headerSize + meta)
	var sums []uint32
	for _, s := range d.Sections {
		for from := int64(0); from < s.Words; from += s.Chunk {
			end := at + 4*min(s.Chunk, s.Words-from)
			if end > int64(len(data)) || end < at {
				return
			}
			sums = append(sums, checksum(data[at:end]))
			at = end
		}
	}
	if at+4*int64(len(sums))+4 > int64(len(data)) {
		return
	}
	swapBytes(sums)
	copy(data[at:], bytesOf(sums))
	le.PutUint32(data[at+4*int64(len(sums)):], checksum(bytesOf(sums)))
}

var long = flag.Bool("long", false, "read many more mutants")

// TestNumber checks that numbers that JSON cannot express are stored.
func TestNumber(t *testing.T) {
	for _, v := range []float64{0, -1.5, math.Inf(1), math.Inf(-1), math.NaN(), 1e300} {
		data, err := number(v).MarshalJSON()
		var back number
		if err == nil {
			err = back.UnmarshalJSON(data)
		}
		if err != nil || math.Float64bits(float64(back)) != math.Float64bits(v) && v == v || v != v && back == back {
			t.Errorf("%g: %s, %g, %v", v, data, float64(back), err)
		}
	}
}

// TestHostileDescriptions checks that wrong descriptions with correct checksums are refused.
func TestHostileDescriptions(t *testing.T) {
	m := scene(t, 2000, true)
	data := written(t, m, nil)
	meta := binary.LittleEndian.Uint32(data[12:])
	text := string(data[headerSize : headerSize+meta])
	for _, change := range [][2]string{
		{`"triangles":2`, `"triangles":9`}, {`"triangles":`, `"triangles":-`}, {`"leaves"`, `"leavez"`}, {`"chunk":16384`, `"chunk":16385`},
		{`"words":`, `"words":-`}, {`"words":`, `"words":1`}, {`"up":"z"`, `"up":"q"`}, {`"chunk":8192`, `"chunk":0`}, {`"bad":1`, `"bad":9999999`},
		{`"sections":`, `"sectionz":`}, {`{`, `[`},
	} {
		lie := strings.Replace(text, change[0], change[1], 1)
		if lie == text {
			t.Fatalf("%s is not in %s", change[0], text)
		}
		h, _ := parseHeader(data)
		h.meta, h.metaSum = uint32(len(lie)), checksum([]byte(lie))
		bad := slices.Concat(h.bytes(), []byte(lie), data[headerSize+meta:])
		if _, err := opened(t, bad, scenes.ReadOptions{}); err == nil {
			t.Errorf("%s was read", change[1])
		}
	}
}

// TestErrorsOfCallers checks that contents that do not fit together are refused.
func TestErrorsOfCallers(t *testing.T) {
	m := scene(t, 100, false)
	l := leaves.New(&m.Block, inTurn)
	other := scene(t, 200, false)
	for _, c := range []*Contents{nil, {}, {Mesh: m}, {Mesh: other, Leaves: l}, {Mesh: m, Leaves: l, Normals: make([]uint32, 5)}} {
		if err := Write(t.Context(), new(bytes.Buffer), c); err == nil {
			t.Errorf("%+v was written", c)
		}
	}
	f, fields := scenes.Finish{Specular: [3]float32{1, 1, 1}}, 0
	for _, v := range f.Numbers() {
		*v = 1
	}
	for _, x := range f.Textures() {
		*x = new(scenes.Texture)
	}
	for v := reflect.ValueOf(f); fields < v.NumField() && !v.Field(fields).IsZero(); fields++ {
	}
	if fields != reflect.TypeFor[scenes.Finish]().NumField() {
		t.Errorf("field %d of a finish is not written", fields)
	}
}
