package vtk

import (
	"encoding/binary"
	"errors"
	"math"
	"strings"

	"lockstep/scenes/internal/text"
)

// A numbers holds the numbers of an array: as bytes of the file or, if they were text, as float64.
type numbers struct {
	kind kind
	data []byte
	big  bool
	text []float64 // numbers from a text; data is then nil
}

// len returns how many numbers n holds.
func (n *numbers) len() int {
	switch {
	case n.data == nil:
		return len(n.text)
	case n.kind == bits:
		return 8 * len(n.data)
	}
	return len(n.data) / n.kind.size()
}

// truncate removes all numbers after the first `most` numbers.
func (n *numbers) truncate(most int) {
	switch {
	case most >= n.len():
	case n.data == nil:
		n.text = n.text[:most]
	case n.kind == bits:
		n.data = n.data[:(most+7)/8]
	default:
		n.data = n.data[:most*n.kind.size()]
	}
}

// integer returns number i of an array of integers.
func (n *numbers) integer(i int) int64 {
	if n.data == nil {
		v := n.text[i]
		if !(v > -1e18 && v < 1e18) {
			return -1
		}
		return int64(v)
	}
	b := n.data[i*n.kind.size():]
	order := binary.ByteOrder(binary.LittleEndian)
	if n.big {
		order = binary.BigEndian
	}
	switch n.kind {
	case int8s:
		return int64(int8(b[0]))
	case uint8s:
		return int64(b[0])
	case int16s:
		return int64(int16(order.Uint16(b)))
	case uint16s:
		return int64(order.Uint16(b))
	case int32s:
		return int64(int32(order.Uint32(b)))
	case uint32s:
		return int64(order.Uint32(b))
	}
	return int64(order.Uint64(b))
}

// at returns number i.
func (n *numbers) at(i int) float64 {
	if n.data == nil {
		return n.text[i]
	}
	switch n.kind {
	case float32s:
		if n.big {
			return float64(math.Float32frombits(binary.BigEndian.Uint32(n.data[4*i:])))
		}
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(n.data[4*i:])))
	case float64s:
		if n.big {
			return math.Float64frombits(binary.BigEndian.Uint64(n.data[8*i:]))
		}
		return math.Float64frombits(binary.LittleEndian.Uint64(n.data[8*i:]))
	case bits:
		return float64(n.data[i/8] >> (7 - i%8) & 1)
	case uint64s:
		return float64(uint64(n.integer(i)))
	}
	return float64(n.integer(i))
}

// idOf converts an integer to the index of a point, or to noID if it is out of range.
func idOf(v int64) uint32 {
	if v < 0 || v >= noID {
		return noID
	}
	return uint32(v)
}

// asFloat32 returns all numbers as float32.
func (n *numbers) asFloat32() []float32 {
	all := make([]float32, n.len())
	switch {
	case n.data != nil && n.kind == float32s && !n.big:
		for i := range all {
			all[i] = math.Float32frombits(binary.LittleEndian.Uint32(n.data[4*i:]))
		}
	case n.data != nil && n.kind == float64s && !n.big:
		for i := range all {
			all[i] = float32(math.Float64frombits(binary.LittleEndian.Uint64(n.data[8*i:])))
		}
	default:
		for i := range all {
			all[i] = float32(n.at(i))
		}
	}
	return all
}

// noID is a number that is not the index of any point.
const noID = math.MaxUint32

// ids returns all numbers of an array as indices of points. A number that cannot be an index becomes noID.
func (n *numbers) ids() []uint32 {
	all := make([]uint32, n.len())
	for i := range all {
		if v := n.integer(i); v >= 0 && v < noID {
			all[i] = uint32(v)
		} else {
			all[i] = noID
		}
	}
	return all
}

// point returns point i of an array that has three coordinates for each point.
func (n *numbers) point(i int) [3]float64 {
	return [3]float64{n.at(3 * i), n.at(3*i + 1), n.at(3*i + 2)}
}

// textBytes is the least number of bytes of a number in a text.
const textBytes = 2

// parse reads at most `most` numbers of a text, or all numbers if `most` is negative. taken is the number of bytes
// read. ok is false if there is a word that is not a number.
func (n *numbers) parse(words []byte, most int) (taken int, ok bool) {
	room := len(words)/textBytes + 1
	if most >= 0 {
		room = min(room, most)
	}
	n.text = make([]float64, 0, room)
	list := text.NumbersOf(words)
	for len(n.text) != most && list.More() {
		before := list.Taken()
		v, ok := list.Float()
		if !ok {
			return before, false
		}
		n.text = append(n.text, v)
	}
	return list.Taken(), true
}

// parseThree parses the three numbers after the first word of a line into `to`.
func parseThree(words []string, to *[3]float64) error {
	list := text.NumbersOf([]byte(strings.Join(words[1:], " ")))
	for a := range to {
		v, ok := list.Float()
		if !ok {
			return errors.New("fewer than three numbers")
		}
		to[a] = v
	}
	return nil
}
