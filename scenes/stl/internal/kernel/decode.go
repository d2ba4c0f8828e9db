package kernel

// Columns holds the coordinates of triangles in nine slices: x, y and z of the first vertex, then of the second and of
// the third. Each slice has one entry per triangle. The slices must not overlap.
type Columns [coordinates][]float32

// Decode copies the coordinates of the complete records in raw, bit by bit, to the first entries of dst. It panics if a
// slice of dst is too short.
func Decode(dst Columns, raw []byte) {
	n := len(raw) / RecordSize
	x0, y0, z0 := dst[0][:n], dst[1][:n], dst[2][:n]
	x1, y1, z1 := dst[3][:n], dst[4][:n], dst[5][:n]
	x2, y2, z2 := dst[6][:n], dst[7][:n], dst[8][:n]
	// Because of the equal lengths, the compiler omits bounds checks in the loop.
	y0, z0 = y0[:len(x0)], z0[:len(x0)]
	x1, y1, z1 = x1[:len(x0)], y1[:len(x0)], z1[:len(x0)]
	x2, y2, z2 = x2[:len(x0)], y2[:len(x0)], z2[:len(x0)]
	for t := range x0 {
		r := (*record)(raw)
		raw = raw[RecordSize:]
		x0[t], y0[t], z0[t] = floatAt(r[12:]), floatAt(r[16:]), floatAt(r[20:])
		x1[t], y1[t], z1[t] = floatAt(r[24:]), floatAt(r[28:]), floatAt(r[32:])
		x2[t], y2[t], z2[t] = floatAt(r[36:]), floatAt(r[40:]), floatAt(r[44:])
	}
}

// The method from returns the columns without their first n entries.
func (c Columns) from(n int) Columns {
	for i := range c {
		c[i] = c[i][n:]
	}
	return c
}
