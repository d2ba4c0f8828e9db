package msh

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"

	"lockstep/scenes/internal/cells"
	"lockstep/scenes/internal/text"
)

// maxDataSections is how many data sections are read. Further ones are ignored.
const maxDataSections = 256

// completeGrid reads the data sections, which refer to nodes and elements of the whole file, and completes the grid.
func (r *reader) completeGrid() (err error) {
	if r.version == "" {
		return r.in.Damage(r.place(), "a file without a header")
	}
	g := &r.grid
	g.N, g.At = len(r.places), func(i int) [3]float64 { return r.places[i] }
	if err := r.Reserve(elementBytes*int64(cap(g.Types)) + 4*int64(cap(g.Corners))); err != nil {
		return err
	}
	if r.element, err = r.tagTable(r.ids); err != nil {
		return err
	}
	for _, s := range r.dataSections[:min(len(r.dataSections), maxDataSections)] {
		r.pos, r.err = s.pos, nil
		err := r.readData4(s.name)
		if err == nil {
			err = r.err
		}
		if err == nil {
			continue
		}
		if r.isFatal(err) {
			return err
		}
		if err := r.warn.Add(r.place(), "%s: %s", s.name, text.OneLine(err.Error())); err != nil {
			return err
		}
	}
	if r.skipped > 0 {
		if err := r.warn.Add("its data", "%s not drawn", text.Counts(text.Count{N: r.skipped, One: "field of corners of elements", More: "fields of corners of elements"})); err != nil {
			return err
		}
	}
	if !r.in.Options.Flat && len(r.ids) > 0 {
		g.CellData = append(g.CellData, cells.Array{Name: "geometrical", Components: 1, Values: r.entity})
		if slices.ContainsFunc(r.group, func(v float32) bool { return v != 0 }) {
			g.CellData = append(g.CellData, cells.Array{Name: "physical", Components: 1, Values: r.group})
		}
	}
	return nil
}

// maxComponents is the greatest number of components in the data of a node or element.
const maxComponents = 64

// readHeader4 reads the header of a data section: its name, and the numbers of components and entries.
func (r *reader) readHeader4() (name string, components, entries int, err error) {
	for i := range r.integerLine() {
		line := bytes.Trim(r.line(), `"`)
		if r.pos >= len(r.data) {
			return "", 0, 0, errEnd
		}
		if i == 0 {
			name = string(line[:min(len(line), text.MaxName)])
		}
	}
	for range r.integerLine() {
		if r.line() == nil {
			return "", 0, 0, errEnd
		}
	}
	var sizes [3]int // number of the time step, count of components, count of entries
	for i := range r.integerLine() {
		if n := r.integerLine(); i < len(sizes) {
			sizes[i] = n
		}
		if r.err != nil {
			break
		}
	}
	return name, sizes[1], sizes[2], nil
}

// readData4 reads a data section: a header, and then the tag and the numbers of each node or element. Of several time
// steps it reads only the first.
func (r *reader) readData4(section string) error {
	name, components, entries, err := r.readHeader4()
	if err != nil || r.err != nil {
		return err
	}
	if components < 1 || components > maxComponents {
		return fmt.Errorf("%d components", components)
	}
	to, n, table := &r.grid.PointData, len(r.tags), r.indexOf
	if section == "ElementData" {
		to, n, table = &r.grid.CellData, len(r.ids), r.element
	}
	if name = strings.TrimSpace(name); slices.ContainsFunc(*to, func(a cells.Array) bool { return a.Name == name }) {
		return nil // skips a later time step
	}
	if entries > (len(r.data)-r.pos)/(2*components)+1 {
		return fmt.Errorf("%d entries, more than its bytes hold", entries)
	}
	if err := r.fields.Spend(r.in, int64(n)*int64(components)); err != nil {
		return err
	}
	if err := r.Reserve(4 * int64(n) * int64(components)); err != nil {
		return err
	}
	values := slices.Repeat([]float32{float32(math.NaN())}, n*components)
	for range entries {
		at := lookUp(table, n, r.integer(4))
		for c := range components {
			v := r.float()
			if at != noNode && r.err == nil {
				values[int(at)*components+c] = float32(v)
			}
		}
		if r.err != nil {
			break
		}
	}
	*to = append(*to, cells.Array{Name: name, Components: components, Values: values})
	return nil
}
