package stl

import (
	"encoding/binary"
	"math"

	"lockstep/scenes/internal/text"
)

// evidence is what bytes say about being records of triangles.
type evidence uint8

const (
	noRecords     evidence = iota // they look like something else
	blankRecords                  // every triangle is a place-holder, as in a file of zeros
	triangleFound                 // they look like triangles
)

// judge says whether the whole records in raw look like triangles: at least
// half of those that say anything do. Of random bytes one record in 250 does,
// so a handful decides.
func judge(raw []byte) evidence {
	n, good := 0, 0
	for ; len(raw) >= recordSize; raw = raw[recordSize:] {
		r := (*[recordSize]byte)(raw)
		if blank(r) {
			continue
		}
		n++
		if ordinary(r) || directed(r) {
			good++
		}
	}
	switch {
	case n == 0:
		return blankRecords
	case 2*good >= n:
		return triangleFound
	}
	return noRecords
}

// blank reports whether a record says nothing: all coordinates are zero, or
// none is finite and the attributes are zero, which those of noise are not.
func blank(r *[recordSize]byte) bool {
	zero, wild := 0, 0
	for at := verticesAt; at < attributeAt; at += 4 {
		switch v := floatAt(r[at:]); {
		case v == 0:
			zero++
		case v-v != 0:
			wild++
		}
	}
	return zero == 9 || wild == 9 && binary.LittleEndian.Uint16(r[attributeAt:]) == 0
}

// ordinary reports whether the attributes are zero, which they are in nearly all files, and
// all coordinates are zero or between 2^-66 and 2^66 in magnitude. Nine random floats are with
// probability 0.003; those of another kind of file are, but not at the bytes between them.
func ordinary(r *[recordSize]byte) bool {
	if binary.LittleEndian.Uint16(r[attributeAt:]) != 0 {
		return false
	}
	for at := verticesAt; at < attributeAt; at += 4 {
		if v := math.Abs(float64(floatAt(r[at:]))); v != 0 && !(v > 0x1p-66 && v < 0x1p66) {
			return false
		}
	}
	return true
}

// directed reports whether the normal is zero or of unit length, as nearly
// every program writes it, and most coordinates are below 2^100. Three random
// floats are such a normal with probability 0.0005. The coordinates may thus
// be of any size, and rounding may have left 1e-21 where zero is meant.
func directed(r *[recordSize]byte) bool {
	square := 0.0
	for at := 0; at < verticesAt; at += 4 {
		v := float64(floatAt(r[at:]))
		square += float64(v * v)
	}
	if square != 0 && !(math.Abs(square-1) < 0.01) {
		return false
	}
	small := 0
	for at := verticesAt; at < attributeAt; at += 4 {
		if math.Abs(float64(floatAt(r[at:]))) < 0x1p100 {
			small++
		}
	}
	return small >= 5
}

// moreTriangles reports whether what follows the claimed number of triangles
// is triangles too, rather than padding or a note.
func moreTriangles(raw []byte) bool {
	return judge(raw) == triangleFound && !text.IsText(raw)
}
