package split

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Kinds of messages.
const (
	kindJoin = iota + 1
	kindPlan
	kindReady
	kindDraw
	kindKeys
	kindStrip
	kindBeat
	kindLost // a node cannot reach another one, whose name is the body
	kindFailed
	kindEnd
	kindBorder
)

// errWire is the cause of every malformed message.
var errWire = errors.New("malformed message")

// join is a node's first message to the root.
type join struct {
	Address string `json:"address"` // where other nodes reach it
	Shape   Shape  `json:"shape"`
}

// A member of a plan.
type member struct {
	Name    string `json:"name"`
	Address string `json:"address"`
}

// A plan says who owns which blocks.
type plan struct {
	Members []member `json:"members"`
	Owner   []uint16 `json:"owner"` // by block, a member
}

// blocks returns the blocks that a member owns.
func (p *plan) blocks(index int) (blocks []int) {
	for b, o := range p.Owner {
		if int(o) == index {
			blocks = append(blocks, b)
		}
	}
	return blocks
}

// parsePlan reads and checks a plan, and returns the place of a node in it.
func parsePlan(body []byte, name string, s *Shape) (*plan, int, error) {
	p := new(plan)
	if err := json.Unmarshal(body, p); err != nil {
		return nil, 0, fmt.Errorf("%w: plan: %w", errWire, err)
	}
	me := slices.IndexFunc(p.Members, func(m member) bool { return m.Name == name })
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

// draw starts a frame: member i owns rows Cuts[i] to Cuts[i+1], exclusive. Epochs before
// Oldest have ended: frames that were begun in them are given up.
type draw struct {
	Cuts   []int  `json:"cuts"`
	Oldest uint32 `json:"oldest"`
}

// parseDraw reads and checks the start of a frame.
func parseDraw(body []byte, frame, members int, s *Shape) (*draw, error) {
	d := new(draw)
	if err := json.Unmarshal(body, d); err != nil {
		return nil, fmt.Errorf("%w: draw: %w", errWire, err)
	}
	if frame >= s.Frames || len(d.Cuts) != members+1 || d.Cuts[0] != 0 || d.Cuts[members] != s.Rows || !slices.IsSorted(d.Cuts) {
		return nil, fmt.Errorf("%w: draw frame %d with rows %v", errWire, frame, d.Cuts)
	}
	return d, nil
}

// own returns the rows of a member.
func (d *draw) own(index int) Rows { return Rows{d.Cuts[index], d.Cuts[index+1]} }

// appendKeys writes a layer's rows for another node: each its number, its length, 4 bytes
// each, and its bytes. Empty rows are left out.
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

// parseKeys returns the rows of a message by their number less need.Lo.
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

// A strip is what a node sends to the root when its part of a frame is done.
type strip struct {
	covered int       // pixels that show something
	seconds []float64 // of the node's blocks
	active  []uint32  // samples that the node's blocks show something in, by row of tiles
	bytes   int       // of the keys of these
	light   float64   // seconds that lighting and encoding took
	// picture is the pixels of own rows, or where Shape.Band is not 0 the bands whose last row is one of
	// them, encoded.
	picture []byte
}

// append writes a strip: covered, light, the number of blocks, that of rows, the bytes of keys, 8
// bytes each, seconds, samples of rows, the picture.
func (s *strip) append(b []byte) []byte {
	b = binary.LittleEndian.AppendUint64(b, uint64(s.covered))
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(s.light))
	b = binary.LittleEndian.AppendUint64(b, uint64(len(s.seconds)))
	b = binary.LittleEndian.AppendUint64(b, uint64(len(s.active)))
	b = binary.LittleEndian.AppendUint64(b, uint64(s.bytes))
	for _, t := range s.seconds {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(t))
	}
	for _, n := range s.active {
		b = binary.LittleEndian.AppendUint32(b, n)
	}
	return append(b, s.picture...)
}

// parseStrip reads a strip of own rows with the given number of blocks. Whether encoded bands are what
// they should be is left to RootOptions.Check.
func parseStrip(b []byte, blocks int, own Rows, shape *Shape) (*strip, error) {
	const head = 5 * 8
	rows, pixels := shape.Rows, shape.Width*shape.pixelRows(own).len()
	if n := len(b) - (head + 8*blocks + 4*rows); n < 0 || shape.Band == 0 && n != 4*pixels {
		return nil, fmt.Errorf("%w: strip of %d bytes", errWire, len(b))
	}
	word := func(i int) uint64 { return binary.LittleEndian.Uint64(b[8*i:]) }
	if word(2) != uint64(blocks) || word(3) != uint64(rows) || word(0) > uint64(pixels) || word(4) > math.MaxInt32 {
		return nil, fmt.Errorf("%w: strip of %d blocks and %d rows", errWire, word(2), word(3))
	}
	s := &strip{covered: int(word(0)), bytes: int(word(4)), light: math.Float64frombits(word(1)), seconds: make([]float64, blocks), active: make([]uint32, rows)}
	b = b[head:]
	for i := range s.seconds {
		s.seconds[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
	}
	b = b[8*blocks:]
	for i := range s.active {
		s.active[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	s.picture = b[4*rows:]
	for _, t := range append(slices.Clone(s.seconds), s.light) {
		if !(t >= 0 && t <= math.MaxFloat32) {
			return nil, fmt.Errorf("%w: strip with a time of %g s", errWire, t)
		}
	}
	return s, nil
}
