//go:build amd64 && !purego

package show

import (
	"lockstep/render/internal/kernel/array"
	"lockstep/vp/isa"
	"lockstep/vp/isa/race"
)

func selectLoops(level isa.Level) *Loops {
	switch level {
	case isa.AVX512:
		return &Loops{fours(foursAVX512), distances(distancesAVX512, quotientsAVX512)}
	case isa.AVX2:
		return &Loops{fours(foursAVX2), distances(distancesAVX2, quotientsAVX2)}
	}
	return nil
}

// maxPixels is the largest number of pixels for one call of the assembly loop, which cannot be preempted.
const maxPixels = 1 << 12

func fours(loop func(*showArgs)) func(upper, lower []uint64, x int, triangles, places []uint32, nearness []float32) (points, shown int) {
	return func(upper, lower []uint64, x int, triangles, places []uint32, nearness []float32) (points, shown int) {
		pixels := len(upper) / 2 &^ (array.Lanes - 1)
		if pixels == 0 {
			return 0, 0
		}
		lower, nearness = lower[:2*pixels], nearness[:pixels]
		if room := 4*pixels + array.Lanes; len(triangles) < room || len(places) < room {
			panic("show: no room for the points of a row")
		}
		race.Read(upper)
		race.Read(lower)
		race.Write(triangles)
		race.Write(places)
		race.Write(nearness)
		a := showArgs{triangles: &triangles[0], places: &places[0]}
		for i := 0; i < pixels; i += maxPixels {
			a.upper, a.lower, a.nearness = &upper[2*i], &lower[2*i], &nearness[i]
			a.x, a.pixels = int64(x+i), int64(min(maxPixels, pixels-i))
			loop(&a)
		}
		return int(a.points), int(a.shown)
	}
}

func distances(loop, fromEye func(*showArgs)) func(nearness, to []float32, near, middle, scale float64) {
	return func(nearness, to []float32, near, middle, scale float64) {
		pixels := len(nearness) &^ (array.Lanes - 1)
		if pixels == 0 {
			return
		}
		to = to[:pixels]
		race.Read(nearness)
		race.Write(to)
		a := showArgs{near: near, middle: middle, scale: scale, product: float32(near * scale)}
		for i := 0; i < pixels; i += maxPixels {
			a.nearness, a.distances, a.pixels = &nearness[i], &to[i], int64(min(maxPixels, pixels-i))
			if middle == 0 {
				fromEye(&a)
			} else {
				loop(&a)
			}
		}
	}
}
