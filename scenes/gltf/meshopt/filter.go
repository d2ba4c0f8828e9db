package meshopt

import (
	"encoding/binary"
	"math"
)

// The filters convert decoded vertices, in place, into the numbers that accessors describe.

// Octahedral converts octahedral vectors to vectors of three coordinates. A vector takes `size` bytes, 4 or 8, and has
// four numbers of equal size. The fourth number is not changed.
func Octahedral(data []byte, size int) error {
	if size != 4 && size != 8 {
		return errSize
	}
	for ; len(data) >= size; data = data[size:] {
		var v [3]float64
		for c := range v {
			if size == 4 {
				v[c] = float64(int8(data[c]))
			} else {
				v[c] = float64(int16(binary.LittleEndian.Uint16(data[2*c:])))
			}
		}
		v[2] -= math.Abs(v[0]) + math.Abs(v[1])
		fold := math.Min(v[2], 0)
		for c := range 2 { // unfold the lower half of the octahedron
			if v[c] >= 0 {
				v[c] += fold
			} else {
				v[c] -= fold
			}
		}
		length := math.Sqrt(v[0]*v[0] + v[1]*v[1] + v[2]*v[2])
		for c := range v {
			if size == 4 {
				data[c] = byte(int8(scaled(v[c], 127, length)))
			} else {
				binary.LittleEndian.PutUint16(data[2*c:], uint16(int16(scaled(v[c], 32767, length))))
			}
		}
	}
	return nil
}

// scaled returns component v of a vector, rounded, after the vector was scaled from `length` to `most`.
func scaled(v, most, length float64) float64 {
	if !(length > 0) {
		return 0
	}
	return math.Round(v * most / length)
}

// Quaternion converts rotations to quaternions of four int16. A rotation is stored as the three smaller components of
// its quaternion and the index of the largest one.
func Quaternion(data []byte, size int) error {
	if size != 8 {
		return errSize
	}
	for ; len(data) >= size; data = data[size:] {
		var q [4]int16
		for c := range q {
			q[c] = int16(binary.LittleEndian.Uint16(data[2*c:]))
		}
		scale := 1 / (math.Sqrt2 * float64(q[3]|3))
		x, y, z := float64(q[0])*scale, float64(q[1])*scale, float64(q[2])*scale
		w := math.Sqrt(math.Max(0, 1-x*x-y*y-z*z))
		for i, v := range [4]float64{w, x, y, z} {
			at := (int(q[3]&3) + i) & 3
			binary.LittleEndian.PutUint16(data[2*at:], uint16(int16(math.Round(v*32767))))
		}
	}
	return nil
}

// Exponential converts numbers with 24 bits of mantissa and 8 bits of exponent to float32.
func Exponential(data []byte, size int) error {
	if size <= 0 || size%4 != 0 {
		return errSize
	}
	for ; len(data) >= 4; data = data[4:] {
		v := int32(binary.LittleEndian.Uint32(data))
		f := float32(math.Ldexp(float64(v<<8>>8), int(v>>24)))
		binary.LittleEndian.PutUint32(data, math.Float32bits(f))
	}
	return nil
}

// Color converts colours of luma, two chromas and alpha to red, green, blue and alpha. The results use the full range
// of values. A colour takes `size` bytes, 4 or 8, and each component takes a quarter of them. The highest set bit of
// the alpha tells how many bits the encoder has kept. The alpha itself has one bit less.
func Color(data []byte, size int) error {
	if size != 4 && size != 8 {
		return errSize
	}
	for ; len(data) >= size; data = data[size:] {
		if size == 4 {
			c := convertColor(int(data[0]), int(int8(data[1])), int(int8(data[2])), int(data[3]), math.MaxUint8)
			for i, v := range c {
				data[i] = byte(v)
			}
			continue
		}
		var in [4]uint16
		for i := range in {
			in[i] = binary.LittleEndian.Uint16(data[2*i:])
		}
		c := convertColor(int(in[0]), int(int16(in[1])), int(int16(in[2])), int(in[3]), math.MaxUint16)
		for i, v := range c {
			binary.LittleEndian.PutUint16(data[2*i:], uint16(v))
		}
	}
	return nil
}

// convertColor converts one colour as described at Color. `most` is the largest value of a component of the result.
func convertColor(luma, orange, green, alpha, most int) (c [4]int) {
	kept := alpha
	for shift := 1; shift < 16; shift *= 2 {
		kept |= kept >> shift
	}
	if kept == 0 {
		return c // no encoder writes such a colour
	}
	alpha = alpha<<1&kept | alpha&1 // extends alpha to as many bits as the other components
	scale := float32(most) / float32(kept)
	for i, v := range [4]int{luma + orange - green, luma + green, luma - orange - green, alpha} {
		c[i] = min(max(int(float32(float32(v)*scale)+0.5), 0), most)
	}
	return c
}
