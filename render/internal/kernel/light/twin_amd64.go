//go:build amd64 && !purego

package light

import (
	"lockstep/vp/isa"
	"lockstep/vp/isa/race"
)

func selectLoop(level isa.Level) Loop {
	if level == isa.Generic {
		return nil
	}
	return func(v *View, b *Batch) {
		a := lightArgs{
			columns: &b.Columns[0][0], points: int64(b.N),
			origin: v.Origin, originX: v.OriginX, originY: v.OriginY,
			forward: v.Forward, forwardX: v.ForwardX, forwardY: v.ForwardY,
			key: v.Key, fill: v.Fill, rim: v.Rim, up: v.Up,
		}
		if level == isa.AVX512 {
			lightAVX512(&a)
		} else {
			lightAVX2(&a)
		}
		race.Write(b.Columns[Color:])
	}
}
