package vtk

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"

	"lockstep/scenes/internal/cells"
	"lockstep/scenes/internal/text"
)

// A legacy reads a file of the older format, which is not XML. The file has lines of words, and numbers between them,
// as text or in big-endian binary.
type legacy struct {
	r      *reader
	data   []byte
	pos    int
	line   int // offset of the start of a line; the method place counts lines from there
	lines  int // number of lines before the offset `line`
	start  int // offset of the line that nextLine returned last
	binary bool
	kind   string // kind of the data set

	grid    *cells.Grid
	points  numbers
	along   [3]numbers // coordinates of rectilinear grids
	dims    [3]int
	origin  [3]float64
	spacing [3]float64

	to *[]cells.Array // list for the next arrays; nil: they are skipped
	n  int            // number of entries of each of these arrays
}

// errEnd is the error for a file that ends inside a list of numbers.
var errEnd = errors.New("the file ends early")

// errType is the error for a section whose numbers have no known size. The next section cannot be found then.
var errType = errors.New("numbers of the unknown type")

// place names the current position for messages.
func (l *legacy) place() string {
	if l.binary {
		return fmt.Sprintf("byte %d", l.pos)
	}
	l.lines += bytes.Count(l.data[l.line:max(l.line, l.pos)], []byte{'\n'})
	l.line = max(l.line, l.pos)
	return fmt.Sprintf("line %d", l.lines+1)
}

// nextLine returns the words of the next line that is not blank, or nil at the end of the file.
func (l *legacy) nextLine() []string {
	for l.pos < len(l.data) {
		rest := l.data[l.pos:]
		n := bytes.IndexByte(rest, '\n')
		if n < 0 {
			n = len(rest)
		}
		l.pos = min(len(l.data), l.pos+n+1)
		if words := strings.Fields(string(rest[:min(n, text.MaxName)])); len(words) > 0 {
			l.start = len(l.data) - len(rest)
			return words
		}
	}
	return nil
}

// leading maps each section with numbers to how many words of its first line precede the numbers. SCALARS is missing:
// its line may also state a number of components, and its numbers follow the words of a table.
var leading = map[string]int{
	"POINTS": 3, "VERTICES": 3, "LINES": 3, "POLYGONS": 3, "TRIANGLE_STRIPS": 3, "CELLS": 3, "CELL_TYPES": 2,
	"X_COORDINATES": 3, "Y_COORDINATES": 3, "Z_COORDINATES": 3,
	"VECTORS": 3, "NORMALS": 3, "TENSORS": 3, "TENSORS6": 3, "GLOBAL_IDS": 3, "PEDIGREE_IDS": 3, "EDGE_FLAGS": 3,
	"COLOR_SCALARS": 3, "TEXTURE_COORDINATES": 4, "LOOKUP_TABLE": 3,
}

// others maps the other sections to how many words their first lines have. The first line of SCALARS may have more.
var others = map[string]int{
	"DATASET": 2, "SCALARS": scalarWords, "POINT_DATA": 2, "CELL_DATA": 2, "FIELD": arraysWords,
	"DIMENSIONS": 4, "ORIGIN": 4, "SPACING": 4, "ASPECT_RATIO": 4, "METADATA": 1,
}

// Numbers of words before the numbers of a section.
const (
	fieldWords  = 4 // of an array of fields
	listWords   = 2 // of a list of OFFSETS or CONNECTIVITY
	arraysWords = 3 // of a section FIELD
	scalarWords = 3 // of a section SCALARS
)

// returnData moves back to the data after the first n words of the last line that was read. In some texts, data starts
// on the same line as these words.
func (l *legacy) returnData(words []string, n int) {
	if l.binary || len(words) <= n {
		return
	}
	l.pos = l.start
	for range n {
		l.nextWord()
	}
}

// completeLine returns the words of a line that should have n words. Like VTK, it takes missing words from the next
// lines. It stops before the name of a section, and then returns fewer words.
func (l *legacy) completeLine(words []string, n int) []string {
	if len(words) >= n {
		return words
	}
	for len(words) < n {
		before := l.pos
		next := l.nextWord()
		if leading[next]+others[next] > 0 || next == "" {
			l.pos = before
			return words
		}
		words = append(words, next)
	}
	line, _, _ := bytes.Cut(l.data[l.pos:], []byte{'\n'})
	if l.binary || len(bytes.TrimSpace(line)) == 0 {
		l.pos = min(len(l.data), l.pos+len(line)+1)
	}
	return words
}

// nextWord returns the next word, which may be on a later line, or "" at the end of the file.
func (l *legacy) nextWord() string {
	for l.pos < len(l.data) && unicode.IsSpace(rune(l.data[l.pos])) {
		l.pos++
	}
	start := l.pos
	for l.pos < len(l.data) && !unicode.IsSpace(rune(l.data[l.pos])) {
		l.pos++
	}
	return string(l.data[start:min(l.pos, start+text.MaxName)])
}

// readLegacy reads a legacy file.
func (r *reader) readLegacy(data []byte) error {
	l := &legacy{r: r, data: data, grid: &cells.Grid{}, spacing: [3]float64{1, 1, 1}}
	for range 2 { // skip the version and the title
		end := bytes.IndexByte(l.data[l.pos:], '\n')
		if end < 0 {
			return r.in.Damage("line 1", "the file ends within its header")
		}
		l.pos += end + 1
	}
	switch words := l.nextLine(); {
	case len(words) == 1 && strings.EqualFold(words[0], "BINARY"):
		l.binary = true
	case len(words) == 1 && strings.EqualFold(words[0], "ASCII"):
	default:
		return r.in.Damage(l.place(), "%s where ASCII or BINARY should be", text.Short(strings.Join(words, " ")))
	}
	for {
		words := l.nextLine()
		if words == nil {
			break
		}
		if err := l.readSection(words); err != nil {
			if r.isFatal(err) {
				return err
			}
			if err := r.warn.Add(l.place(), "%s: %s", text.Short(words[0]), text.OneLine(err.Error())); err != nil {
				return err
			}
			if errors.Is(err, errEnd) || errors.Is(err, errType) || l.kind == "" {
				break
			}
		}
	}
	return l.finishGrid()
}

// finishGrid completes the grid after all sections were read.
func (l *legacy) finishGrid() error {
	g := l.grid
	switch l.kind {
	case "":
		return l.r.in.Damage(l.place(), "the file has no data set")
	case "STRUCTURED_GRID", "STRUCTURED_POINTS", "RECTILINEAR_GRID":
		if l.dims[0] == 0 {
			return l.r.in.Damage(l.place(), "a structured grid without dimensions")
		}
		n := l.dims[0] * l.dims[1] * l.dims[2]
		g.Dims, l.r.numbered = l.dims, true
		switch l.kind {
		case "STRUCTURED_POINTS":
			e := [6]int{}
			g.N, g.At = n, imagePoints(e, l.dims, spaced(l.origin), spaced(l.spacing), nil)
		case "RECTILINEAR_GRID":
			for a := range l.dims {
				if l.along[a].len() < l.dims[a] {
					return l.r.in.Damage(l.place(), "%d of %d coordinates", l.along[a].len(), l.dims[a])
				}
			}
			g.N, g.At = n, gridPoints(l.dims, &l.along)
		default:
			g.N, g.At = l.points.len()/3, l.points.point
			if g.N < n {
				return l.r.in.Damage(l.place(), "%d points of a grid of %d", g.N, n)
			}
		}
	default:
		g.N, g.At = l.points.len()/3, l.points.point
		n := min(len(g.Types), len(g.Ends)) // fewer if some types are missing
		g.Types, g.Ends = g.Types[:n], g.Ends[:n]
	}
	l.r.addGrid(g)
	return nil
}

// spaced returns the three numbers of v as text, each followed by a space.
func spaced(v [3]float64) []byte {
	var b []byte
	for _, x := range v {
		b = append(strconv.AppendFloat(b, x, 'g', -1, 64), ' ')
	}
	return b
}

// readSection reads the section whose first line has the given words.
func (l *legacy) readSection(words []string) error {
	word := strings.ToUpper(words[0])
	if word != "LOOKUP_TABLE" { // otherwise it is left over from a section that could not be read
		words = l.completeLine(words, leading[word]+others[word])
	}
	if word == "DATASET" {
		if len(words) < 2 || l.kind != "" {
			return errors.New("expected one DATASET and its kind")
		}
		l.kind = strings.ToUpper(words[1])
		switch l.kind {
		case "POLYDATA", "UNSTRUCTURED_GRID", "STRUCTURED_GRID", "STRUCTURED_POINTS", "RECTILINEAR_GRID":
			return nil
		}
		return l.r.in.Damage(l.place(), "data sets of the kind %s are not drawn", text.Name(words[1]))
	}
	if l.kind == "" && word != "FIELD" {
		return errors.New("a section before the data set")
	}
	if n, ok := leading[word]; ok {
		l.returnData(words, n)
	}
	done, err := l.readGeometry(word, words)
	if !done && err == nil {
		done, err = l.readStructure(word, words)
	}
	if errors.Is(err, errType) {
		return l.r.in.Damage(l.place(), "%v", err)
	}
	if done || err != nil {
		return err
	}
	return l.readAttribute(word, words)
}

// parseCount parses word i as a non-negative integer.
func parseCount(words []string, i int) (int, error) {
	if i >= len(words) {
		return 0, fmt.Errorf("fewer than %d words", i+1)
	}
	n, err := strconv.Atoi(words[i])
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%s where a number should be", text.Short(words[i]))
	}
	return n, nil
}

// wordAt returns word i, or "" if there is none.
func wordAt(words []string, i int) string {
	if i >= len(words) {
		return ""
	}
	return words[i]
}

// legacyKinds maps names of numeric types to kinds.
var legacyKinds = map[string]kind{
	"bit": bits, "char": int8s, "signed_char": int8s, "unsigned_char": uint8s, "short": int16s, "unsigned_short": uint16s,
	"int": int32s, "unsigned_int": uint32s, "long": int64s, "unsigned_long": uint64s, "long_long": int64s,
	"unsigned_long_long": uint64s, "float": float32s, "double": float64s, "vtkidtype": int32s, "vtktypeint64": int64s,
	"vtktypeuint64": uint64s, "vtktypeint32": int32s, "vtktypeuint32": uint32s, "vtktypeint16": int16s,
	"vtktypeuint16": uint16s, "vtktypeint8": int8s, "vtktypeuint8": uint8s, "vtktypefloat32": float32s,
	"vtktypefloat64": float64s, "__int64": int64s, "unsigned___int64": uint64s,
}

// readNumbers reads n numbers. `of` is the name of their numeric type.
func (l *legacy) readNumbers(n int, of string) (v numbers, err error) {
	v.kind, v.big = legacyKinds[strings.ToLower(of)], true
	if v.kind == none {
		return v, fmt.Errorf("%w %s", errType, text.Short(of))
	}
	rest := l.data[l.pos:]
	if !l.binary {
		if err := l.r.Reserve(8 * int64(min(n, len(rest)/textBytes+1))); err != nil {
			return v, err
		}
		taken, ok := v.parse(rest, n)
		l.pos += taken
		switch {
		case !ok:
			word := text.NumbersOf(l.data[l.pos:])
			err := fmt.Errorf("%s where a number should be", text.Short(word.Word()))
			l.nextLine()
			return v, err
		case v.len() < n:
			return v, errEnd
		}
		return v, nil
	}
	size := n
	if v.kind == bits {
		size = (n + 7) / 8
	} else if n > len(rest) {
		size = len(rest) + 1
	} else {
		size *= v.kind.size()
	}
	if size > len(rest) {
		v.data = rest
		l.pos = len(l.data)
		return v, errEnd
	}
	v.data = rest[:size]
	l.pos += size
	v.truncate(n)
	return v, nil
}

// limitedProduct returns a * b, or a limit that exceeds any real count. So later products cannot overflow.
func limitedProduct(a, b int) int {
	const most = min(1<<40, math.MaxInt)
	if a > most || b > most || b > 0 && a > most/b {
		return most
	}
	return a * b
}
