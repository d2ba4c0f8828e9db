// Command pixels generates the assembly versions of pixel.Merge, Resolve, Fill and Even.
package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	. "lockstep/render/internal/kernel/_asm/lanes"
)

func main() {
	f := NewFile("pixel", "pixelArgs", "holds the arguments and results of a vector twin of Merge, Resolve, Fill or Even.", []Field{
		{Name: "dst", Type: "*uint64"}, // keys that Merge may raise
		{Name: "src", Type: "*uint64"}, // keys that Merge or Resolve sets to 0, or that Even reads
		{Name: "pix", Type: "*byte"},
		// count is the number of keys or pixels, a multiple of Lanes.
		{Name: "count", Type: "int64"},
		{Name: "covered", Type: "int64"},
		{Name: "pixel", Type: "uint32"},  // background, or the pixel of Fill
		{Name: "stride", Type: "int64"},  // bytes from a row of samples to the next
		{Name: "uneven", Type: "uint64"}, // one bit for each pixel that Even leaves to the caller; set by Even
	})
	for _, lanes := range []int{AVX512, AVX2} {
		merge(f, lanes)
		resolve(f, lanes)
		fill(f, lanes)
		even(f, lanes, 2)
		even(f, lanes, 4)
	}
	f.Write()
}

// keysAhead is the number of bytes by which keys are prefetched ahead of their loads.
const keysAhead = 1024

// keys is the state of the generator while it emits a loop over keys.
type keys struct {
	*Lanes
	i      reg.GPVirtual // next key
	zero   Vec
	atOnce int // number of keys in an iteration: two vectors of AVX-512
}

// at returns the memory of vector v of the iteration's keys.
func (l *keys) at(pointer string, v int) operand.Mem {
	m := l.At(pointer, l.i)
	m.Scale, m.Disp = 8, v*l.Bytes()
	return m
}

// vectors returns the number of vectors that hold an iteration's keys.
func (l *keys) vectors() int { return 8 * l.atOnce / l.Bytes() }

// load loads the iteration's keys, and jumps to ifEmpty if all of them are 0.
func (l *keys) load(pointer, ifEmpty string) []Vec {
	l.Comment("Load keys.")
	loaded := make([]Vec, l.vectors())
	for v := range loaded {
		if from := l.at(pointer, v); v*l.Bytes()%64 == 0 {
			ahead := from
			ahead.Disp += keysAhead
			l.PREFETCHT0(ahead)
		}
		loaded[v] = l.Load(l.at(pointer, v))
	}
	any := loaded[0]
	for _, v := range loaded[1:] {
		any = l.OrBits(any, v)
	}
	l.JumpIfZero(any, ifEmpty)
	return loaded
}

// clear sets the iteration's keys to 0.
func (l *keys) clear(pointer string) {
	l.Comment("Empty them.")
	for v := range l.vectors() {
		l.Store(l.zero, l.at(pointer, v))
	}
}

// loop emits a loop over all keys.
func (l *keys) loop(body func()) {
	l.i, l.zero, l.atOnce = l.GP64(), l.Zero(), l.Go("Lanes")
	l.XORQ(l.i, l.i)
	count := l.Int("count")
	l.Label("loop")
	l.CMPQ(l.i, count)
	l.JGE(operand.LabelRef("done"))
	body()
	l.Label("next")
	l.ADDQ(operand.Imm(uint64(l.atOnce)), l.i)
	l.JMP(operand.LabelRef("loop"))
	l.Label("done")
}

// merge emits the loop of Merge. The loop writes only where src holds a key. Elsewhere, it only reads src.
func merge(f *File, lanes int) {
	l := &keys{Lanes: f.Function("mergeKeys", lanes, "does what Merge does.")}
	l.loop(func() {
		loaded := l.load("src", "next")
		l.Comment("Raise the others to them.")
		for v, src := range loaded {
			l.Store(l.MaxKeys(src, l.Load(l.at("dst", v))), l.at("dst", v))
		}
		l.clear("src")
	})
	l.Return()
}

// resolve emits the loop of Resolve. The loop clears only keys that are not 0.
func resolve(f *File, lanes int) {
	l := &keys{Lanes: f.Function("resolveKeys", lanes, "does what Resolve does.")}
	covered := l.Int("covered")
	background := l.Broadcast(l.Scalar("pixel"))
	pix := func(v int) operand.Mem {
		m := l.At("pix", l.i)
		m.Disp = v * l.Bytes()
		return m
	}
	l.loop(func() {
		loaded := l.load("src", "empty")
		l.Comment("Store and count the pixels that are covered.")
		for v := 0; v < len(loaded); v += 2 {
			payload, hit := l.Payloads(loaded[v], loaded[v+1], background)
			l.Store(payload, pix(v/2))
			l.POPCNTL(hit, hit)
			l.ADDQ(hit.As64(), covered)
		}
		l.clear("src")
		l.JMP(operand.LabelRef("next"))
		l.Label("empty")
		l.Comment("Background alone.")
		for v := range len(loaded) / 2 {
			l.Store(background, pix(v))
		}
	})
	l.MOVQ(covered, l.Arg("covered"))
	l.Return()
}

// fill emits the loop of Fill, which stores a multiple of Lanes pixels.
func fill(f *File, lanes int) {
	l := f.Function("fillPixels", lanes, "does what Fill does.")
	pixel := l.Broadcast(l.Scalar("pixel"))
	at, count, atOnce := l.Int("pix"), l.Int("count"), uint64(l.Go("Lanes"))
	l.Label("loop")
	for b := 0; b < 4*int(atOnce); b += l.Bytes() {
		l.Store(pixel, operand.Mem{Base: at, Disp: b})
	}
	l.ADDQ(operand.Imm(4*atOnce), at)
	l.SUBQ(operand.Imm(atOnce), count)
	l.JNZ(operand.LabelRef("loop"))
	l.Return()
}
