package surface

import (
	"math"

	"lockstep/render/internal/kernel/light"
	"lockstep/scenes"
)

// Stored gives access to the records of a mesh that stays in a file, see scenes/prepared. A chunk of the file holds
// chunkRecords records.
type Stored struct {
	Chunks interface {
		// Records returns the records of a chunk. The result may lie in scratch, or in memory of the implementation.
		Records(chunk int, scratch []uint32) ([]uint32, error)
	}
	Words  int  // number of 32-bit words of a record: 9 for corners, and 3 more if there are normals
	Smooth bool // the normals are used
}

const (
	chunkRecords = 1024
	chunkWords   = 1 << 14
	// chunkSlots is the number of chunks that a worker caches while it lights rows. Together these chunks take 3 MiB.
	// They hold the triangles of a tile row and its neighbours.
	chunkSlots = 64
)

// chunkCache holds the chunks of records that one worker caches. Chunk n belongs in slot n % chunkSlots.
type chunkCache struct {
	mesh  Stored
	slots [chunkSlots]cachedChunk
}

type cachedChunk struct {
	chunk   int // number of the chunk plus 1, or 0 if the slot is empty
	words   []uint32
	scratch []uint32
}

// begin drops all chunks if mesh is not the mesh of the last frame. mesh is nil if records are in memory.
func (p *chunkCache) begin(mesh *Stored) {
	now := Stored{}
	if mesh != nil {
		now = *mesh
	}
	if p.mesh == now {
		return
	}
	p.mesh = now
	for i := range p.slots {
		p.slots[i].chunk, p.slots[i].words = 0, nil
	}
}

// record sets dst to the record of triangle t. If the record cannot be read, it sets dst to zeros, and Chunks stores
// the error.
func (p *chunkCache) record(t uint32, dst *light.Record) {
	chunk := int(t / chunkRecords)
	slot := &p.slots[chunk%chunkSlots]
	if slot.chunk != chunk+1 {
		if slot.scratch == nil {
			slot.scratch = make([]uint32, chunkWords)
		}
		var err error
		if slot.words, err = p.mesh.Chunks.Records(chunk, slot.scratch); err != nil {
			slot.words = nil
		}
		slot.chunk = chunk + 1
	}
	*dst = light.Record{}
	words := p.mesh.Words
	if from := int(t%chunkRecords) * words; from+words <= len(slot.words) {
		copy(dst[:], slot.words[from:from+words])
	}
	if !p.mesh.Smooth {
		dst[9], dst[10], dst[11] = 0, 0, 0
	}
}

// Cloud provides a triangle for each point, with which the point is lit. The triangle is centred on the point and
// faces the eye. It is much larger than the point, so that rounding does not tilt it.
type Cloud struct {
	Points    *scenes.Points
	Right, Up [3]float32 // vectors along the camera's axes, half as long as the triangle is wide
}

// record sets dst to the record of the triangle with which a point is lit. t is the number of a triangle of the
// point's octahedron, see scenes.Points. The record has no normals, because the triangle is flat.
func (c *Cloud) record(t uint32, dst *light.Record) {
	n := t / uint32(scenes.PointTriangles)
	at := [3]float32{c.Points.X[n], c.Points.Y[n], c.Points.Z[n]}
	*dst = light.Record{}
	for axis, v := range at {
		left, right := v-c.Right[axis], v+c.Right[axis]
		dst[axis] = math.Float32bits(left - c.Up[axis])
		dst[3+axis] = math.Float32bits(right - c.Up[axis])
		dst[6+axis] = math.Float32bits(v + 2*c.Up[axis])
	}
}
