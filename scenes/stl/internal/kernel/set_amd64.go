//go:build amd64 && !purego

package kernel

import (
	"lockstep/vp/isa"
	"lockstep/vp/isa/race"
)

// vectorize replaces the functions of `set` by functions in assembly for an instruction set.
func vectorize(set *Set, level isa.Level) {
	set.Level = level
	switch level {
	case isa.AVX512:
		set.Summarize, set.Decode = summarizeAVX512, decodeAVX512
	case isa.AVX2:
		set.Summarize, set.Decode = summarizeAVX2, decodeAVX2
	}
}

// batch limits the records of one call into assembly, because such a call cannot be preempted. A batch has 205 KB and
// takes about 10 microseconds if it comes from memory.
const batch = 4096

func decodeAVX512(dst Columns, raw []byte) { decodeVectors(isa.AVX512, dst, raw) }
func decodeAVX2(dst Columns, raw []byte)   { decodeVectors(isa.AVX2, dst, raw) }

// decodeVectors does the same as Decode. Assembly handles full vectors of records, and Decode handles the rest.
func decodeVectors(level isa.Level, dst Columns, raw []byte) {
	n := len(raw) / RecordSize
	for i := range dst {
		dst[i] = dst[i][:n]
		race.Write(dst[i])
	}
	race.Read(raw)
	whole := n - n%level.Lanes()
	for first := 0; first < whole; first += batch {
		a := decodeArgs{raw: &raw[first*RecordSize], count: int64(min(batch, whole-first))}
		for i := range dst {
			a.columns[i] = &dst[i][first]
		}
		if level == isa.AVX512 {
			decodeRecordsAVX512(&a)
		} else {
			decodeRecordsAVX2(&a)
		}
	}
	Decode(dst.from(whole), raw[whole*RecordSize:])
}

func summarizeAVX512(raw []byte) Summary { return summarizeVectors(isa.AVX512, raw) }
func summarizeAVX2(raw []byte) Summary   { return summarizeVectors(isa.AVX2, raw) }

// summarizeVectors does the same as Summarize. Assembly handles most records. Plain Go handles groups of records with a
// NaN or an infinity, and the records that do not fill the last vector.
func summarizeVectors(level isa.Level, raw []byte) Summary {
	race.Read(raw)
	s := emptySummary()
	n := len(raw) / RecordSize
	whole := n - n%unroll
	for first := 0; first < whole; {
		a := summaryArgs{raw: &raw[first*RecordSize], count: int64(min(batch, whole-first))}
		if level == isa.AVX512 {
			summarizeRecordsAVX512(&a)
		} else {
			summarizeRecordsAVX2(&a)
		}
		s.join(&a)
		first += int(a.done)
		if a.done < a.count {
			bad := min(group, int(a.count-a.done))
			s.addRecords(raw[first*RecordSize:(first+bad)*RecordSize], first)
			first += bad
		}
	}
	s.addRecords(raw[whole*RecordSize:], whole)
	s.unsignZeros()
	return s
}

// join adds the results of a call into assembly to s.
func (s *Summary) join(a *summaryArgs) {
	for i := range coordinates {
		c := i % 3
		s.Lo[c] = min(s.Lo[c], a.lo[i])
		s.Hi[c] = max(s.Hi[c], a.hi[i])
	}
	s.MarkedAnd &= uint16(a.markedAnd)
	s.MarkedOr |= uint16(a.markedOr)
	s.Plain |= uint16(a.plain)
}
