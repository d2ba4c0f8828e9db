package cells

// drawBoxes draws the outer faces of a grid whose cells are boxes. Of a flat grid it draws all cells.
func (b *builder) drawBoxes() error {
	d := b.g.Dims
	quads, flat := int64(0), -1
	for axis := range 3 {
		u, v := (axis+1)%3, (axis+2)%3
		if d[axis] == 1 {
			flat = axis
		}
		quads += 2 * int64(max(0, d[u]-1)) * int64(max(0, d[v]-1))
	}
	if err := b.In.Repeated(2 * quads); err != nil {
		return err
	}
	for axis := range 3 {
		if flat >= 0 && axis != flat {
			continue
		}
		if err := b.drawSide(axis, 0, flat < 0); err != nil {
			return err
		}
		if flat < 0 {
			if err := b.drawSide(axis, d[axis]-1, false); err != nil {
				return err
			}
		}
	}
	if flat >= 0 {
		return nil
	}
	return b.drawHollows()
}

// drawSide draws the faces of cells in one plane of the grid. All grid points of this plane have index `at` along the
// axis. If turned is set, the faces point in the opposite direction.
func (b *builder) drawSide(axis, at int, turned bool) error {
	d := b.g.Dims
	u, v := (axis+1)%3, (axis+2)%3
	var cell [3]int
	cell[axis] = min(at, max(0, d[axis]-2))
	for cell[v] = range max(0, d[v]-1) {
		if err := b.In.Context().Err(); err != nil {
			return err
		}
		for cell[u] = range max(0, d[u]-1) {
			c := b.boxNumber(cell)
			if c < len(b.g.Ghost) && b.g.Ghost[c] != 0 {
				continue
			}
			if err := b.drawWall(cell, axis, at, turned); err != nil {
				return err
			}
		}
	}
	return nil
}

// boxNumber returns the number of the cell with the given indices along the axes.
func (b *builder) boxNumber(cell [3]int) int {
	d := b.g.Dims
	return cell[0] + max(1, d[0]-1)*(cell[1]+max(1, d[1]-1)*cell[2])
}

// drawWall draws the face of a cell in one plane of the grid. All grid points of this plane have index `at` along the
// axis. If turned is set, the face points in the opposite direction.
func (b *builder) drawWall(cell [3]int, axis, at int, turned bool) error {
	d := b.g.Dims
	steps := [3]int{1, d[0], d[0] * d[1]}
	u, v := steps[(axis+1)%3], steps[(axis+2)%3]
	p := cell
	p[axis] = at
	first := p[0]*steps[0] + p[1]*steps[1] + p[2]*steps[2]
	of := [4]uint32{uint32(first), uint32(first + u), uint32(first + u + v), uint32(first + v)}
	if turned {
		of[1], of[3] = of[3], of[1]
	}
	b.cell = b.boxNumber(cell)
	return b.addFace(b.cell, of[:])
}

// drawHollows draws the faces between hidden cells and their neighbours. Without them the surface would have holes.
func (b *builder) drawHollows() error {
	hidden := int64(0)
	for _, g := range b.g.Ghost {
		if g == Hidden {
			hidden++
		}
	}
	if err := b.In.Repeated(2 * 6 * hidden); err != nil || hidden == 0 {
		return err
	}
	var cell [3]int
	for cell[2] = range b.g.Dims[2] - 1 {
		for cell[1] = range b.g.Dims[1] - 1 {
			if err := b.In.Context().Err(); err != nil {
				return err
			}
			for cell[0] = range b.g.Dims[0] - 1 {
				if c := b.boxNumber(cell); c >= len(b.g.Ghost) || b.g.Ghost[c] != Hidden {
					continue
				}
				if err := b.drawHollow(cell); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// drawHollow draws the faces between one hidden cell and its neighbours.
func (b *builder) drawHollow(cell [3]int) error {
	for axis := range 3 {
		for _, step := range []int{-1, 1} {
			beside := cell
			beside[axis] += step
			if beside[axis] < 0 || beside[axis] >= b.g.Dims[axis]-1 {
				continue
			}
			if c := b.boxNumber(beside); c < len(b.g.Ghost) && b.g.Ghost[c] != 0 {
				continue
			}
			if err := b.drawWall(beside, axis, max(cell[axis], beside[axis]), step > 0); err != nil {
				return err
			}
		}
	}
	return nil
}
