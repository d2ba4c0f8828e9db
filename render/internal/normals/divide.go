package normals

import (
	"math"

	"lockstep/render/internal/float3"
	"lockstep/render/internal/kernel/light"
	"lockstep/scenes"
	"lockstep/vp/hugepages"
)

// Divide returns the records of mesh b, which was cut from another mesh. Triangle t of b is a piece of triangle
// owners[t] of the other mesh, whose records are in `whole`. A new corner gets a normal that is interpolated between
// those of the owner.
//
// Triangles at the end of b may have no owner: owners[t] is not below len(whole). They get the normals of their
// planes. scale is as for Normals. The records are written to old if old is large enough.
func Divide(old, whole []light.Record, b *scenes.Block, owners []uint32, scale float64, run Run) []light.Record {
	if cap(old) < b.Len() {
		old = hugepages.Make[light.Record](max(b.Len(), len(whole))) // the next division may be longer
	}
	records := old[:b.Len()]
	owned := len(records)
	for owned > 0 && uint64(owners[owned-1]) >= uint64(len(whole)) {
		owned--
	}
	const taskTriangles = 1 << 12 // triangles in a task
	run((owned+taskTriangles-1)/taskTriangles, func(task int) {
		lo, hi := task*taskTriangles, min((task+1)*taskTriangles, owned)
		copyPositions(records[lo:hi], b, lo)
		for t := lo; t < hi; t++ {
			r, owner := &records[t], &whole[owners[t]]
			if [9]uint32(r[:9]) == [9]uint32(owner[:9]) {
				copy(r[9:], owner[9:])
				continue
			}
			for k := range 3 {
				r[9+k] = normalAt(owner, corner(r, k))
			}
		}
	})
	copyPositions(records[owned:], b, owned)
	setNormals(records[owned:], flatNormals(b, owned, scale))
	return records
}

// corner returns the position of corner k of a record.
func corner(r *light.Record, k int) float3.Vector {
	return float3.New(math.Float32frombits(r[3*k]), math.Float32frombits(r[3*k+1]), math.Float32frombits(r[3*k+2]))
}

// normalAt returns the packed normal at point p. The point lies in the triangle with record r.
func normalAt(r *light.Record, p float3.Vector) uint32 {
	var c [3]float3.Vector
	for k := range c {
		if c[k] = corner(r, k); c[k] == p {
			return r[9+k]
		}
	}
	w, ok := weights(c, p)
	if !ok {
		return r[9]
	}
	var sum [3]float64
	for k := range c {
		n := Unpack(r[9+k])
		sum[0] += float64(w[k] * float64(n.X))
		sum[1] += float64(w[k] * float64(n.Y))
		sum[2] += float64(w[k] * float64(n.Z))
	}
	return Pack(float3.New(float32(sum[0]), float32(sum[1]), float32(sum[2])))
}

// weights returns the barycentric coordinates, each from 0 to 1, of point p in the triangle with corners c. ok is false
// if the triangle has no area.
func weights(c [3]float3.Vector, p float3.Vector) (w [3]float64, ok bool) {
	ab, ac, ap := edgeOf(c[0], c[1]), edgeOf(c[0], c[2]), edgeOf(c[0], p)
	bb, bc, cc := dot(ab, ab), dot(ab, ac), dot(ac, ac)
	pb, pc := dot(ap, ab), dot(ap, ac)
	area := float64(bb*cc) - float64(bc*bc)
	if !(area > 0) {
		return w, false
	}
	w[1] = min(max((float64(cc*pb)-float64(bc*pc))/area, 0), 1)
	w[2] = min(max((float64(bb*pc)-float64(bc*pb))/area, 0), 1-w[1])
	w[0] = 1 - w[1] - w[2]
	return w, true
}

// edgeOf returns b - a.
func edgeOf(a, b float3.Vector) [3]float64 {
	return [3]float64{float64(b.X) - float64(a.X), float64(b.Y) - float64(a.Y), float64(b.Z) - float64(a.Z)}
}

func dot(a, b [3]float64) float64 {
	return float64(a[0]*b[0]) + float64(a[1]*b[1]) + float64(a[2]*b[2])
}
