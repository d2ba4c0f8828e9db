package render_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"testing"

	"lockstep/lb"
	"lockstep/render"
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

// liesIn changes some numbers of a file: those of triangles, those of boxes, all other numbers, or all numbers.
func liesIn(f *lyingFile, kind int, random *rand.Rand) {
	share := []int{1, 2, 50, 1000}[random.IntN(4)]
	some := func(word uint32) uint32 {
		if random.IntN(share) > 0 {
			return word
		}
		return lie(random, word)
	}
	const bounds, counts, numbers = 2, 3, 4 // sections; a file with other counts of vertices is refused
	for section := range f.sections {
		f.change(section, func(word uint32) uint32 {
			of := 2
			switch section {
			case numbers:
				of = 0
			case bounds:
				of = 1
			case counts:
				return word
			}
			if kind == of || kind == 3 {
				return some(word)
			}
			return word
		})
	}
}
