package nbody

// edges returns thin strips along the edges of the box from the origin, two triangles each: 4 in the plane
// of x and z, which is the picture's, 24 in space, where each edge has two strips at right angles, of which
// one is seen from anywhere.
func edges(side float64, dim int) (strips [][3][3]float32) {
	axes := []int{0, 2}
	if dim == 3 {
		axes = []int{0, 1, 2}
	}
	for _, along := range axes {
		var across []int
		for _, a := range axes {
			if a != along {
				across = append(across, a)
			}
		}
		for corner := range 1 << len(across) {
			var from [3]float64
			for k, a := range across {
				from[a] = side * float64(corner>>k&1)
			}
			for _, a := range across {
				strips = append(strips, strip(from, along, a, side)...)
			}
		}
	}
	return strips
}

// strip returns the two triangles of a strip from a place along one axis, which is wide along another.
func strip(from [3]float64, along, wide int, side float64) [][3][3]float32 {
	width := side / 400 // a pixel
	var c [4][3]float32
	for k := range c {
		at := from
		at[along] += side * float64(k>>1)
		at[wide] += width * (float64(k&1) - 0.5)
		c[k] = [3]float32{float32(at[0]), float32(at[1]), float32(at[2])}
	}
	return [][3][3]float32{{c[0], c[1], c[2]}, {c[2], c[1], c[3]}}
}
