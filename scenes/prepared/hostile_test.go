package prepared

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/leaves"
)

// described returns a file with a changed description and correct checksums.
func described(data []byte, change func(text string) string) []byte {
	meta := binary.LittleEndian.Uint32(data[12:])
	lie := change(string(data[headerSize : headerSize+meta]))
	h, _ := parseHeader(data)
	h.meta, h.metaSum = uint32(len(lie)), checksum([]byte(lie))
	return slices.Concat(h.bytes(), []byte(lie), data[headerSize+meta:])
}

// TestBombs checks that descriptions with lists of very many tiny elements are refused before the elements need many
// times the memory of the text.
func TestBombs(t *testing.T) {
	data := written(t, scene(t, 2000, true), nil)
	const size = 1 << 20
	for _, list := range []string{
		`"parts":[`, `"sections":[`, `"attributes":{"materials":[`, `"attributes":{"fields":[`, `"attributes":{"textures":[`,
		`"attributes":{"pictures":[`,
	} {
		for _, element := range []string{"null", "{}", "1", "[]"} {
			bad := described(data, func(text string) string {
				end := "]" + strings.Repeat("}", strings.Count(list, "{"))
				return text[:len(text)-1] + "," + list + strings.Repeat(element+",", size/(len(element)+1)) + element + end + "}"
			})
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := opened(t, bad, scenes.ReadOptions{})
			runtime.ReadMemStats(&after)
			var damage *scenes.DamageError
			if took := after.TotalAlloc - before.TotalAlloc; !errors.As(err, &damage) || took > 40*size {
				t.Errorf("%s%s: %v, after %d MiB", list, element, err, took>>20)
			}
		}
	}
	var limit *scenes.LimitError
	if _, err := opened(t, data, scenes.ReadOptions{MaxMemory: 1000}); !errors.As(err, &limit) {
		t.Errorf("a description larger than memory: %v", err)
	}
}

// TestSharedPixels checks that pictures that share pixels are refused, because the reader would copy the pixels for
// each picture.
func TestSharedPixels(t *testing.T) {
	bad := described(written(t, furnished(t), nil), func(text string) string {
		at := strings.Index(text, `"pictures":[`) + len(`"pictures":[`)
		one := text[at : at+strings.Index(text[at:], "}")+1]
		return text[:at] + one + "," + text[at:]
	})
	var damage *scenes.DamageError
	if _, _, err := format.Read(t.Context(), bytes.NewReader(bad), scenes.ReadOptions{}, Format); !errors.As(err, &damage) {
		t.Errorf("%v", err)
	}
}

// TestLeastChunk checks that chunks that are too small are refused.
func TestLeastChunk(t *testing.T) {
	m := furnished(t)
	d, _, err := (&Contents{Mesh: m}).describe(1 << 12)
	if err != nil {
		t.Fatal(err)
	}
	last := &d.Sections[len(d.Sections)-1]
	for chunk, right := range map[int64]bool{leastChunk: true, leastChunk - 1: false, 1: false, 0: false, ChunkWords + 1: false} {
		last.Chunk = chunk
		if err := d.check(); (err == nil) != right {
			t.Errorf("chunks of %d: %v", chunk, err)
		}
	}
}

// TestHostileNumbers checks that an origin, a unit, a crease angle or a box that is not finite is refused. A number of
// vertices that is negative or too large for an index must also be refused. Both the reader and the writer are tested.
func TestHostileNumbers(t *testing.T) {
	data := written(t, furnished(t), nil)
	for _, c := range [][2]string{
		{`"origin":[`, `"origin":["NaN",0,0],"was":[`}, {`"origin":[`, `"origin":[0,"+Inf",0],"was":[`}, {`"up"`, `"unit":"NaN","up"`},
		{`"up"`, `"unit":-1,"up"`}, {`"up"`, `"unit":"+Inf","up"`}, {`"up"`, `"crease":"NaN","up"`},
		{`"up"`, `"box":[["NaN",0,0],[1,1,1]],"up"`}, {`"up"`, `"box":[[0,0,0],[1,1,"+Inf"]],"up"`}, {`"up"`, `"box":[[0,2,0],[1,1,1]],"up"`},
		{`"vertices":`, `"vertices":-1`}, {`"vertices":`, `"vertices":4294967297,"was":`},
	} {
		bad := described(data, func(text string) string {
			cut := regexp.MustCompile(`"unit":[^,]*,|"crease":[^,]*,|"box":\[\[.*?\]\],`)
			if c[0] == `"up"` {
				text = cut.ReplaceAllString(text, "")
			}
			return strings.Replace(text, c[0], c[1], 1)
		})
		var damage *scenes.DamageError
		if _, _, err := format.Read(t.Context(), bytes.NewReader(bad), scenes.ReadOptions{}, Format); !errors.As(err, &damage) || errors.Is(err, errReference) {
			t.Errorf("%s: %v", c[1], err)
		}
	}
	var limit *scenes.LimitError
	many := described(data, func(text string) string { return strings.Replace(text, `"vertices":`, `"vertices":40000000`, 1) })
	if _, _, err := format.Read(t.Context(), bytes.NewReader(many), scenes.ReadOptions{MaxMemory: 1 << 30}, Format); !errors.As(err, &limit) {
		t.Errorf("many vertices: %v", err)
	}
	m := scene(t, 100, false)
	m.Unit = math.Inf(1)
	if err := Write(t.Context(), new(bytes.Buffer), &Contents{Mesh: m, Leaves: leaves.New(&m.Block, inTurn)}); err == nil {
		t.Error("an infinite unit was written")
	}
}

// TestHostileMaterials checks that all numbers of materials are finite after reading.
func TestHostileMaterials(t *testing.T) {
	for _, lie := range []string{`"NaN"`, `"+Inf"`, `"-Inf"`, "1e300"} {
		bad := described(written(t, furnished(t), nil), func(text string) string {
			at := strings.Index(text, `"materials":`)
			end := at + strings.Index(text[at:], `"pictures":`)
			list := regexp.MustCompile(`("base":|"emission":|"numbers":|"cutoff":)(\[?)[-0-9.e]+`)
			return text[:at] + list.ReplaceAllString(text[at:end], "${1}${2}"+lie) + text[end:]
		})
		m, _, err := format.Read(t.Context(), bytes.NewReader(bad), scenes.ReadOptions{}, Format)
		if err != nil {
			t.Fatal(err)
		}
		finished := false
		for i := range m.Attributes.Materials {
			m := &m.Attributes.Materials[i]
			numbers := append([]float32{m.AlphaCutoff}, append(m.BaseColor[:], m.Emission[:]...)...)
			if m.Finish != nil {
				finished = true
				for _, v := range m.Finish.Numbers() {
					numbers = append(numbers, *v)
				}
			}
			for _, v := range numbers {
				if v-v != 0 {
					t.Errorf("%s: material %d: %+v", lie, i, m)
					break
				}
			}
		}
		if !finished {
			t.Error("no material has a finish")
		}
	}
}

// A readSizes is a temporary file that records the largest number of bytes that were read at once.
type readSizes struct {
	*os.File
	most int
}

func (r *readSizes) ReadAt(p []byte, off int64) (int, error) {
	r.most = max(r.most, len(p))
	return r.File.ReadAt(p, off)
}

// TestOneCell checks that no more triangles than memory allows are sorted at once, even if all of them are in one cell.
func TestOneCell(t *testing.T) {
	n := leastBucket + 5000
	m := &scenes.Mesh{Block: scenes.MakeBlock(n)}
	for i := range n {
		m.X[1][i], m.Y[2][i] = 1, 1
	}
	file, err := os.Create(filepath.Join(t.TempDir(), "order"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	temporary := &readSizes{File: file}
	var out bytes.Buffer
	if err := WriteSource(t.Context(), &out, m, SourceOptions{Temporary: temporary, Memory: 1}); err != nil {
		t.Fatal(err)
	}
	if want := leastBucket * (flatWords + 1) * 4; temporary.most > want {
		t.Errorf("%d bytes were read at once, more than %d", temporary.most, want)
	}
	f, err := opened(t, out.Bytes(), scenes.ReadOptions{})
	if err != nil || f.Len() != n {
		t.Fatalf("%d triangles, %v", f.Len(), err)
	}
	var b scenes.Block
	numbers := make([]uint32, scenes.BlockSize)
	for g := range (n + GroupTriangles - 1) / GroupTriangles {
		if err := f.ReadGroups([]int32{int32(g)}, &b, numbers); err != nil || int(numbers[0]) != g*GroupTriangles {
			t.Fatalf("group %d begins with triangle %d, %v", g, numbers[0], err)
		}
	}
}

// TestReadLimit checks that a mesh needs exactly the memory for its contents, its description and its checksums. With
// one byte less, the read must fail.
func TestReadLimit(t *testing.T) {
	for _, colors := range []bool{false, true} {
		m := scene(t, 5000, colors)
		data := written(t, m, normals(m))
		path := filepath.Join(t.TempDir(), "a.lkm")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		h, err := parseHeader(data)
		if err != nil {
			t.Fatal(err)
		}
		kept := memoryShare*int64(h.meta) + 13*int64(h.sums)
		need := kept + int64(m.Len())*scenes.TriangleBytes
		if colors {
			need += int64(m.Len()) * scenes.ColorBytes
		}
		got, _, err := format.ReadFile(t.Context(), path, scenes.ReadOptions{MaxMemory: need}, Format)
		if err != nil {
			t.Fatal(err)
		}
		same(t, got, m)
		var limit *scenes.LimitError
		if _, _, err := format.ReadFile(t.Context(), path, scenes.ReadOptions{MaxMemory: need - 1}, Format); !errors.As(err, &limit) {
			t.Errorf("a byte less: %v", err)
		}
		need = kept + (24+8)*int64(groupsOf(m.Len())) // box and place of each group
		if _, err := opened(t, data, scenes.ReadOptions{MaxMemory: need}); err != nil {
			t.Error(err)
		}
		if _, err := opened(t, data, scenes.ReadOptions{MaxMemory: need - 1}); !errors.As(err, &limit) {
			t.Errorf("opened in a byte less: %v", err)
		}
	}
}

// TestReadLimitOfAttributes checks that a list counts twice only if the mesh stores it in another form than the file.
func TestReadLimitOfAttributes(t *testing.T) {
	m := furnished(t)
	path := filepath.Join(t.TempDir(), "a.lkm")
	data := written(t, m, normals(m))
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	h, err := parseHeader(data)
	if err != nil {
		t.Fatal(err)
	}
	n, a := int64(m.Len()), m.Attributes
	need := memoryShare*int64(h.meta) + 13*int64(h.sums) + n*scenes.TriangleBytes
	if m.Colors != nil {
		need += n * scenes.ColorBytes
	}
	need += 4 * 3 * 4 * n                                           // columns: vertices (normals share these), colours, two sets of texture coordinates
	need += 4*17 + 4*n                                              // fields
	need += 2 * (4*n + 17*12 + 2*4 + 5*8)                           // materials of triangles, and values of attributes
	need += 2*int64(len(a.Materials[0].Texture.Picture.Pix)) + 17*4 // pixels, and lists of vertices
	got, _, err := format.ReadFile(t.Context(), path, scenes.ReadOptions{MaxMemory: need}, Format)
	if err != nil || got.Len() != m.Len() {
		t.Error(err)
	}
	var limit *scenes.LimitError
	if _, _, err := format.ReadFile(t.Context(), path, scenes.ReadOptions{MaxMemory: need - 1}, Format); !errors.As(err, &limit) {
		t.Errorf("a byte less: %v", err)
	}
}
