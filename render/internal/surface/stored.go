package surface

import "lockstep/render/internal/kernel/light"

// Stored are the records of a mesh that is not in memory, see scenes/prepared: in chunks of chunkRecords.
type Stored struct {
	Chunks interface {
		// Records returns the records of a chunk, in memory of its own or in scratch.
		Records(chunk int, scratch []uint32) ([]uint32, error)
	}
	Words  int  // of a record: 9 numbers, of corners, and 3 normals or none
	Smooth bool // the normals count
}

const (
	chunkRecords = 1024
	chunkWords   = 1 << 14
	// pageSlots is how many chunks a worker keeps for the rows of a picture that it lights: 3 MiB, which are the neighbours of
	// what a row of tiles shows.
	pageSlots = 64
)

// pages are the chunks of records that one worker keeps, each in a place by its number.
type pages struct {
	of    Stored
	slots [pageSlots]page
}

type page struct {
	chunk   int // and 1; 0: none
	words   []uint32
	scratch []uint32
}

// begin forgets the chunks of another mesh. of is nil where records are in memory.
func (p *pages) begin(of *Stored) {
	now := Stored{}
	if of != nil {
		now = *of
	}
	if p.of == now {
		return
	}
	p.of = now
	for i := range p.slots {
		p.slots[i].chunk, p.slots[i].words = 0, nil
	}
}

// record sets a record to that of a triangle, or to nothing where it cannot be read: the chunks know why.
func (p *pages) record(t uint32, to *light.Record) {
	chunk := int(t / chunkRecords)
	at := &p.slots[chunk%pageSlots]
	if at.chunk != chunk+1 {
		if at.scratch == nil {
			at.scratch = make([]uint32, chunkWords)
		}
		var err error
		if at.words, err = p.of.Chunks.Records(chunk, at.scratch); err != nil {
			at.words = nil
		}
		at.chunk = chunk + 1
	}
	*to = light.Record{}
	words := p.of.Words
	if from := int(t%chunkRecords) * words; from+words <= len(at.words) {
		copy(to[:], at.words[from:from+words])
	}
	if !p.of.Smooth {
		to[9], to[10], to[11] = 0, 0, 0
	}
}
