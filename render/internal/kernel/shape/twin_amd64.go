//go:build amd64 && !purego

package shape

import (
	"lockstep/vp/isa"
	"lockstep/vp/isa/race"
)

func selectLoop(level isa.Level) Loop {
	switch level {
	case isa.AVX512:
		return vectors(shapeAVX512, 16)
	case isa.AVX2:
		return vectors(shapeAVX2, 8)
	}
	return nil
}

func vectors(loop func(*shapeArgs), lanes int) Loop {
	return func(x, y, z *[3][]float32, first, n int, scale float32, b *Batch) int {
		n &^= lanes - 1
		if n == 0 {
			return 0
		}
		if n > Capacity {
			panic("shape: more triangles than a batch holds")
		}
		a := shapeArgs{triangles: int64(n), scale: scale, columns: &b[0][0]}
		to := [3][3]**float32{{&a.x0, &a.x1, &a.x2}, {&a.y0, &a.y1, &a.y2}, {&a.z0, &a.z1, &a.z2}}
		for axis, columns := range [3]*[3][]float32{x, y, z} {
			for k := range columns {
				column := columns[k][first : first+n]
				race.Read(column)
				*to[axis][k] = &column[0]
			}
		}
		for c := range b {
			race.Write(b[c][:n])
		}
		loop(&a)
		return n
	}
}
