package normals

import (
	"math"

	"lockstep/render/internal/kernel/light"
	"lockstep/scenes"
	"lockstep/vp/hugepages"
)

// Records returns the records of a mesh: the positions and normals of each triangle's corners. The first `round`
// triangles get the normals that Normals computes. The other triangles get the normals of their planes.
func Records(b *scenes.Block, round int, crease, scale float64, run Run) []light.Record {
	first := b.Slice(0, round)
	if round > maxDirect {
		return NewRecords(b, append(Normals(&first, crease, scale, run), flatNormals(b, round, scale)...), run)
	}
	w := newWelder(&first, crease, scale, run)
	w.records = hugepages.Make[light.Record](b.Len())
	w.smoothWhole()
	copyPositions(w.records[round:], b, round)
	setNormals(w.records[round:], flatNormals(b, round, scale))
	return w.records
}

// NumSmooth returns the number of triangles before the flat parts at the end of the mesh. Only these triangles are
// shaded smoothly.
func NumSmooth(mesh *scenes.Mesh) int {
	n := mesh.Len()
	for i := len(mesh.Parts) - 1; i >= 0 && mesh.Parts[i].Flat && mesh.Parts[i].First+mesh.Parts[i].Count == n; i-- {
		n = mesh.Parts[i].First
	}
	return n
}

// NewRecords makes the records of a mesh from normals in the form that Normals returns.
func NewRecords(b *scenes.Block, normals []uint32, run Run) []light.Record {
	records := hugepages.Make[light.Record](b.Len())
	const taskTriangles = 1 << 13 // triangles in a task
	run((len(records)+taskTriangles-1)/taskTriangles, func(task int) {
		lo, hi := task*taskTriangles, min((task+1)*taskTriangles, len(records))
		copyPositions(records[lo:hi], b, lo)
		setNormals(records[lo:hi], normals[3*lo:])
	})
	return records
}

// copyPositions copies the positions of corners to records, beginning with triangle `from`.
func copyPositions(records []light.Record, b *scenes.Block, from int) {
	for k := range 3 {
		x, y, z := b.X[k][from:], b.Y[k][from:], b.Z[k][from:]
		x, y, z = x[:len(records)], y[:len(records)], z[:len(records)]
		for i := range records {
			at := (*[3]uint32)(records[i][3*k:])
			at[0], at[1], at[2] = math.Float32bits(x[i]), math.Float32bits(y[i]), math.Float32bits(z[i])
		}
	}
}

// setNormals sets the three normals of each record.
func setNormals(records []light.Record, normals []uint32) {
	for i := range records {
		copy(records[i][9:], normals[3*i:3*i+3])
	}
}
