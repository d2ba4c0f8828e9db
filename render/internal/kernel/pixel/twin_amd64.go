//go:build amd64 && !purego

package pixel

import (
	"lockstep/render/internal/kernel/array"
	"lockstep/vp/isa"
	"lockstep/vp/isa/race"
)

// pixelBatch is the largest number of keys for one call of the assembly loop, which cannot be preempted. That many
// keys have 128 KiB, and take about 20 microseconds if they come from memory.
const pixelBatch = 1 << 14

// batches calls do for all whole vectors of n keys or pixels, at most a batch at a time. It returns the number of keys
// or pixels after them, less than array.Lanes.
func batches(n int, do func(first, count int)) (rest int) {
	whole := n - n%array.Lanes
	for first := 0; first < whole; first += pixelBatch {
		do(first, min(pixelBatch, whole-first))
	}
	return n - whole
}

// Select returns the loops over keys for an instruction set.
func Select(level isa.Level) Loops {
	if level == isa.Generic {
		return specification
	}
	return Loops{
		Merge: func(dst, src []uint64) { mergeVectors(level, dst, src) },
		Resolve: func(pix []byte, keys []uint64, background uint32) int {
			return resolveVectors(level, pix, keys, background)
		},
		Fill: func(pix []byte, pixel uint32) { fillVectors(level, pix, pixel) },
		Even: func(pix []byte, keys []uint64, stride, grid int, background uint32) (uint64, int) {
			return evenVectors(level, pix, keys, stride, grid, background)
		},
	}
}

func mergeVectors(level isa.Level, dst, src []uint64) {
	src = src[:len(dst)]
	race.Write(dst)
	race.Write(src)
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

func resolveVectors(level isa.Level, pix []byte, keys []uint64, background uint32) (covered int) {
	pix = pix[:4*len(keys)]
	race.Write(pix)
	race.Write(keys)
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

func fillVectors(level isa.Level, pix []byte, pixel uint32) {
	pix = pix[:len(pix)/4*4]
	race.Write(pix)
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

func evenVectors(level isa.Level, pix []byte, keys []uint64, stride, grid int, background uint32) (uneven uint64, covered int) {
	n := len(pix) / 4
	whole := n - n%evenPixels
	if whole > 0 {
		race.Write(pix)
		for y := range grid {
			race.Read(keys[y*stride : y*stride+grid*whole])
		}
		a := pixelArgs{src: &keys[0], pix: &pix[0], count: int64(whole), pixel: background, stride: 8 * int64(stride)}
		switch {
		case level == isa.AVX512 && grid == 2:
			even2AVX512(&a)
		case level == isa.AVX512:
			even4AVX512(&a)
		case grid == 2:
			even2AVX2(&a)
		default:
			even4AVX2(&a)
		}
		uneven, covered = a.uneven, int(a.covered)
	}
	if whole < n {
		more, hits := Even(pix[4*whole:], keys[grid*whole:], stride, grid, background)
		uneven, covered = uneven|more<<whole, covered+hits
	}
	return uneven, covered
}
