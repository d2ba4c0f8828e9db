//go:build amd64 && !purego

package keep

import (
	"fmt"
	"unsafe"

	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/zbuffer"
	"lockstep/vp/isa"
	"lockstep/vp/isa/race"
)

func selectLoops(level isa.Level) *Loops {
	l := &Loops{Keep: (*Rows).Keep, Unpack: Unpack}
	switch level {
	case isa.AVX512:
		l.Keep, l.Unpack = keep(keepAVX512), unpack(unpackAVX512)
	case isa.AVX2:
		l.Keep, l.Unpack = keep(keepAVX2), unpack(unpackAVX2)
	}
	l.Merge = unpacked(l.Unpack, zbuffer.Select(level))
	if level == isa.AVX512 {
		l.Merge = byLines(l.Merge)
	}
	return l
}

// maxMergeBytes limits the time of a call of the assembly loop, which cannot be preempted. When the call has merged
// that number of bytes of keys in long spans, it returns before the next vector of records. That many bytes take 20 to
// 50 microseconds.
const maxMergeBytes = 1 << 19

// byLines returns a Merge that uses whole cache lines. For keys that do not lie in whole cache lines, it calls
// `other`.
func byLines(other func([]uint64, []Record, int, *array.Spans)) func([]uint64, []Record, int, *array.Spans) {
	return func(keys []uint64, records []Record, n int, scratch *array.Spans) {
		const line = 64
		if n == 0 {
			return
		}
		if len(keys) == 0 || len(keys) > MaxRowKeys || uintptr(unsafe.Pointer(&keys[0]))%line != 0 || len(keys)%(line/8) != 0 {
			other(keys, records, n, scratch)
			return
		}
		if whole := (n + array.Lanes - 1) &^ (array.Lanes - 1); whole > len(records) {
			panic("keep: no whole vectors of records")
		}
		a := keepArgs{records: &records[0], spans: int64(n), frame: &keys[0], size: int64(len(keys))}
		for a.done < a.spans {
			a.most = maxMergeBytes
			mergeAVX512(&a)
			if a.outside != 0 {
				panic(fmt.Sprintf("keep: one of %d records leaves the frame", n))
			}
		}
		if race.Enabled {
			for _, r := range records[:n] {
				first := r[0] % MaxRowKeys
				race.Write(keys[first&^7 : (first+r[0]>>StartBits)|7+1])
			}
		}
	}
}

func keep(loop func(*keepArgs)) func(*Rows, *array.Spans) (tested, runs int64) {
	return func(b *Rows, s *array.Spans) (tested, runs int64) {
		b.NeedRoom(s.N)
		if b.Keys == 0 || uint64(b.Keys)*uint64(len(b.Next)) > MaxFrameKeys {
			panic("keep: too many keys")
		}
		whole := s.N &^ (array.Lanes - 1)
		if whole > 0 {
			a := keepArgs{
				records: &b.Records[0], before: &b.Previous[0], next: &b.Next[0], used: int64(b.Used), tileRows: int64(len(b.Next)),
				keys: int64(b.Keys), perKeys: 1 / float64(b.Keys), spans: int64(whole),
				start: &s.Start[0], count: &s.Count[0], payload: &s.Payload[0], e: &s.E[0], de: &s.DE[0],
			}
			loop(&a)
			if a.outside != 0 {
				panic(fmt.Sprintf("keep: one of %d spans lies beyond the rows of tiles", s.N))
			}
			b.Used, tested, runs = uint32(a.used), a.tested, a.runs
			race.Read(s.Start[:whole])
			race.Write(b.Next)
		}
		t, r := b.keep(s, whole)
		return tested + t, runs + r
	}
}

func unpack(loop func(*keepArgs)) func([]Record, int, *array.Spans) {
	return func(records []Record, n int, spans *array.Spans) {
		spans.N = n
		if n == 0 {
			return
		}
		whole := (n + array.Lanes - 1) &^ (array.Lanes - 1)
		if whole > len(records) || n > len(spans.Start) || whole > cap(spans.Start) {
			panic("keep: no room for whole vectors")
		}
		race.Read(records[:whole])
		race.Write(spans.Start[:n])
		race.Write(spans.Count[:n])
		race.Write(spans.Payload[:n])
		race.Write(spans.E[:n])
		race.Write(spans.DE[:n])
		a := keepArgs{
			records: &records[0], spans: int64(n), start: &spans.Start[0], count: &spans.Count[0],
			payload: &spans.Payload[0], e: &spans.E[0], de: &spans.DE[0],
		}
		loop(&a)
	}
}
