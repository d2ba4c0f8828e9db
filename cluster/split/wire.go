package split

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"
)

// The kinds of messages. Their numbers must not change.
const (
	kindJoin = iota + 1
	kindPlan
	kindReady
	kindDraw
	kindKeys
	kindPart
	kindHeartbeat
	kindLost // the body is the name of a node that the sender cannot reach
	kindFailed
	kindEnd
	kindBorder
)

// A joinMessage is a node's first message to the root.
type joinMessage struct {
	Address string `json:"address"` // other nodes connect to this address
	Shape   Shape  `json:"shape"`
}

// A memberInfo describes a member of a plan.
type memberInfo struct {
	Name    string `json:"name"`
	Address string `json:"address"`
}

// A planMessage says which node owns which blocks.
type planMessage struct {
	Members []memberInfo `json:"members"`
	Owner   []uint16     `json:"owner"` // for each block, an index of Members
}

// blocksOf returns the blocks of the member with this index.
func (p *planMessage) blocksOf(index int) (blocks []int) {
	for b, o := range p.Owner {
		if int(o) == index {
			blocks = append(blocks, b)
		}
	}
	return blocks
}

// parsePlan decodes and checks a plan. It also returns the index of the member with the given name.
func parsePlan(body []byte, name string, s *Shape) (*planMessage, int, error) {
	p := new(planMessage)
	if err := json.Unmarshal(body, p); err != nil {
		return nil, 0, fmt.Errorf("%w: plan: %w", errWire, err)
	}
	me := slices.IndexFunc(p.Members, func(m memberInfo) bool { return m.Name == name })
	if me < 0 || len(p.Owner) != s.Blocks {
		return nil, 0, fmt.Errorf("%w: plan of %d blocks for %d members", errWire, len(p.Owner), len(p.Members))
	}
	for b, o := range p.Owner {
		if int(o) >= len(p.Members) {
			return nil, 0, fmt.Errorf("%w: block %d belongs to member %d of %d", errWire, b, o, len(p.Members))
		}
	}
	return p, me, nil
}

// A drawMessage starts a frame. Member i of the plan owns the tile rows Cuts[i] to Cuts[i+1]-1. A node that receives
// the message cancels its frames of epochs before Oldest.
type drawMessage struct {
	Cuts   []int  `json:"cuts"`
	Oldest uint32 `json:"oldest"`
}

// parseDraw decodes and checks a drawMessage.
func parseDraw(body []byte, frame, members int, s *Shape) (*drawMessage, error) {
	d := new(drawMessage)
	if err := json.Unmarshal(body, d); err != nil {
		return nil, fmt.Errorf("%w: draw: %w", errWire, err)
	}
	if frame >= s.Frames || len(d.Cuts) != members+1 || d.Cuts[0] != 0 || d.Cuts[members] != s.Rows || !slices.IsSorted(d.Cuts) {
		return nil, fmt.Errorf("%w: draw frame %d with rows %v", errWire, frame, d.Cuts)
	}
	return d, nil
}

// rowsOf returns the tile rows of the member with this index.
func (d *drawMessage) rowsOf(index int) Rows { return Rows{d.Cuts[index], d.Cuts[index+1]} }

// appendKeys encodes the keys of a layer for another node, which needs those in the tile rows `need`. For each row it
// writes the row's number (4 bytes), the length of the row's keys (4 bytes), and the keys. It leaves out empty rows.
func appendKeys(b []byte, l Layer, need Rows) []byte {
	for row := need.Lo; row < need.Hi; row++ {
		keys := l.Row(row)
		if len(keys) == 0 {
			continue
		}
		b = binary.LittleEndian.AppendUint32(b, uint32(row))
		b = binary.LittleEndian.AppendUint32(b, uint32(len(keys)))
		b = append(b, keys...)
	}
	return b
}

// parseKeys decodes what appendKeys has encoded. Element i of the result holds the keys of row need.Lo+i.
func parseKeys(b []byte, need Rows) ([][]byte, error) {
	rows := make([][]byte, need.Len())
	for len(b) > 0 {
		if len(b) < 8 {
			return nil, fmt.Errorf("%w: keys: %d bytes", errWire, len(b))
		}
		row, n := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:])
		b = b[8:]
		if int64(row) < int64(need.Lo) || int64(row) >= int64(need.Hi) || int64(n) > int64(len(b)) || rows[int(row)-need.Lo] != nil {
			return nil, fmt.Errorf("%w: keys of row %d, %d bytes", errWire, row, n)
		}
		rows[int(row)-need.Lo], b = b[:n:n], b[n:]
	}
	return rows, nil
}

// A framePart is a node's part of a frame, as it is sent to the root.
type framePart struct {
	covered int       // pixels that show something
	seconds []float64 // drawing times of the node's blocks
	// samples counts, for each tile row, the samples in which the node's blocks show something.
	samples []uint32
	bytes   int     // size of the blocks' keys
	light   float64 // seconds for lighting and encoding
	// picture holds the pixels of the node's rows if Shape.Slab is 0. Otherwise it holds encoded slabs: those whose
	// last row belongs to the node.
	picture []byte
}

// append encodes a part. It first writes five numbers of 8 bytes: the fields covered and light, the number of blocks,
// the number of tile rows, and the field bytes. It then writes the slices seconds, samples and picture.
func (s *framePart) append(b []byte) []byte {
	b = binary.LittleEndian.AppendUint64(b, uint64(s.covered))
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(s.light))
	b = binary.LittleEndian.AppendUint64(b, uint64(len(s.seconds)))
	b = binary.LittleEndian.AppendUint64(b, uint64(len(s.samples)))
	b = binary.LittleEndian.AppendUint64(b, uint64(s.bytes))
	for _, t := range s.seconds {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(t))
	}
	for _, n := range s.samples {
		b = binary.LittleEndian.AppendUint32(b, n)
	}
	return append(b, s.picture...)
}

// parsePart decodes the part of a node. blocks is the number of the node's blocks, and own holds its tile rows. It does
// not check encoded slabs; RootOptions.Check does.
func parsePart(b []byte, blocks int, own Rows, shape *Shape) (*framePart, error) {
	const head = 5 * 8
	rows, pixels := shape.Rows, shape.Width*shape.pixelRows(own).len()
	if n := len(b) - (head + 8*blocks + 4*rows); n < 0 || shape.Slab == 0 && n != 4*pixels {
		return nil, fmt.Errorf("%w: part of %d bytes", errWire, len(b))
	}
	word := func(i int) uint64 { return binary.LittleEndian.Uint64(b[8*i:]) }
	if word(2) != uint64(blocks) || word(3) != uint64(rows) || word(0) > uint64(pixels) || word(4) > math.MaxInt32 {
		return nil, fmt.Errorf("%w: part of %d blocks and %d rows", errWire, word(2), word(3))
	}
	s := &framePart{covered: int(word(0)), bytes: int(word(4)), light: math.Float64frombits(word(1)), seconds: make([]float64, blocks), samples: make([]uint32, rows)}
	b = b[head:]
	for i := range s.seconds {
		s.seconds[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
	}
	b = b[8*blocks:]
	for i := range s.samples {
		s.samples[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	s.picture = b[4*rows:]
	for _, t := range append(slices.Clone(s.seconds), s.light) {
		if !(t >= 0 && t <= math.MaxFloat32) {
			return nil, fmt.Errorf("%w: part with a time of %g s", errWire, t)
		}
	}
	return s, nil
}
