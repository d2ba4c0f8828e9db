package surface

import (
	"math"

	"lockstep/render/internal/kernel/light"
	"lockstep/scenes"
	"lockstep/vp/hugepages"
)

// NewRecords makes the records of a mesh with normals of Normals.
func NewRecords(b *scenes.Block, normals []uint32, run Run) []light.Record {
	records := hugepages.Make[light.Record](b.Len())
	const some = 1 << 13 // triangles of a task
	run((len(records)+some-1)/some, func(task int) {
		from := task * some
		for i := range records[from:min(from+some, len(records))] {
			t, r := from+i, &records[from+i]
			for k := range 3 {
				r[3*k], r[3*k+1], r[3*k+2] = math.Float32bits(b.X[k][t]), math.Float32bits(b.Y[k][t]), math.Float32bits(b.Z[k][t])
				r[9+k] = normals[3*t+k]
			}
		}
	})
	return records
}
