package draco

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
)

// A walker writes buffers whose parts are in the right places, but whose symbols, splits, seams and predictions are
// random. Random changes of a file would seldom give such a buffer.
type walker struct {
	*rand.Rand
	out []byte
}

func (w *walker) bytes(b ...int) {
	for _, v := range b {
		w.out = append(w.out, byte(v))
	}
}

func (w *walker) varint(n int) { w.out = binary.AppendUvarint(w.out, uint64(n)) }

func (w *walker) word(n int) { w.out = binary.LittleEndian.AppendUint32(w.out, uint32(n)) }

// block writes a size and then that many bytes. The last bytes are a valid start of an entropy coder, with a state of
// at most three bytes.
func (w *walker) block(n int) {
	w.varint(n)
	for range n - 1 {
		w.bytes(w.IntN(256))
	}
	w.bytes(w.IntN(min(3, n))<<6 | w.IntN(15))
}

func (w *walker) flags(zero int) {
	w.bytes(zero)
	w.block(1 + w.IntN(30))
}

func (w *walker) anyFlags() { w.flags([]int{1, 2, 30, 128, 220, 255}[w.IntN(6)]) }

// steps writes random symbols. Only a few of the symbols join a boundary that does not exist.
func (w *walker) steps(n int) {
	var bits uint64
	used, parts := 0, 0
	put := func(symbol int) {
		width := 3
		if symbol == symbolC {
			width = 1
		}
		bits |= uint64(symbol) << used
		for used += width; used >= 8; used -= 8 {
			w.bytes(int(bits & 255))
			bits >>= 8
		}
	}
	w.varint((3*n + 15) / 8)
	end := len(w.out) + (3*n+15)/8
	for range n {
		symbol := []int{symbolC, symbolL, symbolR, symbolR, symbolL, symbolE, symbolS}[w.IntN(7)]
		if symbol == symbolS && parts < 2 {
			symbol = symbolR
		}
		if parts == 0 {
			symbol = symbolE
		}
		switch symbol {
		case symbolE:
			parts++
		case symbolS:
			parts--
		}
		put(symbol)
	}
	for len(w.out) < end {
		w.bytes(int(bits & 255))
		bits >>= 8
	}
}

// symbols writes a random number of symbols of a few kinds.
func (w *walker) symbols() {
	kinds := 1 << w.IntN(5)
	w.bytes(1, 1+w.IntN(8))
	w.varint(kinds)
	for range kinds {
		size := 1 << 12 / kinds
		w.bytes(size&63<<2|1, size>>6)
	}
	w.block(1 + w.IntN(200))
}

// walk writes a buffer of at most 40 triangles.
func (w *walker) walk() string {
	n := 1 + w.IntN(40)
	kind := []int{standardSymbols, standardSymbols, valenceSymbols}[w.IntN(3)]
	data := w.IntN(3)
	symbols, splits := n, 0
	if w.IntN(4) == 0 {
		symbols, splits = max(1, n-w.IntN(3)), min(n, w.IntN(4))
	}
	w.out = []byte(walk)
	w.bytes(kind)
	w.varint(3 * n)
	w.varint(n)
	w.bytes(data)
	w.varint(symbols)
	w.varint(min(symbols, w.IntN(9)))
	w.splits(splits, symbols)
	if kind == standardSymbols {
		w.steps(symbols)
	}
	w.flags(255 - 64*(n-symbols))
	for range data {
		w.anyFlags()
	}
	for left := symbols; kind == valenceSymbols && left >= 0; left = -1 {
		for range 6 {
			n := w.IntN(left/3 + 1)
			if w.varint(n); n > 0 {
				w.symbols()
				left -= n
			}
		}
	}
	w.attributes(data)
	return string(w.out)
}

// splits writes splits in the order of their triangles.
func (w *walker) splits(n, symbols int) {
	w.varint(n)
	last := 0
	for range n {
		step := w.IntN(max(1, symbols-last))
		last += step
		w.varint(step)
		w.varint(w.IntN(last + 1))
	}
	if n > 0 {
		w.bytes(w.IntN(256))
	}
}

// attributes writes a group for the positions, and a group for each set of seams.
func (w *walker) attributes(data int) {
	w.bytes(1 + data)
	w.bytes(255, 0, w.IntN(2))
	for i := range data {
		corner := w.IntN(2)
		w.bytes(i, corner, w.IntN(2)*(1-corner))
	}
	var kinds [][3]int // type, width, coding
	for i := range 1 + data {
		use := [][3]int{{int(Normal), 3, octahedralValues}, {int(TexCoord), 2, quantizedValues}, {int(Color), 1 + w.IntN(5), integerValues}}[w.IntN(3)]
		if i == 0 {
			use = [3]int{int(Position), 3, integerValues + w.IntN(2)}
		}
		kinds = append(kinds, use)
		w.varint(1)
		kind := Float32
		if use[2] == integerValues {
			kind = Int32
		}
		w.bytes(use[0], int(kind), use[1], 0, i, use[2])
	}
	for _, use := range kinds {
		w.values(use)
	}
}

// values writes the values of an attribute.
func (w *walker) values(use [3]int) {
	scheme, transform := []int{predictBefore, predictParallelogram, predictParallelograms}[w.IntN(3)], wrapTransform
	switch Type(use[0]) {
	case Normal:
		scheme, transform = []int{predictBefore, predictNormals}[w.IntN(2)], oldSphereTransform+w.IntN(2)
	case TexCoord:
		scheme = predictTexCoords
	}
	w.bytes(scheme, transform, 1)
	w.symbols()
	switch scheme {
	case predictParallelograms:
		for range maxParallelograms {
			n := w.IntN(30)
			if w.varint(n); n > 0 {
				w.anyFlags()
			}
		}
	case predictTexCoords:
		w.word(w.IntN(9))
		w.anyFlags()
	}
	switch transform {
	case wrapTransform:
		lo := w.IntN(1<<w.IntN(31)) - w.IntN(1<<w.IntN(31))
		w.word(lo)
		w.word(lo + w.IntN(1<<w.IntN(31)))
	case sphereTransform:
		w.word(1<<(2+w.IntN(28)) - 1)
		w.word(0)
	default:
		w.word(1<<(2+w.IntN(28)) - 1)
	}
	if scheme == predictNormals {
		w.anyFlags()
	}
	switch use[2] {
	case quantizedValues:
		for range use[1] + 1 {
			w.word(0x3f800000)
		}
		w.bytes(1 + w.IntN(30))
	case octahedralValues:
		w.bytes(2 + w.IntN(29))
	}
}

// TestWalks decodes random surfaces, a million with the flag -long. Some surfaces of each kind must be valid.
func TestWalks(t *testing.T) {
	n := 2000
	if *long {
		n = 1_000_000
	}
	w := &walker{Rand: rand.New(rand.NewPCG(1, 3))}
	whole := make(map[byte]int)
	faults := make(map[string]int)
	for range n {
		file := w.walk()
		m, err := Decode([]byte(file), Limits{})
		if err == nil {
			whole[file[len(walk)]]++
			if len(m.Triangles) == 0 || len(m.Attributes[0].Data) != 12*m.Points {
				t.Fatalf("%d triangles of %d points: %x", len(m.Triangles), m.Points, file)
			}
			continue
		}
		var damage *DamageError
		if !errors.As(err, &damage) {
			t.Fatal(err)
		}
		text := strings.Map(func(r rune) rune {
			if r >= '0' && r <= '9' {
				return -1
			}
			return r
		}, damage.Err.Error())
		faults[text]++
	}
	t.Logf("%v are surfaces; %v", whole, faults)
	if whole[standardSymbols] < n/10 || whole[valenceSymbols] < n/1000 {
		t.Errorf("%v of %d are surfaces", whole, n)
	}
}
