// Package section cuts meshes by planes and closes the cuts with flat caps.
package section

import (
	"errors"
	"fmt"
	"math"

	"lockstep/scenes"
)

// A Plane keeps the points with Normal . p <= Offset, in the coordinates of the file,
// which include the Origin of the mesh. The normal points to what is cut away; its
// length does not matter beyond the scale of Offset.
type Plane struct {
	Normal [3]float64
	Offset float64
}

// Options say how cuts look.
type Options struct {
	Open bool   // leaves the cuts open
	Cap  uint32 // sRGB colour of the caps, 0x00RRGGBB
	Body uint32 // of the other triangles, where the mesh has no colours
}

// PartName is the name of the part that the caps are.
const PartName = "section"

// A Report says what came of a cut.
type Report struct {
	Caps int // triangles
	// Bridged counts the gaps of cuts that were closed by a straight line: holes that are
	// small beside the cut.
	Bridged int
	// Loose counts the segments of cuts through open surfaces, which bound nothing that a
	// cap could fill.
	Loose int
}

// Cut returns what planes leave of a mesh, in their order, with caps where they cut closed
// surfaces. The mesh stays as it is; triangles that no plane meets keep their order.
// Which triangles a plane meets is found by all cores; those that it does not meet are copied once.
//
// Every plane's caps are those of the whole mesh, cut by the other planes: so no cut
// meets the caps of another, whose corners are none of the surface's. What is left of a
// closed mesh is closed, but where planes are all but parallel (within some 10^-4) or meet
// just on an edge of the mesh: float32 does not tell their cuts apart.
func Cut(mesh *scenes.Mesh, planes []Plane, o Options) (*scenes.Mesh, Report, error) {
	var report Report
	units := make([]Plane, len(planes))
	for i, p := range planes {
		var err error
		if units[i], err = p.unit(mesh.Origin); err != nil {
			return nil, report, fmt.Errorf("plane %d: %w", i+1, err)
		}
	}
	for _, p := range units {
		c := &cutter{from: mesh, plane: p, options: o}
		c.run()
		if !o.Open {
			for _, t := range c.caps(&report) {
				c.out.addCap(t)
			}
		}
		mesh = c.out.mesh()
	}
	if n := len(mesh.Parts); n > 0 && mesh.Parts[n-1].Name == PartName {
		report.Caps = mesh.Parts[n-1].Count
	}
	return mesh, report, nil
}

// unit returns a plane by a unit normal, in coordinates relative to an origin.
func (p Plane) unit(origin [3]float64) (Plane, error) {
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

// beyond returns how far a point lies beyond a plane: 0 or less on the side that is kept.
// It is the same for corners at the same place.
func (p *Plane) beyond(at [3]float32) float64 {
	n := &p.Normal
	return float64(n[0]*float64(at[0])) + float64(n[1]*float64(at[1])) + float64(n[2]*float64(at[2])) - p.Offset
}

// A cutter cuts one mesh by one plane, in coordinates relative to its origin.
type cutter struct {
	from     *scenes.Mesh
	plane    Plane
	options  Options
	out      builder
	segments []segment
	filled   []triangle // caps
	diagonal float64
}

// A segment is where a triangle met the plane: the cap lies to its left, seen from where
// the normal points.
type segment struct{ a, b [3]float32 }

// run keeps what lies on the side of the plane that is kept. Triangles that the plane does not meet are copied in runs,
// which end where a part does.
func (c *cutter) run() {
	sides, kept, crossed := c.sides()
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
			c.out.copy(t, end)
		case crossing:
			for ; t < end; t++ {
				c.crossed(t)
			}
		}
		if inPart {
			c.out.inPart(part, before)
		}
		t = end
	}
}

// capacityPerCrossing is how many triangles the builder has room for, for each that the plane crosses: at most two are left of
// it, and caps have about as many triangles as were crossed.
const capacityPerCrossing = 4

// crossed keeps what lies on the kept side of a triangle that the plane crosses.
func (c *cutter) crossed(t int) {
	p := triangle(c.from.Triangle(t))
	var d [3]float64
	for k := range p {
		d[k] = c.plane.beyond(p[k])
	}
	kept, n, exit, entry := c.plane.clip(p, d)
	for i := 1; i+1 < n; i++ {
		c.out.clipped(t, [3]corner{kept[0], kept[i], kept[i+1]})
	}
	if exit != entry {
		c.segments = append(c.segments, segment{entry, exit})
	}
}

// clip returns the up to four corners of what is kept of a triangle whose corners lie d
// beyond the plane, and where its outline leaves the kept side and comes back.
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

// A triangle is its three corners.
type triangle [3][3]float32

// A corner lies on a side of a triangle: between corners from and to, at a part weight of
// the way.
type corner struct {
	at       [3]float32
	from, to int
	weight   float32
}

// crossing returns where the side from p to q meets the plane, and what part of it lies
// before. The place does not depend on the direction of the side, so that neighbouring
// triangles agree on it.
func (c *Plane) crossing(p, q [3]float32, dp, dq float64) (at [3]float32, weight float32) {
	weight = float32(dp / (dp - dq))
	if less(q, p) {
		p, q, dp, dq = q, p, dq, dp
	}
	w := dp / (dp - dq)
	for i := range at {
		at[i] = float32(float64(p[i]) + float64(w*(float64(q[i])-float64(p[i]))))
		if n := c.Normal[i]; n == 1 || n == -1 {
			at[i] = float32(c.Offset * n) // exactly on it
		}
	}
	return at, weight
}

func less(p, q [3]float32) bool {
	for i := range p {
		if p[i] != q[i] {
			return p[i] < q[i]
		}
	}
	return false
}

// caps returns what closes the cut of the plane through the mesh, from the segments of run.
func (c *cutter) caps(report *Report) []triangle {
	if len(c.segments) == 0 {
		return nil
	}
	closed, loose := closedOf(c.segments)
	if across := bridges(loose); len(across) > 0 {
		closed, loose = closedOf(append(c.segments, across...))
		report.Bridged += len(across)
	}
	report.Loose += len(loose)
	box := c.from.Bounds()
	size := box.Size()
	c.diagonal = math.Sqrt(float64(size[0]*size[0]) + float64(size[1]*size[1]) + float64(size[2]*size[2]))
	c.fillArea(closed)
	return c.filled
}

// closedOf takes off segments from ends at which nothing goes on, one after the other. It returns those that are left,
// which are parts of closed curves, and those that it took off.
func closedOf(segments []segment) (closed, open []segment) {
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
