package indexed

import (
	"fmt"
	"math"

	"lockstep/scenes"
	"lockstep/scenes/internal/solid"
)

// keepsPoints reports whether the mesh is a cloud of points and the options ask to keep it as points.
func (m *Mesh) keepsPoints() bool {
	keep := m.in.Options.KeepPoints
	return keep > 0 && m.Cloud && m.triangles.n == 0 && m.segments.n == 0 && m.points.n > keep
}

// finishPoints is like Finish, for a cloud that is kept as points. It frees each list while it copies the list, so
// the mesh is never in memory twice.
func (m *Mesh) finishPoints(up scenes.Axis, name string) (*scenes.Mesh, *scenes.Report, error) {
	n := m.points.n
	if n > math.MaxInt32/scenes.PointTriangles {
		return nil, nil, m.in.Damage("its points", "there are more than %d", math.MaxInt32/scenes.PointTriangles)
	}
	colored := m.colors.n > 0
	bytes := int64(n) * scenes.PointBytes
	if colored {
		bytes += int64(n) * scenes.ColorBytes
	}
	if err := m.in.Allow(int64(n)*int64(scenes.PointTriangles), m.Held()+bytes); err != nil {
		return nil, nil, err
	}
	size := m.wantedSize(up)
	if size == 0 {
		size = solid.PointSize(n, m.pointAt)
	}
	all := make([]float32, 3*n)
	p := &scenes.Points{Size: float32(size), Origin: m.chooseOrigin(), Up: up}
	p.X, p.Y, p.Z = all[:n:n], all[n:2*n:2*n], all[2*n:]
	if colored {
		p.Colors = make([]uint32, n)
	}
	large, first := m.copyPoints(p)
	if err := m.in.Context().Err(); err != nil {
		return nil, nil, err
	}
	bad := large * scenes.PointTriangles
	if err := m.Warn.NotFinite(fmt.Sprintf("triangle %d", first*scenes.PointTriangles), bad, bad); err != nil {
		return nil, nil, err
	}
	return &scenes.Mesh{Points: p, Origin: p.Origin, Up: up}, &scenes.Report{
		Format: name, Bytes: m.in.Done(), Triangles: p.Len(), BadTriangles: bad, Points: len(p.X), Bounds: p.Bounds(), Warnings: m.Warn.Lines(),
	}, nil
}

// copyPoints moves the finite points to p, chunk by chunk. Some points are finite in double precision but not in
// single precision. copyPoints returns their number (large), and the index in p of the first such point.
func (m *Mesh) copyPoints(p *scenes.Points) (large, first int) {
	n, o := 0, p.Origin
	for c, chunk := range m.points.chunks {
		if m.in.Context().Err() != nil {
			return 0, 0
		}
		for i, at := range chunk {
			if !solid.Finite(at) {
				continue
			}
			x, y, z := float32(at[0]-o[0]), float32(at[1]-o[1]), float32(at[2]-o[2])
			if x-x != 0 || y-y != 0 || z-z != 0 {
				if large == 0 {
					first = n
				}
				large++
			}
			p.X[n], p.Y[n], p.Z[n] = x, y, z
			if p.Colors != nil {
				p.Colors[n] = scenes.DefaultColor
				if k := c*chunkSize + i; k < m.colors.n {
					p.Colors[n] = *m.colors.at(k)
				}
			}
			n++
		}
		m.points.chunks[c] = nil
		if c < len(m.colors.chunks) {
			m.colors.chunks[c] = nil
		}
	}
	p.X, p.Y, p.Z = p.X[:n], p.Y[:n], p.Z[:n]
	if p.Colors != nil {
		p.Colors = p.Colors[:n]
	}
	return large, first
}
