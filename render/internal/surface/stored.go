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
	Words  int  // 32-bit words of a record: 9 for corners, and 3 for normals if there are any
	Smooth bool // the normals are used
}

const (
	chunkRecords = 1024
	chunkWords   = 1 << 14
	// chunkSlots is the number of chunks that a worker keeps while it lights rows. They take 3 MiB, and hold the
	// triangles of a tile row and its neighbours.
	chunkSlots = 64
)

// chunkCache holds the chunks of records that one worker keeps. Chunk n is kept in slot n % chunkSlots.
type chunkCache struct {
	mesh  Stored
	slots [chunkSlots]cachedChunk
}

type cachedChunk struct {
	chunk   int // number of the chunk plus 1; 0: none
	words   []uint32
	scratch []uint32
}

// begin drops all chunks if of is another mesh than in the last frame. of is nil if records are in memory.
func (p *chunkCache) begin(of *Stored) {
	now := Stored{}
	if of != nil {
		now = *of
	}
	if p.mesh == now {
		return
	}
	p.mesh = now
	for i := range p.slots {
		p.slots[i].chunk, p.slots[i].words = 0, nil
	}
}

// record sets to to the record of triangle t. If the record cannot be read, to is set to zeros; Chunks keeps the error.
func (p *chunkCache) record(t uint32, to *light.Record) {
	chunk := int(t / chunkRecords)
	at := &p.slots[chunk%chunkSlots]
	if at.chunk != chunk+1 {
		if at.scratch == nil {
			at.scratch = make([]uint32, chunkWords)
		}
		var err error
		if at.words, err = p.mesh.Chunks.Records(chunk, at.scratch); err != nil {
			at.words = nil
		}
		at.chunk = chunk + 1
	}
	*to = light.Record{}
	words := p.mesh.Words
	if from := int(t%chunkRecords) * words; from+words <= len(at.words) {
		copy(to[:], at.words[from:from+words])
	}
	if !p.mesh.Smooth {
		to[9], to[10], to[11] = 0, 0, 0
	}
}

// Cloud gives points the triangles by which they are lit. The triangle of a point is centred on it and faces the view.
// It is much larger than the point, so that rounding does not turn it.
type Cloud struct {
	Points    *scenes.Points
	Right, Up [3]float32 // axes of the camera, as long as the triangle is wide
}

// record sets to to the record of the point that triangle t belongs to. It has no normals, because the triangle is flat.
func (c *Cloud) record(t uint32, to *light.Record) {
	n := t / uint32(scenes.PointTriangles)
	at := [3]float32{c.Points.X[n], c.Points.Y[n], c.Points.Z[n]}
	*to = light.Record{}
	for axis, v := range at {
		left, right := v-c.Right[axis], v+c.Right[axis]
		to[axis] = math.Float32bits(left - c.Up[axis])
		to[3+axis] = math.Float32bits(right - c.Up[axis])
		to[6+axis] = math.Float32bits(v + 2*c.Up[axis])
	}
}
