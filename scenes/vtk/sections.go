package vtk

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"lockstep/scenes/internal/cells"
	"lockstep/scenes/internal/text"
)

// readGeometry reads a section of points or cells. done is false if the section is of another kind.
func (l *legacy) readGeometry(what string, words []string) (done bool, err error) {
	n := 0
	switch what {
	case "POINTS", "VERTICES", "LINES", "POLYGONS", "TRIANGLE_STRIPS", "CELLS", "CELL_TYPES":
		if n, err = parseCount(words, 1); err != nil {
			return true, err
		}
	}
	switch what {
	case "POINTS":
		v, err := l.readNumbers(limitedProduct(3, n), wordAt(words, 2))
		if l.points.len() == 0 {
			l.points = v
		}
		return true, err
	case "VERTICES":
		return true, l.readCells(n, words, cells.PolyVertex)
	case "LINES":
		return true, l.readCells(n, words, cells.PolyLine)
	case "POLYGONS":
		return true, l.readCells(n, words, cells.Polygon)
	case "TRIANGLE_STRIPS":
		return true, l.readCells(n, words, cells.Strip)
	case "CELLS":
		return true, l.readCells(n, words, cells.Dropped)
	case "CELL_TYPES":
		return true, l.readTypes(n)
	}
	return false, nil
}

// readTypes reads the types of cells.
func (l *legacy) readTypes(n int) error {
	v, err := l.readNumbers(n, "int")
	if err := l.r.Reserve(int64(v.len())); err != nil {
		return err
	}
	l.grid.Types = make([]uint8, v.len())
	for c := range l.grid.Types {
		l.grid.Types[c] = typeOf(v.integer(c))
	}
	l.r.numbered = true
	l.usePolyhedra()
	return err
}

// usePolyhedra uses the lists of corners as g.Faces if some cells are polyhedra. In that case, these lists hold the
// faces of the cells.
func (l *legacy) usePolyhedra() {
	g := l.grid
	for c := range min(len(g.Types), len(g.Ends)) {
		if g.Types[c] == cells.Polyhedron {
			g.Faces, g.FaceEnds = g.Corners, g.Ends
			return
		}
	}
}

// readCells reads a list of n cells. Each cell is the number of its corners and then the corners. In version 5, the
// list is instead the ends of all cells and then all corners.
func (l *legacy) readCells(n int, words []string, kind uint8) error {
	size, err := parseCount(words, 2)
	if err != nil {
		return err
	}
	before := l.pos
	if next := l.nextLine(); len(next) > 0 && strings.EqualFold(next[0], "OFFSETS") {
		return l.readOffsets(n, size, next, kind)
	}
	l.pos = before
	v, err := l.readNumbers(size, "int")
	if err := l.r.Reserve(4*int64(v.len()) + cellBytes*int64(min(n, v.len()))); err != nil {
		return err
	}
	g, most := l.grid, min(n, v.len())
	g.Corners, g.Ends = slices.Grow(g.Corners, v.len()-most), slices.Grow(g.Ends, most)
	for at, c := 0, 0; c < n; c++ {
		if at >= v.len() {
			return cellsMissingError(err)
		}
		k := v.integer(at)
		at++
		if k < 0 || k > int64(v.len()-at) {
			if err != nil {
				return err
			}
			return fmt.Errorf("a cell of %d corners", k)
		}
		for range k {
			g.Corners = append(g.Corners, idOf(v.integer(at)))
			at++
		}
		l.addCell(kind, uint32(len(g.Corners)), k)
	}
	return err
}

func cellsMissingError(err error) error {
	if err == nil {
		return errors.New("fewer cells than the section says")
	}
	return err
}

// addCell adds a cell whose corners end at index `end`. If kind is Dropped, the cell belongs to an unstructured grid,
// which has the types of cells in another section.
func (l *legacy) addCell(kind uint8, end uint32, corners int64) {
	l.grid.Ends = append(l.grid.Ends, end)
	if kind != cells.Dropped {
		l.grid.Types = append(l.grid.Types, kind)
		l.r.numbered = l.r.numbered || kind == cells.Strip || kind == cells.Polygon && corners != 3
	}
}

// readOffsets reads a list of cells in the form of version 5.
func (l *legacy) readOffsets(n, size int, words []string, kind uint8) error {
	words = l.completeLine(words, listWords)
	l.returnData(words, listWords)
	v, err := l.readNumbers(n, wordAt(words, 1))
	if err != nil {
		return err
	}
	next := l.nextLine()
	if len(next) == 0 || !strings.EqualFold(next[0], "CONNECTIVITY") {
		return errors.New("OFFSETS without CONNECTIVITY")
	}
	next = l.completeLine(next, listWords)
	l.returnData(next, listWords)
	w, err := l.readNumbers(size, wordAt(next, 1))
	if !v.kind.isWhole() || !w.kind.isWhole() || v.kind == bits || w.kind == bits {
		return errors.New("its connectivity is no whole numbers")
	}
	if err := l.r.Reserve(4*int64(w.len()) + cellBytes*int64(v.len())); err != nil {
		return err
	}
	g := l.grid
	base := uint32(len(g.Corners))
	for i := 1; i < v.len(); i++ {
		l.addCell(kind, base+idOf(v.integer(i)), v.integer(i)-v.integer(i-1))
	}
	g.Corners = append(g.Corners, w.ids()...)
	return err
}

// readStructure reads a section about the shape of a structured grid. done is false if the section is of another kind.
func (l *legacy) readStructure(what string, words []string) (done bool, err error) {
	switch what {
	case "DIMENSIONS":
		points := 1
		for a := range l.dims {
			n, err := parseCount(words, 1+a)
			if err != nil || n < 1 || n > maxPoints/points {
				l.dims = [3]int{}
				return true, l.r.in.Damage(l.place(), "dimensions %s", text.Short(strings.Join(words[1:], " ")))
			}
			l.dims[a] = n
			points *= n
		}
	case "ORIGIN":
		return true, parseThree(words, &l.origin)
	case "SPACING", "ASPECT_RATIO":
		return true, parseThree(words, &l.spacing)
	case "X_COORDINATES", "Y_COORDINATES", "Z_COORDINATES":
		n, err := parseCount(words, 1)
		if err != nil {
			return true, err
		}
		l.along[what[0]-'X'], err = l.readNumbers(n, wordAt(words, 2))
		return true, err
	default:
		return false, nil
	}
	return true, nil
}

// readAttribute reads a section with data of points or cells. Data that pictures do not show is skipped.
func (l *legacy) readAttribute(what string, words []string) error {
	switch what {
	case "POINT_DATA", "CELL_DATA":
		n, err := parseCount(words, 1)
		if err != nil {
			return err
		}
		l.to, l.n = &l.grid.PointData, n
		if what == "CELL_DATA" {
			l.to = &l.grid.CellData
		}
		return nil
	case "SCALARS":
		return l.readScalars(words)
	case "COLOR_SCALARS":
		components, err := parseCount(words, 2)
		if err != nil {
			return err
		}
		return l.readColors(wordAt(words, 1), components)
	case "VECTORS":
		return l.readArray(wordAt(words, 1), 3, wordAt(words, 2), false)
	case "NORMALS": // skipped, because the renderer computes normals
		_, err := l.readNumbers(limitedProduct(3, l.n), wordAt(words, 2))
		return err
	case "TENSORS":
		return l.readArray(wordAt(words, 1), 9, wordAt(words, 2), false)
	case "TENSORS6":
		return l.readArray(wordAt(words, 1), 6, wordAt(words, 2), false)
	case "GLOBAL_IDS", "PEDIGREE_IDS", "EDGE_FLAGS":
		return l.readArray(wordAt(words, 1), 1, wordAt(words, 2), false)
	case "TEXTURE_COORDINATES":
		n, err := parseCount(words, 2)
		if err == nil {
			_, err = l.readNumbers(limitedProduct(n, l.n), wordAt(words, 3))
		}
		return err
	}
	return l.readOther(what, words)
}

// readOther reads sections with fields. It skips colour tables and metadata.
func (l *legacy) readOther(what string, words []string) error {
	switch what {
	case "LOOKUP_TABLE":
		n, err := parseCount(words, 2)
		if err != nil {
			return err
		}
		of := "float"
		if l.binary {
			of = "unsigned_char"
		}
		_, err = l.readNumbers(limitedProduct(4, n), of)
		return err
	case "FIELD":
		return l.readFields(words)
	case "METADATA": // ends with an empty line
		for l.pos < len(l.data) {
			line, _, _ := strings.Cut(string(l.data[l.pos:min(len(l.data), l.pos+text.MaxName)]), "\n")
			l.pos = min(len(l.data), l.pos+len(line)+1)
			if strings.TrimSpace(line) == "" {
				break
			}
		}
		return nil
	case "INFORMATION", "NAME", "DATA", "COMPONENT_NAMES":
		return nil
	}
	return fmt.Errorf("an unknown section")
}

// readFields reads arrays. Each starts with a line with a name, a size and a type.
func (l *legacy) readFields(words []string) error {
	n, err := parseCount(words, 2)
	if err != nil {
		return err
	}
	l.returnData(words, arraysWords)
	for range n {
		next := l.nextLine()
		if len(next) > 0 && strings.EqualFold(next[0], "METADATA") {
			if err := l.readOther("METADATA", next); err != nil {
				return err
			}
			next = l.nextLine()
		}
		if next == nil {
			return errEnd
		}
		next = l.completeLine(next, fieldWords)
		components, err := parseCount(next, 1)
		if err != nil {
			return err
		}
		tuples, err := parseCount(next, 2)
		if err != nil {
			return err
		}
		if strings.EqualFold(wordAt(next, 3), "string") {
			if err := l.skipStrings(limitedProduct(components, tuples)); err != nil {
				return err
			}
			continue
		}
		l.returnData(next, fieldWords)
		keep := l.n
		l.n = tuples
		if l.to == nil || tuples < keep {
			_, err = l.readNumbers(limitedProduct(components, tuples), wordAt(next, 3))
		} else {
			err = l.readArray(next[0], components, wordAt(next, 3), false)
		}
		if l.n = keep; err != nil {
			return err
		}
	}
	return nil
}

// skipStrings skips n strings. In a text, each string is a line. In binary, each string is its length, in 1 to 8 bytes,
// and then its bytes. The first two bits of the length tell how many bytes the length takes.
func (l *legacy) skipStrings(n int) error {
	for range n {
		if l.pos >= len(l.data) {
			return errEnd
		}
		if !l.binary {
			end := strings.IndexByte(string(l.data[l.pos:min(len(l.data), l.pos+1<<16)]), '\n')
			if end < 0 {
				return errEnd
			}
			l.pos += end + 1
			continue
		}
		bytes := 8 >> (l.data[l.pos] >> 6)
		if l.pos+bytes > len(l.data) {
			return errEnd
		}
		size := uint64(l.data[l.pos] & 63)
		for _, b := range l.data[l.pos+1 : l.pos+bytes] {
			size = size<<8 | uint64(b)
		}
		if l.pos += bytes; size > uint64(len(l.data)-l.pos) {
			return errEnd
		}
		l.pos += int(size)
	}
	return nil
}

// readArray reads an array of data and adds it to l.to.
func (l *legacy) readArray(name string, components int, of string, colors bool) error {
	if l.to == nil {
		return errors.New("numbers of neither points nor cells")
	}
	v, err := l.readNumbers(limitedProduct(components, l.n), of)
	if l.r.in.Options.Flat && !colors || v.len() == 0 || components == 0 {
		return err
	}
	if err != nil && !errors.Is(err, errEnd) {
		return err
	}
	if err := l.r.Reserve(4 * int64(v.len())); err != nil {
		return err
	}
	if plain, err := url.PathUnescape(name); err == nil {
		name = plain // spaces are %20 in the file
	}
	a := cells.Array{Name: name, Components: components, Values: v.asFloat32(), Colors: colors || v.kind == uint8s && (components == 3 || components == 4)}
	return l.r.addArray(l.to, a, l.n, "entries") // warns about missing entries
}

// readColors reads colours, which are bytes in a binary file and numbers from 0 to 1 in a text.
func (l *legacy) readColors(name string, components int) error {
	of := "float"
	if l.binary {
		of = "unsigned_char"
	}
	if components < 3 {
		_, err := l.readNumbers(limitedProduct(components, l.n), of)
		return err
	}
	if err := l.readArray(name, components, of, true); err != nil || l.binary || len(*l.to) == 0 {
		return err
	}
	a := &(*l.to)[len(*l.to)-1]
	if a.Name == name {
		for i := range a.Values {
			a.Values[i] *= 255
		}
	}
	return nil
}
