package msh

import (
	"fmt"

	"lockstep/scenes/internal/cells"
)

// leastText is the least number of bytes that a node or an element takes in a text. nodeBytes is the memory in bytes
// of a node, and elementBytes that of an element.
const (
	leastText    = 4
	nodeBytes    = 3*8 + 8
	elementBytes = 1 + 4 + 8 + 4 + 4
)

// readNodes2 reads the nodes of version 2. Each node has a tag and a position.
func (r *reader) readNodes2() error {
	n := r.integerLine()
	for range n {
		if err := r.addNode(r.integer(4)); err != nil || r.err != nil {
			return err
		}
		r.places[len(r.places)-1] = [3]float64{r.float(), r.float(), r.float()}
		if r.err != nil {
			r.places, r.tags = r.places[:len(r.places)-1], r.tags[:len(r.tags)-1]
			return nil
		}
	}
	return nil
}

// addNode adds a node with a tag. The caller adds its position.
func (r *reader) addNode(tag int64) error {
	if r.err != nil {
		return nil
	}
	if len(r.places) == cap(r.places) {
		if err := r.in.Allow(0, r.Held+3*nodeBytes*int64(cap(r.places))); err != nil {
			return err
		}
		if err := r.in.Context().Err(); err != nil {
			return err
		}
		r.Held += nodeBytes * int64(cap(r.places))
	}
	r.places, r.tags = append(r.places, [3]float64{}), append(r.tags, tag)
	return nil
}

// readNodes4 reads the nodes of version 4.1. They are grouped by entity, which is a part of the CAD model. Each group
// has all tags first and then all positions.
func (r *reader) readNodes4() error {
	blocks := r.count(8, 4)
	r.integer(8)
	r.integer(8)
	r.integer(8)
	for range blocks {
		dimension, _, parametric := r.integer(4), r.integer(4), r.integer(4)
		n := r.count(8, leastText)
		first := len(r.places)
		for range n {
			if err := r.addNode(r.integer(8)); err != nil {
				return err
			}
		}
		for i := range n {
			if r.err != nil {
				break
			}
			p := [3]float64{r.float(), r.float(), r.float()}
			if parametric != 0 {
				for range min(max(dimension, 0), 3) {
					r.float()
				}
			}
			if r.err == nil {
				r.places[first+i] = p

			} else {
				r.places, r.tags = r.places[:first+i], r.tags[:first+i]
			}
		}
		if r.err != nil {
			return nil
		}
	}
	return nil
}

// A kind is the cell type of an element, as numbered by package cells, and the number of nodes of such an element.
type kind struct {
	cell  uint8
	nodes int
}

// kinds maps Gmsh's numbers for types of elements to kinds.
var kinds = map[int64]kind{
	1: {cells.Line, 2}, 2: {cells.Triangle, 3}, 3: {cells.Quad, 4}, 4: {cells.Tetra, 4}, 5: {cells.Hexahedron, 8}, 6: {cells.Wedge, 6},
	7: {cells.Pyramid, 5}, 8: {cells.Line, 3}, 9: {22, 6}, 10: {28, 9}, 11: {24, 10}, 12: {29, 27}, 13: {32, 18}, 14: {37, 14},
	15: {cells.Vertex, 1}, 16: {23, 8}, 17: {25, 20}, 18: {26, 15}, 19: {27, 13}, 20: {69, 9}, 21: {69, 10}, 22: {69, 12}, 23: {69, 15},
	24: {69, 15}, 25: {69, 21}, 26: {cells.Line, 4}, 27: {cells.Line, 5}, 28: {cells.Line, 6}, 29: {71, 20}, 30: {71, 35}, 31: {71, 56},
	36: {70, 16}, 37: {70, 25}, 38: {70, 36}, 42: {69, 28}, 43: {69, 36}, 44: {69, 45}, 45: {69, 55}, 46: {69, 66}, 47: {70, 49},
	48: {70, 64}, 49: {70, 81}, 50: {70, 100}, 51: {70, 121}, 62: {cells.Line, 7}, 63: {cells.Line, 8}, 64: {cells.Line, 9},
	65: {cells.Line, 10}, 66: {cells.Line, 11}, 71: {71, 84}, 72: {71, 120}, 73: {71, 165}, 74: {71, 220}, 75: {71, 286},
	90: {73, 40}, 91: {73, 75}, 92: {72, 64}, 93: {72, 125}, 94: {72, 216}, 95: {72, 343}, 96: {72, 512}, 97: {72, 729}, 98: {72, 1000},
	106: {73, 126}, 107: {73, 196}, 108: {73, 288}, 109: {73, 405}, 110: {73, 550}, 118: {74, 30}, 119: {74, 55},
	120: {74, 91}, 121: {74, 140}, 122: {74, 204}, 123: {74, 285}, 124: {74, 385},
}

// addElement adds an element. The caller adds its nodes.
func (r *reader) addElement(id int64, of kind, entity, group int64) error {
	g := &r.grid
	if len(g.Types) == cap(g.Types) || len(g.Corners)+of.nodes > cap(g.Corners) {
		more := elementBytes*int64(cap(g.Types)) + 4*int64(cap(g.Corners))
		if err := r.in.Allow(0, r.Held+3*more); err != nil {
			return err
		}
		if err := r.in.Context().Err(); err != nil {
			return err
		}
	}
	g.Types, r.ids = append(g.Types, of.cell), append(r.ids, id)
	r.entity, r.group = append(r.entity, float32(entity)), append(r.group, float32(group))
	return nil
}

// readElementNodes reads the n nodes of the last element. The file refers to nodes by tags, which have `size` bytes in
// a binary file.
func (r *reader) readElementNodes(n, size int) {
	g := &r.grid
	before := len(g.Corners)
	for range n {
		g.Corners = append(g.Corners, r.nodeIndex(r.integer(size)))
	}
	if r.err != nil { // drops the element, which is incomplete
		last := len(g.Types) - 1
		g.Corners = g.Corners[:before]
		g.Types, r.ids, r.entity, r.group = g.Types[:last], r.ids[:last], r.entity[:last], r.group[:last]
		return
	}
	g.Ends = append(g.Ends, uint32(len(g.Corners)))
}

// readElements2 reads the elements of version 2. In a text, each element has its own type. In a binary file,
// consecutive elements share a type.
func (r *reader) readElements2() error {
	total := r.integerLine()
	if err := r.numberNodes(); err != nil {
		return err
	}
	for done := 0; done < total && r.err == nil; {
		var id int64
		if !r.binary {
			id = r.integer(4)
		}
		of, err := r.kind(r.integer(4))
		if err != nil {
			return err
		}
		n := 1
		if r.binary {
			n = r.count(4, 4)
		}
		tags := r.count(4, 1)
		for range n {
			if r.binary {
				id = r.integer(4)
			}
			var first [2]int64
			for i := range tags {
				if v := r.integer(4); i < len(first) {
					first[i] = v
				}
			}
			if r.err != nil {
				return nil
			}
			if err := r.addElement(id, of, first[1], first[0]); err != nil {
				return err
			}
			r.readElementNodes(of.nodes, 4)
		}
		done += max(n, 1)
	}
	return nil
}

// kind returns the kind for Gmsh's element type t. An unknown type is an error that ends the section. The reader cannot
// skip such an element, because it does not know its size.
func (r *reader) kind(t int64) (kind, error) {
	of, ok := kinds[t]
	if !ok && r.err == nil {
		return of, fmt.Errorf("elements of the unknown type %d", t)
	}
	return of, nil
}

// readElements4 reads the elements of version 4.1. They come in blocks, whose elements have the same entity and type.
func (r *reader) readElements4() error {
	blocks := r.count(8, 4)
	r.integer(8)
	r.integer(8)
	r.integer(8)
	if err := r.numberNodes(); err != nil {
		return err
	}
	for range blocks {
		r.integer(4)
		entity := r.integer(4)
		of, err := r.kind(r.integer(4))
		if err != nil {
			return err
		}
		for range r.count(8, leastText) {
			id := r.integer(8)
			if r.err != nil {
				return nil
			}
			if err := r.addElement(id, of, entity, 0); err != nil {
				return err
			}
			r.readElementNodes(of.nodes, 8)
		}
		if r.err != nil {
			return nil
		}
	}
	return nil
}

// tableBytes is the memory in bytes per entry of the map that tagTable returns.
const tableBytes = 40

// tagTable returns a map from each tag to its index in tags. If the tags are 1, 2, 3 and so on, no map is needed, and
// tagTable returns nil.
func (r *reader) tagTable(tags []int64) (map[int64]uint32, error) {
	for i, tag := range tags {
		if tag != int64(i)+1 {
			if err := r.Reserve(tableBytes * int64(len(tags))); err != nil {
				return nil, err
			}
			m := make(map[int64]uint32, len(tags))
			for i, tag := range tags {
				m[tag] = uint32(i)
			}
			return m, nil
		}
	}
	return nil, nil
}

// noNode is the index of a node that does not exist.
const noNode = 1<<32 - 1

// nodeIndex returns the index of the node with a tag, or noNode.
func (r *reader) nodeIndex(tag int64) uint32 { return lookUp(r.indexOf, len(r.tags), tag) }

// lookUp returns the index of a tag in a table of n tags, or noNode if the tag is missing. A nil table means the tags 1
// to n.
func lookUp(table map[int64]uint32, n int, tag int64) uint32 {
	if table != nil {
		if i, ok := table[tag]; ok {
			return i
		}
		return noNode
	}
	if tag < 1 || tag > int64(n) {
		return noNode
	}
	return uint32(tag - 1)
}

// numberNodes makes the table that the method nodeIndex uses. It must be called after all nodes were read.
func (r *reader) numberNodes() (err error) {
	r.indexOf, err = r.tagTable(r.tags)
	return err
}
