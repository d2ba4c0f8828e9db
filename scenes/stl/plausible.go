package stl

import (
	"encoding/binary"
	"math"

	"lockstep/scenes/internal/text"
)

// An evidence tells whether bytes look like records of triangles.
type evidence uint8

const (
	noRecords     evidence = iota // the bytes look like something else
	blankRecords                  // all triangles are blank, as in a file of zeros
	triangleFound                 // the bytes look like triangles
)

// judgeRecords judges whether the complete records in raw look like triangles. At least half of the records that are
// not blank must look like triangles. Only one in 250 records of random bytes looks like a triangle, so a few records
// are enough.
func judgeRecords(raw []byte) evidence {
	n, good := 0, 0
	for ; len(raw) >= recordSize; raw = raw[recordSize:] {
		r := (*[recordSize]byte)(raw)
		if isBlank(r) {
			continue
		}
		n++
		if isOrdinary(r) || hasPlausibleNormal(r) {
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

// isBlank reports whether a record proves nothing. Such a record has coordinates that are all zero. Or it has no finite
// coordinate and zero attributes, which does not happen in random bytes.
func isBlank(r *[recordSize]byte) bool {
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

// isOrdinary reports whether a record has zero attributes, as in nearly all files, and each coordinate is zero or
// between 2^-66 and 2^66 in magnitude. Nine random floats pass with probability 0.003. Records in other files of floats
// do not pass, because they have other bytes in place of zero attributes.
func isOrdinary(r *[recordSize]byte) bool {
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

// hasPlausibleNormal reports whether the normal is zero or of unit length, as nearly every program writes it, and most
// coordinates are below 2^100. Three random floats form such a normal with probability 0.0005. Therefore coordinates
// need no lower limit. A lower limit would exclude the rounding errors, such as 1e-21, that some files have in place of
// zero.
func hasPlausibleNormal(r *[recordSize]byte) bool {
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

// hasMoreTriangles reports whether raw holds further triangles, not padding or a note. raw holds the bytes after the
// triangles that the header claims.
func hasMoreTriangles(raw []byte) bool {
	return judgeRecords(raw) == triangleFound && !text.IsText(raw)
}
