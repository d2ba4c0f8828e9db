package collada

import (
	"lockstep/scenes/internal/corners"
	"lockstep/scenes/internal/text"
	"lockstep/scenes/internal/xmltree"
)

// slot returns the index of the builder's list of triangles for a symbol.
func (g *geometry) slot(symbol string) int {
	i, ok := g.symbolAt[symbol]
	if !ok {
		i = len(g.symbols)
		g.symbolAt[symbol] = i
		g.symbols, g.slots = append(g.symbols, symbol), append(g.slots, g.builder.Slot(int32(i)))
	}
	return g.slots[i]
}

// maxSymbols is the greatest number of symbols of a geometry.
const maxSymbols = 1 << 12

// addPolygons adds the polygons of a primitive.
func (m *meshReader) addPolygons(g *geometry, p *primitive) error {
	if len(g.symbols) >= maxSymbols {
		return m.warn.Add(placeOf(p.node), "left out: the geometry has more than %d materials", maxSymbols)
	}
	to := g.slot(p.node.Attr("material"))
	var err error
	switch p.node.Name() {
	case "triangles":
		for list := range p.node.Each("p") {
			if err == nil {
				err = m.addList(g, p, to, list, nil)
			}
		}
	case "polylist":
		counts := text.NumbersOf(p.node.Child("vcount").Words())
		for list := range p.node.Each("p") {
			if err == nil {
				err = m.addList(g, p, to, list, &counts)
			}
		}
		for n := int64(0); n == 0 && counts.More(); { // skips polygons without corners
			if n, _ = counts.Int(); n == 0 {
				p.seen++
			}
		}
	case "polygons":
		err = m.addPolygonElements(g, p, to)
	default: // strips and fans: their count is not checked, because some programs write the number of triangles there
		for list := range p.node.Each("p") {
			if err == nil {
				err = m.addStrip(g, p, to, list)
			}
		}
		return err
	}
	if n, ok := p.node.Int("count"); err == nil && ok && p.seen < n {
		err = m.warn.Add(placeOf(p.node), "there are %d of %d %s", p.seen, n, p.node.Name())
	}
	return err
}

// A cornerReader reads the corners in the list of an element one by one.
type cornerReader struct {
	p       *primitive
	numbers text.Numbers
	one     []int64 // numbers of the current corner, one for each input
}

func (p *primitive) cornersIn(list xmltree.Node) *cornerReader {
	return &cornerReader{p: p, numbers: text.NumbersOf(list.Words()), one: make([]int64, p.stride)}
}

// next returns the next corner. ok is false at the end of the list.
func (c *cornerReader) next() (out corners.Corner, ok bool) {
	for i := range c.one {
		if !c.numbers.More() {
			return out, false
		}
		v, fine := c.numbers.Int()
		if !fine {
			v = invalidEntry
		}
		c.one[i] = v
	}
	for list, to := range [4]*int32{&out.Position, &out.Normal, &out.Color, &out.TexCoord} {
		*to = corners.None
		if offset := c.p.offset[list]; offset >= 0 {
			*to = c.p.sets[list].listIndex(c.one[offset])
		}
	}
	return out, true
}

// invalidEntry is an index beyond the end of every list.
const invalidEntry = 1<<31 - 1

// listIndex converts an index into the source to an index into the builder's list. It returns invalidEntry if the
// source has no such entry.
func (s entryRange) listIndex(i int64) int32 {
	if i < 0 {
		return corners.None
	}
	if i >= int64(s.n) {
		return invalidEntry
	}
	return int32(s.first + int(i))
}

// addList adds the polygons of a list of corners to triangle list `to` of the builder. counts holds the number of
// corners of each polygon. If counts is nil, all polygons are triangles.
func (m *meshReader) addList(g *geometry, p *primitive, to int, list xmltree.Node, counts *text.Numbers) error {
	c := p.cornersIn(list)
	var one []corners.Corner
	for c.numbers.More() {
		n := int64(3)
		if counts != nil {
			var ok bool
			if n, ok = counts.Int(); !ok || n < 0 {
				return m.warn.Add(placeOf(list), "corners without a number of them in vcount left out")
			}
		}
		p.seen++
		one = one[:0]
		whole := true
		for i := int64(0); i < n && whole; i++ {
			var corner corners.Corner
			if corner, whole = c.next(); whole && i <= corners.MaxPolygon {
				one = append(one, corner)
			}
		}
		if !whole {
			return m.warn.Add(placeOf(list), "the corners end within a polygon, which is left out")
		}
		if len(one) < 3 && counts != nil && len(one) > 0 {
			continue // some programs write points and lines as polygons
		}
		if err := g.builder.Add(to, one); err != nil {
			return err
		}
	}
	return nil
}

// allCorners returns all corners in the list of an element.
func (m *meshReader) allCorners(p *primitive, list xmltree.Node) (all []corners.Corner, err error) {
	c := p.cornersIn(list)
	words := int64(len(list.Body()))
	if err := m.Reserve(16 * (words/int64(2*p.stride) + 1)); err != nil {
		return nil, err
	}
	for one, ok := c.next(); ok; one, ok = c.next() {
		all = append(all, one)
	}
	m.Held -= 16 * (words/int64(2*p.stride) + 1) // the memory of the corners is released soon
	return all, nil
}

// addStrip adds the triangles of a strip or a fan. It skips a triangle of a strip if two of its corners have the same
// position. Such triangles only connect parts of the strip.
func (m *meshReader) addStrip(g *geometry, p *primitive, to int, list xmltree.Node) error {
	all, err := m.allCorners(p, list)
	if err != nil {
		return err
	}
	if len(all) < 3 {
		g.builder.Dropped++
		return nil
	}
	fan := p.node.Name() == "trifans"
	for i := range len(all) - 2 {
		one := [3]corners.Corner{all[i], all[i+1], all[i+2]}
		switch {
		case fan:
			one[0] = all[0]
		case i%2 == 1:
			one[0], one[1] = one[1], one[0]
		}
		if !fan && (one[0].Position == one[1].Position || one[1].Position == one[2].Position || one[2].Position == one[0].Position) {
			continue
		}
		if err := g.builder.Add(to, one[:]); err != nil {
			return err
		}
	}
	return nil
}

// addPolygonElements adds the polygons of an element in which each polygon has an element of its own. Such polygons may
// have holes.
func (m *meshReader) addPolygonElements(g *geometry, p *primitive, to int) error {
	filled := 0
	for n := range p.node.All() {
		var holes [][]corners.Corner
		outline := n
		switch n.Name() {
		case "p":
		case "ph":
			outline = n.Child("p")
			for h := range n.Each("h") {
				hole, err := m.allCorners(p, h)
				if err != nil {
					return err
				}
				holes = append(holes, hole)
			}
		default:
			continue
		}
		p.seen++
		all, err := m.allCorners(p, outline)
		if err != nil {
			return err
		}
		whole, err := g.builder.AddWithHoles(to, all, holes)
		if err != nil {
			return err
		}
		if !whole {
			filled++
		}
	}
	if filled > 0 {
		return m.warn.Add(placeOf(p.node), "holes of %d polygons are filled: their corners are not there, or far too many", filled)
	}
	return nil
}
