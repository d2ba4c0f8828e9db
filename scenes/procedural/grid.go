package procedural

import (
	"math"

	"lockstep/scenes"
	"lockstep/scenes/internal/vector"
	"lockstep/scenes/procedural/internal/numeric"
)

// A grid is a surface of quadrilaterals between lattice points, on one or more faces. Each quadrilateral is two
// triangles.
//
// Neighbours share vertices exactly, because every vertex is computed by the same function from the same integers. Two
// lattice points may coincide, for example where a closed surface meets itself. Then the function point must return the
// same bits for both.
type grid struct {
	faces, nu, nv int // number of faces, and numbers of quadrilaterals along u and v of a face
	// point returns the position of lattice point (i, j), where 0 <= i <= nu and 0 <= j <= nv. Seen from outside, the
	// turn from u to v is counter-clockwise.
	point func(face, i, j int) [3]float64
	// color returns the colour of quadrilateral (i, j). It is nil if the scene has no colours.
	color func(face, i, j int) uint32
}

// bandWidth is the number of quadrilaterals across a band. Each face is divided into bands along v. So a block of
// scenes.BlockSize triangles is a compact patch of 64 by 32 quadrilaterals. Such a patch suits a renderer, and has only
// 5 % more vertices than quadrilaterals.
const bandWidth = 64

func (g *grid) Len() int { return 2 * g.faces * g.nu * g.nv }

func (g *grid) Colored() bool { return g.color != nil }

func (g *grid) Fill(first int, b *scenes.Block) {
	quads := g.nu * g.nv
	for t := 0; t < b.Len(); {
		q := (first + t) / 2
		face, r := q/quads, q%quads
		band := r / (bandWidth * g.nv)
		r -= band * bandWidth * g.nv
		i0 := band * bandWidth
		width := min(bandWidth, g.nu-i0)
		j, i := r/width, r%width
		rest := (b.Len() - t + 1) / 2
		n := min(rest, width*(g.nv-j)-i)
		g.fillBand(b, t, n, gridBand{face, i0, width, i, j})
		t += 2 * n
	}
}

// A latticeRow is a row of vertices of a band.
type latticeRow [bandWidth + 1][3]float32

// A gridBand is a band of a face and a position in it. The band has `width` columns from column i0 on. The position is
// the quadrilateral in row j and column i0+i.
type gridBand struct{ face, i0, width, i, j int }

// fillBand writes n quadrilaterals of a band, row by row, to the triangles of b, starting with triangle t.
func (g *grid) fillBand(b *scenes.Block, t, n int, of gridBand) {
	face, i0, width, i, j := of.face, of.i0, of.width, of.i, of.j
	var rows [2]latticeRow
	low, high := &rows[0], &rows[1]
	g.computeRow(low, face, i0, width, j)
	for n > 0 {
		g.computeRow(high, face, i0, width, j+1)
		for ; i < width && n > 0; i++ {
			b.Set(t, [3][3]float32{low[i], low[i+1], high[i+1]})
			b.Set(t+1, [3][3]float32{low[i], high[i+1], high[i]})
			if g.color != nil {
				c := g.color(face, i0+i, j)
				b.Colors[t], b.Colors[t+1] = c, c
			}
			t += 2
			n--
		}
		i = 0
		j++
		low, high = high, low
	}
}

func (g *grid) computeRow(row *latticeRow, face, i0, width, j int) {
	for i := range width + 1 {
		row[i] = vector.Single(g.point(face, i0+i, j))
	}
}

// gridSize returns the numbers of quadrilaterals along u and v of a grid of about n triangles. The quadrilaterals are
// square if the grid is ratio times as long along u as along v. Each number is at least three, because a closed surface
// needs an inside.
func gridSize(n int, ratio float64) (nu, nv int) {
	quads := float64(n) / 2
	nv = max(3, int(math.Round(math.Sqrt(quads/ratio))))
	nu = max(3, int(math.Round(quads/float64(nv))))
	return nu, nv
}

func buildTorus(p *params) shape {
	const major, minor = 1, 0.4
	nu, nv := gridSize(p.triangles(20_000, 18), major/minor)
	return &grid{faces: 1, nu: nu, nv: nv, point: func(_, i, j int) [3]float64 {
		cu, su := numeric.Turn(i, nu)
		cv, sv := numeric.Turn(j, nv)
		r := major + float64(minor*cv)
		return [3]float64{float64(r * cu), float64(r * su), float64(minor * sv)}
	}}
}

func buildPlate(p *params) shape {
	n := max(1, int(math.Round(math.Sqrt(float64(p.triangles(2, 2))/2))))
	seed := p.seed()
	// A point moves by less than a quarter of a cell, so no triangle turns over.
	move := p.number("jitter", 0, 0, 0.99) / 4
	return &grid{faces: 1, nu: n, nv: n, point: func(_, i, j int) [3]float64 {
		x, z := float64(i), float64(j)
		if i > 0 && i < n && j > 0 && j < n {
			h := numeric.Hash(seed, i, j, 0)
			x += float64(move * numeric.SignedUnit(h))
			z += float64(move * numeric.SignedUnit(h<<32))
		}
		return [3]float64{float64(x*2)/float64(n) - 1, 0, float64(z*2)/float64(n) - 1}
	}}
}
