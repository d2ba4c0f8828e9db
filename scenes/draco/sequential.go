package draco

// readSequential reads triangles that are stored as the numbers of their three points.
func (d *decoder) readSequential() {
	faces, points := d.versionedUint(version22), d.versionedUint(version22)
	method := d.u8()
	if d.err != nil {
		return
	}
	if faces > maxPoints || points > maxPoints {
		d.fail("%d triangles of %d points", faces, points)
		return
	}
	d.faces, d.mesh.Points = int(faces), int(points)
	least := uint64(3)
	switch {
	case points >= 1<<21:
		least *= 4
	case points >= 1<<8:
		least *= 2
	}
	switch {
	case method > 1:
		d.fail("unknown coding %d of triangles", method)
	case method == 1 && faces > uint64(d.left())/least:
		d.fail("%d triangles in %d bytes", faces, d.left())
	}
	if !d.reserveMemory(24*int64(faces)) || !d.spendWork(3*int64(faces)) {
		return
	}
	d.mesh.Triangles = make([][3]uint32, faces)
	if method == 0 {
		d.readCompressedIndices()
	} else {
		d.readPlainIndices()
	}
	for _, t := range d.mesh.Triangles {
		if uint64(max(t[0], t[1], t[2])) >= points {
			d.fail("a triangle of the points %d, of %d", t, points)
			return
		}
	}
}

// readCompressedIndices decodes indices that are stored as differences.
func (d *decoder) readCompressedIndices() {
	all := make([]int32, 3*d.faces)
	d.readSymbols(all, 1)
	at := uint32(0)
	for i := range all {
		v := uint32(all[i])
		if v&1 == 0 {
			at += v >> 1
		} else {
			at -= v >> 1
		}
		d.mesh.Triangles[i/3][i%3] = at
	}
}

// readPlainIndices reads indices without compression. Their size in bytes depends on the number of points.
func (d *decoder) readPlainIndices() {
	for i := range d.mesh.Triangles {
		for k := range 3 {
			v := &d.mesh.Triangles[i][k]
			switch points := d.mesh.Points; {
			case points < 1<<8:
				*v = uint32(d.u8())
			case points < 1<<16:
				*v = uint32(d.u16())
			case points < 1<<21 && d.version >= version22:
				*v = uint32(d.varint())
			default:
				*v = d.u32()
			}
		}
	}
}
