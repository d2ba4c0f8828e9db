package pcd

import (
	"encoding/binary"
	"fmt"

	"lockstep/scenes/format"
	"lockstep/scenes/internal/indexed"
)

// compressedHead is the number of bytes before compressed points: the compressed size and the original size.
const compressedHead = 8

// mostUnpacked is the greatest factor by which LZF expands data: 3 bytes can become 264.
const mostUnpacked = 88

// readCompressed reads points that are packed column by column with LZF.
func (r *reader) readCompressed(in *format.Input) error {
	data, err := in.ReadAll()
	if err != nil {
		return err
	}
	rest, place := data[r.size:], fmt.Sprintf("byte %d", r.size)
	if len(rest) < compressedHead {
		return in.Damage(place, "the file ends before its points")
	}
	packed, whole := int64(binary.LittleEndian.Uint32(rest)), int64(binary.LittleEndian.Uint32(rest[4:]))
	rest = rest[compressedHead:]
	if packed > int64(len(rest)) || whole > mostUnpacked*packed {
		return in.Damage(place, "%d bytes of points, unpacked %d, in %d", packed, whole, len(rest))
	}
	r.mesh.Extra = int64(len(data)) + whole
	if err := in.Allow(0, r.mesh.Extra); err != nil {
		return err
	}
	values := make([]byte, whole)
	if n := unpackLZF(values, rest[:packed]); n < len(values) {
		return in.Damage(place, "the points are damaged behind byte %d of %d", n, whole)
	}
	return r.readColumnwise(values)
}

// readColumnwise reads points whose numbers are stored by columns: values holds all numbers of the first column, then
// all numbers of the second column, and so on.
func (r *reader) readColumnwise(values []byte) error {
	size := r.bytesPerPoint()
	if size == 0 {
		return nil
	}
	n := len(values) / size // number of points in values, from which the start of each column follows
	for ; r.row < r.points && r.row < uint64(n); r.row++ {
		before, k, color := 0, 0, uint32(indexed.NoColor)
		for i := range r.columns {
			c := &r.columns[i]
			at := n*before + int(r.row)*c.size*c.count
			if i == r.color {
				color = binary.LittleEndian.Uint32(values[at:]) & 0xffffff
			}
			for range c.count {
				r.values[k] = c.decodeNumber(values[at:])
				at, k = at+c.size, k+1
			}
			before += c.size * c.count
		}
		if err := r.addPoint(color); err != nil {
			return err
		}
	}
	return nil
}

// unpackLZF decodes LZF and returns the number of bytes that it has written to `to`. This number is less than len(to)
// if the data is damaged or cut off.
//
// In LZF, a control byte below 32 announces literal bytes, one more than its value. Any other control byte, together
// with the one or two bytes after it, gives the length and the distance of earlier bytes to repeat.
func unpackLZF(to, from []byte) (n int) {
	for i := 0; i < len(from) && n < len(to); {
		control := int(from[i])
		i++
		if control < 32 {
			end := i + control + 1
			if end > len(from) || n+control+1 > len(to) {
				return n
			}
			n += copy(to[n:], from[i:end])
			i = end
			continue
		}
		length := control>>5 + 2
		if length == 9 {
			if i == len(from) {
				return n
			}
			length += int(from[i])
			i++
		}
		if i == len(from) {
			return n
		}
		back := (control&31)<<8 + int(from[i]) + 1
		i++
		if back > n || n+length > len(to) {
			return n
		}
		for range length { // byte by byte, because the ranges may overlap
			to[n] = to[n-back]
			n++
		}
	}
	return n
}
