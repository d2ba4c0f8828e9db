// Package section cuts meshes by planes and closes the cuts with flat caps.
package section

import (
	"errors"
	"fmt"
	"math"

	"lockstep/scenes"
	"lockstep/scenes/internal/parallel"
)

// A Plane keeps the points p for which Normal . p <= Offset, in the coordinates of the file, which include the Origin
// of the mesh. The normal points to the side that is cut away. It need not have unit length. Offset is the distance of
// the plane from the origin of the coordinates, times the length of the normal.
type Plane struct {
	Normal [3]float64
	Offset float64
}

// Options controls how a cut looks.
type Options struct {
	Open bool   // do not close the cut with caps
	Cap  uint32 // sRGB colour of the caps, 0x00RRGGBB
	Body uint32 // sRGB colour of the other triangles if the mesh has no colours and there are caps
	// Rough means that caps are always filled with trapezoids. By default they are filled, where possible, with
	// triangles between the corners of the cut. These close the cut without gaps, but take several times as long.
	Rough bool
	// Owners requests Report.Owners.
	Owners bool
	// Memory, if not nil, provides memory for the result. The next cut with the same Memory overwrites this result.
	Memory *Memory
}

// PartName is the name of the part of a mesh that holds the caps.
const PartName = "section"

// A Report describes the result of a cut.
type Report struct {
	Caps int // number of triangles in caps
	// Bridged is the number of gaps in the outline of a cut that were closed by a straight line. They come from holes
	// in the surface that are small compared with the cut.
	Bridged int
	// Loose is the number of segments where a plane cuts an open surface. They enclose no area that a cap could fill.
	Loose int
	// Owners tells where triangles come from: triangle t of the result is a piece of triangle Owners[t] of the mesh.
	// For caps, Owners[t] is NoOwner. Owners is nil if Options.Owners was not set or if there were no planes.
	Owners []uint32
}

// NoOwner is the owner of the triangles of caps, which are not pieces of other triangles.
const NoOwner = math.MaxUint32

// Cut cuts a mesh by planes, one after the other, and closes the cuts through closed surfaces with caps. It does not
// change mesh. Triangles that no plane crosses keep their order. Each plane cuts the result of the planes before it,
// including their caps.
//
// The result for a closed mesh is closed, with three exceptions, where float32 cannot separate cuts: the curves of a
// cut cross each other, planes are nearly parallel (within about 10^-4), or planes meet exactly on an edge of the mesh.
func Cut(mesh *scenes.Mesh, planes []Plane, o Options) (*scenes.Mesh, Report, error) {
	var report Report
	units := make([]Plane, len(planes))
	for i, p := range planes {
		var err error
		if units[i], err = p.normalized(mesh.Origin); err != nil {
			return nil, report, fmt.Errorf("plane %d: %w", i+1, err)
		}
	}
	memory := o.Memory
	for i, p := range units {
		if o.Memory = nil; i == len(units)-1 {
			o.Memory = memory // only the last cut uses it: a cut must not overwrite the mesh that it reads
		}
		c := &cutter{from: mesh, plane: p, options: o}
		c.out.owned = report.Owners
		c.split()
		c.finishCut(&report)
		mesh, report.Owners = c.out.mesh(), c.out.owners
		o.Memory.store(&c.out)
	}
	if memory != nil && len(units) > 1 {
		memory.of = nil // the caller does not know the mesh that the last plane cut
	}
	if n := len(mesh.Parts); n > 0 && mesh.Parts[n-1].Name == PartName {
		report.Caps = mesh.Parts[n-1].Count
	}
	return mesh, report, nil
}

// normalized returns the plane with a unit normal, in coordinates relative to origin.
func (p Plane) normalized(origin [3]float64) (Plane, error) {
	length := math.Sqrt(float64(p.Normal[0]*p.Normal[0]) + float64(p.Normal[1]*p.Normal[1]) + float64(p.Normal[2]*p.Normal[2]))
	if !(length > 0) || math.IsInf(length, 0) || p.Offset-p.Offset != 0 {
		return p, errors.New("expected a normal and a finite offset")
	}
	for axis, x := range origin {
		p.Offset -= float64(p.Normal[axis] * x)
	}
	p.Offset /= length
	for axis := range p.Normal {
		p.Normal[axis] /= length
	}
	return p, nil
}

// signedDistance returns the signed distance of a point from a plane, which is 0 or less on the side that is kept.
// Corners with equal coordinates have exactly the same distance.
func (p *Plane) signedDistance(at [3]float32) float64 {
	n := &p.Normal
	return float64(n[0]*float64(at[0])) + float64(n[1]*float64(at[1])) + float64(n[2]*float64(at[2])) - p.Offset
}

// A cutter cuts a mesh by a plane, in coordinates relative to the origin of the mesh.
type cutter struct {
	from     *scenes.Mesh
	plane    Plane
	options  Options
	out      builder
	segments []segment
	filled   []triangle // triangles of the caps
	diagonal float64
}

// A segment is the intersection of a triangle with the plane. Seen from the side to which the plane's normal points,
// the cap lies to its left.
type segment struct{ a, b [3]float32 }

// split adds the parts of triangles on the kept side of the plane to the builder. Triangles that the plane does not
// cross are copied in runs. A run ends where a part of the mesh ends.
func (c *cutter) split() {
	sides, kept, crossed := c.classifyTriangles()
	c.out.begin(c.from, c.options, kept+capacityPerCrossing*crossed)
	part := 0
	for t := 0; t < len(sides); {
		end := len(sides)
		for part < len(c.from.Parts) && t >= c.from.Parts[part].First+c.from.Parts[part].Count {
			part++
		}
		inPart := part < len(c.from.Parts) && t >= c.from.Parts[part].First
		if inPart {
			end = c.from.Parts[part].First + c.from.Parts[part].Count
		} else if part < len(c.from.Parts) {
			end = c.from.Parts[part].First
		}
		end = t + runOf(sides[t:end])
		before := c.out.n
		switch sides[t] {
		case inside:
			c.out.copyTriangles(t, end)
		case crossing:
			for ; t < end; t++ {
				c.clipTriangle(t)
			}
		}
		if inPart {
			c.out.addToPart(part, before)
		}
		t = end
	}
}

// finishCut copies the triangles that the plane does not cross. At the same time, it computes the caps, and appends
// them at the end.
func (c *cutter) finishCut(report *Report) {
	var caps []triangle
	parallel.ForEach(1+c.out.columnCount(), func(task int) {
		switch {
		case task > 0:
			c.out.copyColumn(task - 1)
		case !c.options.Open:
			caps = c.makeCaps(report)
		}
	})
	for _, t := range caps {
		c.out.addCap(t)
	}
}

// capacityPerCrossing is how many triangles the builder reserves space for, for each triangle that the plane crosses. A
// crossed triangle leaves at most two pieces, and caps have about as many triangles as were crossed.
const capacityPerCrossing = 4

// clipTriangle appends the part of triangle t on the kept side of the plane. The plane must cross the triangle.
func (c *cutter) clipTriangle(t int) {
	p := triangle(c.from.Triangle(t))
	var d [3]float64
	for k := range p {
		d[k] = c.plane.signedDistance(p[k])
	}
	kept, n, exit, entry := c.plane.clip(p, d)
	for i := 1; i+1 < n; i++ {
		c.out.addClipped(t, [3]corner{kept[0], kept[i], kept[i+1]})
	}
	if exit != entry {
		c.segments = append(c.segments, segment{entry, exit})
	}
}

// clip returns the kept part of a triangle, a polygon of n corners, at most four. d holds the signed distances of the
// corners from the plane. exit and entry are the points where the outline of the triangle leaves the kept side and
// returns to it.
func (c *Plane) clip(p triangle, d [3]float64) (kept [4]corner, n int, exit, entry [3]float32) {
	for k := range p {
		next := (k + 1) % 3
		if d[k] <= 0 {
			kept[n] = corner{at: p[k], from: k, to: k}
			n++
		}
		if (d[k] <= 0) != (d[next] <= 0) {
			at, w := c.crossing(p[k], p[next], d[k], d[next])
			kept[n] = corner{at, k, next, w}
			n++
			if d[k] <= 0 {
				exit = at
			} else {
				entry = at
			}
		}
	}
	return kept, n, exit, entry
}

type triangle [3][3]float32

// A corner is a point on a side of a triangle of the old mesh. The side leads from corner `from` to corner `to`, and
// the point is at the fraction `weight` of the way. If from and to are equal, the point is that corner.
type corner struct {
	at       [3]float32
	from, to int
	weight   float32
}

// crossing returns the point where the side from p to q meets the plane, and the fraction of the side that lies before
// this point. The point does not depend on the direction of the side, so neighbouring triangles get the same point.
func (c *Plane) crossing(p, q [3]float32, dp, dq float64) (at [3]float32, weight float32) {
	weight = float32(dp / (dp - dq))
	if isLess(q, p) {
		p, q, dp, dq = q, p, dq, dp
	}
	w := dp / (dp - dq)
	for i := range at {
		at[i] = float32(float64(p[i]) + float64(w*(float64(q[i])-float64(p[i]))))
		if n := c.Normal[i]; n == 1 || n == -1 {
			at[i] = float32(c.Offset * n) // exactly on the plane
		}
	}
	return at, weight
}

func isLess(p, q [3]float32) bool {
	for i := range p {
		if p[i] != q[i] {
			return p[i] < q[i]
		}
	}
	return false
}

// makeCaps returns the triangles of the caps that close the cut. The cut consists of the segments that split has found.
func (c *cutter) makeCaps(report *Report) []triangle {
	if len(c.segments) == 0 {
		return nil
	}
	closed, loose := splitClosed(c.segments)
	if across := findBridges(loose); len(across) > 0 {
		closed, loose = splitClosed(append(c.segments, across...))
		report.Bridged += len(across)
	}
	report.Loose += len(loose)
	box := c.options.Memory.boundsOf(c.from)
	size := box.Size()
	c.diagonal = math.Sqrt(float64(size[0]*size[0]) + float64(size[1]*size[1]) + float64(size[2]*size[2]))
	c.fillArea(closed)
	return c.filled
}

// splitClosed repeatedly removes segments with an end that no other segment shares. `closed` holds the remaining
// segments, which belong to closed curves. `open` holds the removed segments.
func splitClosed(segments []segment) (closed, open []segment) {
	ends := map[[3]float32][]int{}
	for i, s := range segments {
		ends[s.a] = append(ends[s.a], i)
		ends[s.b] = append(ends[s.b], i)
	}
	gone := make([]bool, len(segments))
	left := make(map[[3]float32]int, len(ends))
	var loose [][3]float32
	for at, here := range ends {
		left[at] = len(here)
		if len(here) == 1 {
			loose = append(loose, at)
		}
	}
	for len(loose) > 0 {
		at := loose[len(loose)-1]
		loose = loose[:len(loose)-1]
		for _, i := range ends[at] {
			if gone[i] {
				continue
			}
			gone[i] = true
			for _, end := range [2][3]float32{segments[i].a, segments[i].b} {
				if left[end]--; left[end] == 1 && end != at {
					loose = append(loose, end)
				}
			}
		}
	}
	for i, s := range segments {
		if gone[i] {
			open = append(open, s)
		} else {
			closed = append(closed, s)
		}
	}
	return closed, open
}
