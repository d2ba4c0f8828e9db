package render_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"lockstep/lb"
	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/scenes"
	"lockstep/vp/machine"
)

// A lyingFile is a prepared file whose numbers can be changed. Its checksums are then repaired.
type lyingFile struct {
	data     []byte
	sections []struct{ Words, Chunk int }
	starts   []int // offsets of the sections, in bytes
}

func lying(t *testing.T, data []byte) *lyingFile {
	t.Helper()
	f := &lyingFile{data: bytes.Clone(data)}
	meta := int(binary.LittleEndian.Uint32(data[12:]))
	var d struct {
		Sections []struct{ Words, Chunk int }
	}
	if err := json.Unmarshal(data[64:64+meta], &d); err != nil {
		t.Fatal(err)
	}
	f.sections = d.Sections
	at := 64 + meta
	for _, s := range d.Sections {
		f.starts = append(f.starts, at)
		at += 4 * s.Words
	}
	return f
}

// change replaces the numbers of a section.
func (f *lyingFile) change(section int, to func(word uint32) uint32) {
	for i := range f.sections[section].Words {
		p := f.data[f.starts[section]+4*i:]
		binary.LittleEndian.PutUint32(p, to(binary.LittleEndian.Uint32(p)))
	}
}

// corners returns which words of the leaves hold corners, the indices of vertices in groups.
func (f *lyingFile) corners() []bool {
	const leaves, bounds, counts = 0, 2, 3 // sections
	is, chunk, at := make([]bool, f.sections[leaves].Words), f.sections[leaves].Chunk, 0
	for group := range f.sections[bounds].Words / 6 {
		vertices := int(f.data[f.starts[counts]+group])
		first, end := at+3*vertices, at+3*vertices+3*64/4
		if at/chunk != (end-1)/chunk { // the group begins the next chunk
			rest := chunk - at%chunk
			first, end = first+rest, end+rest
		}
		for i := first; i < end; i++ {
			is[i] = true
		}
		at = end
	}
	return is
}

// repaired returns the file with correct checksums.
func (f *lyingFile) repaired() []byte {
	table := crc32.MakeTable(crc32.Castagnoli)
	var sums []byte
	end := 0
	for i, s := range f.sections {
		for from := 0; from < s.Words; from += s.Chunk {
			at := f.starts[i] + 4*from
			end = at + 4*min(s.Chunk, s.Words-from)
			sums = binary.LittleEndian.AppendUint32(sums, crc32.Checksum(f.data[at:end], table))
		}
	}
	sums = binary.LittleEndian.AppendUint32(sums, crc32.Checksum(sums, table))
	return append(bytes.Clone(f.data[:end]), sums...)
}

// The function lie returns a wrong number to replace word.
func lie(random *rand.Rand, word uint32) uint32 {
	some := []float32{0, -1, 1, 1e-30, 1e30, -1e30, 3e38, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()), 7, 100}
	switch random.IntN(4) {
	case 0:
		return math.Float32bits(some[random.IntN(len(some))])
	case 1:
		return random.Uint32()
	case 2:
		return uint32(random.IntN(30_000))
	}
	return word ^ 1<<random.IntN(32)
}

// TestStoredLies draws files with correct checksums and wrong numbers. Nothing may panic, and the same renderers must
// draw another file correctly afterwards.
func TestStoredLies(t *testing.T) {
	mesh := bumpy(130, 90)
	mesh.Colors = make([]uint32, mesh.Len())
	for i := range mesh.Colors {
		mesh.Colors[i] = uint32(i) * 0x050301 & 0xffffff
	}
	s, err := render.NewSurface(t.Context(), mesh, render.SurfaceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := s.WritePrepared(t.Context(), &out, 0, 2); err != nil {
		t.Fatal(err)
	}
	good := storedBytes(t, out.Bytes(), 0)
	rounds := 4 // one file of each kind
	if *long {
		rounds = 100
	}
	seed := rand.Uint64()
	defer func() {
		var failure *machine.PanicError
		if r := recover(); r != nil {
			if err, ok := r.(error); ok && errors.As(err, &failure) {
				r = failure.String()
			}
			t.Fatalf("seed %d: %v", seed, r)
		}
	}()
	random := rand.New(rand.NewPCG(seed, 5))
	for round := range rounds {
		f := lying(t, out.Bytes())
		liesIn(f, round%4, random)
		bad := storedBytes(t, f.repaired(), int64(random.IntN(3))<<20)
		for _, policy := range []lb.Policy{lb.Always, lb.Never} {
			o, isas := leafOptions(random.IntN(10), random), levels(t)
			o.ISA, o.Workers = isas[random.IntN(len(isas))], 2
			checkLies(t, []scenes.Source{bad, bad, good}, s, o, policy, cameraOf(t, random.IntN(4), random, mesh, o))
		}
	}
}

// checkLies draws files with one renderer. The last file is correct, and its picture is compared with that of the
// surface.
func checkLies(t *testing.T, files []scenes.Source, s *render.Surface, o render.Options, policy lb.Policy, cam render.Camera) {
	t.Helper()
	r := newRenderer(t, o)
	render.SetLeaves(r, policy, 1)
	pic, want := new(render.Picture), new(render.Picture)
	for _, f := range files {
		if _, err := r.Frame(t.Context(), f, cam, pic); err != nil && !errors.Is(err, render.ErrBlank) {
			t.Fatal(err)
		}
	}
	if _, err := newRenderer(t, o).Frame(t.Context(), s, cam, want); err != nil && !errors.Is(err, render.ErrBlank) {
		t.Fatal(err)
	}
	checkSame(t, pic, want)
}

// liesIn changes some numbers of a file: those of triangles, those of boxes, all other numbers, or all numbers. In half
// of the files it keeps corners, because a chunk of leaves is not drawn at all if a corner refers to no vertex.
func liesIn(f *lyingFile, kind int, random *rand.Rand) {
	share := []int{1, 2, 50, 1000}[random.IntN(4)]
	some := func(word uint32) uint32 {
		if random.IntN(share) > 0 {
			return word
		}
		return lie(random, word)
	}
	const leaves, bounds, counts, numbers = 0, 2, 3, 4 // sections; a file with other counts of vertices is refused
	corners, kept := f.corners(), random.IntN(2) == 0
	for section := range f.sections {
		at := -1
		f.change(section, func(word uint32) uint32 {
			of := 2
			at++
			switch section {
			case numbers:
				of = 0
			case bounds:
				of = 1
			case counts:
				return word
			case leaves:
				if kept && corners[at] {
					return word
				}
			}
			if kind == of || kind == 3 {
				return some(word)
			}
			return word
		})
	}
}

// TestForeignCorners draws a file in which the corners of a group refer to vertices that the group does not have. The
// triangles of the group's chunk must count as dropped, whether frames leave out triangles between samples or not.
func TestForeignCorners(t *testing.T) {
	s := &render.Surface{Mesh: bumpy(130, 90)}
	var out bytes.Buffer
	if err := s.WritePrepared(t.Context(), &out, 0, 2); err != nil {
		t.Fatal(err)
	}
	f := lying(t, out.Bytes())
	const leaves, counts = 0, 3 // sections
	corners, vertices, at := f.corners(), uint32(f.data[f.starts[counts]]), uint32(0)
	f.change(leaves, func(word uint32) uint32 {
		if at++; at <= 3*vertices+3*64/4 && corners[at-1] { // a corner of the first group
			return vertices * 0x01010101
		}
		return word
	})
	var dropped []int64
	for _, size := range []int{16, 1000} {
		for _, isa := range levels(t) {
			o := render.Options{Width: size, Height: size, ISA: isa}
			r, file := newRenderer(t, o), storedBytes(t, f.repaired(), 0)
			render.SetLeaves(r, lb.Always, 1)
			for range 2 { // the file caches chunks that are read again
				stats, err := r.Frame(t.Context(), file, fitted(t, s.Mesh, o, camera.Options{}), new(render.Picture))
				if err != nil || file.Damage() == nil {
					t.Errorf("error %v, damage %v", err, file.Damage())
				}
				dropped = append(dropped, stats.Triangles.Dropped)
			}
		}
	}
	if dropped[0] < 64 || len(slices.Compact(dropped)) > 1 {
		t.Errorf("%d triangles dropped, want the same number each time, at least 64", dropped)
	}
}
