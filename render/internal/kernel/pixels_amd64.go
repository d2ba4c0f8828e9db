//go:build amd64 && !purego

package kernel

import "lockstep/vp/isa"

// pixelBatch is the most keys that one call into assembly, which cannot be
// preempted, deals with: 128 KiB, or about 20 microseconds from memory.
const pixelBatch = 1 << 14

// batches calls do for the whole vectors of n keys or pixels, a batch at a
// time, and returns how many that leaves out at the end: less than Lanes.
func batches(n int, do func(first, count int)) (rest int) {
	whole := n - n%Lanes
	for first := 0; first < whole; first += pixelBatch {
		do(first, min(pixelBatch, whole-first))
	}
	return n - whole
}

func mergeAVX512(dst, src []uint64) { mergeVectors(isa.AVX512, dst, src) }
func mergeAVX2(dst, src []uint64)   { mergeVectors(isa.AVX2, dst, src) }

func mergeVectors(level isa.Level, dst, src []uint64) {
	src = src[:len(dst)]
	raceWrite(dst)
	raceWrite(src)
	rest := batches(len(dst), func(first, count int) {
		a := pixelArgs{dst: &dst[first], src: &src[first], count: int64(count)}
		if level == isa.AVX512 {
			mergeKeysAVX512(&a)
		} else {
			mergeKeysAVX2(&a)
		}
	})
	Merge(dst[len(dst)-rest:], src[len(src)-rest:])
}

func resolveAVX512(pix []byte, keys []uint64, background uint32) int {
	return resolveVectors(isa.AVX512, pix, keys, background)
}

func resolveAVX2(pix []byte, keys []uint64, background uint32) int {
	return resolveVectors(isa.AVX2, pix, keys, background)
}

func resolveVectors(level isa.Level, pix []byte, keys []uint64, background uint32) (covered int) {
	pix = pix[:4*len(keys)]
	raceWrite(pix)
	raceWrite(keys)
	rest := batches(len(keys), func(first, count int) {
		a := pixelArgs{src: &keys[first], pix: &pix[4*first], count: int64(count), pixel: background}
		if level == isa.AVX512 {
			resolveKeysAVX512(&a)
		} else {
			resolveKeysAVX2(&a)
		}
		covered += int(a.covered)
	})
	return covered + Resolve(pix[len(pix)-4*rest:], keys[len(keys)-rest:], background)
}

func fillAVX512(pix []byte, pixel uint32) { fillVectors(isa.AVX512, pix, pixel) }
func fillAVX2(pix []byte, pixel uint32)   { fillVectors(isa.AVX2, pix, pixel) }

func fillVectors(level isa.Level, pix []byte, pixel uint32) {
	pix = pix[:len(pix)/4*4]
	raceWrite(pix)
	rest := batches(len(pix)/4, func(first, count int) {
		a := pixelArgs{pix: &pix[4*first], count: int64(count), pixel: pixel}
		if level == isa.AVX512 {
			fillPixelsAVX512(&a)
		} else {
			fillPixelsAVX2(&a)
		}
	})
	Fill(pix[len(pix)-4*rest:], pixel)
}
