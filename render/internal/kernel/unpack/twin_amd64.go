//go:build amd64 && !purego

package unpack

import (
	"lockstep/render/internal/kernel/array"
	"lockstep/vp/isa"
	"lockstep/vp/isa/race"
)

func selectLoop(level isa.Level) Loop {
	switch level {
	case isa.AVX512:
		return vectors(unpackAVX512)
	case isa.AVX2:
		return vectors(unpackAVX2)
	}
	return Unpack
}

func vectors(loop func(*unpackArgs)) Loop {
	return func(records []Record, n int, spans *array.Spans) {
		spans.N = n
		if n == 0 {
			return
		}
		whole := (n + array.Lanes - 1) &^ (array.Lanes - 1)
		if whole > len(records) || n > len(spans.Start) || whole > cap(spans.Start) {
			panic("unpack: no room for whole vectors")
		}
		race.Read(records[:whole])
		race.Write(spans.Start[:n])
		race.Write(spans.Count[:n])
		race.Write(spans.Payload[:n])
		race.Write(spans.E[:n])
		race.Write(spans.DE[:n])
		a := unpackArgs{
			records: &records[0], spans: int64(n), start: &spans.Start[0], count: &spans.Count[0],
			payload: &spans.Payload[0], e: &spans.E[0], de: &spans.DE[0],
		}
		loop(&a)
	}
}
