package off

import (
	"bytes"
	"strconv"

	"lockstep/scenes/internal/indexed"
	"lockstep/scenes/internal/text"
)

// By the definition of the format, a file is a list of words. The end of a line matters only after the colour of a
// face. But in nearly all files, each vertex is a line. Many files have more numbers after a vertex than the header
// announces.
//
// If a line is damaged, reading by lines loses only one vertex. Reading by words would shift all vertices after the
// damage. So a file is read by lines unless its vertices are clearly not lines.

// A style tells how to read a file that is read by words.
type style struct {
	color  int  // number of components of the colour of a vertex
	shaded bool // the rest of the line after a face is a colour
}

// sampleLines is how many lines wordStyle examines if it cannot try the whole file.
const sampleLines = 64

// wordStyle reports whether a file must be read by words, and in which style. If the prefix is the whole file and its
// lines are not exactly its rows, every style is tried until one fits. If none fits, or if the file is longer than the
// prefix, the first lines decide.
func (r *reader) wordStyle(end headerEnd, whole bool) (s style, ok bool) {
	head := r.in.Prefix
	rows := head[len(head)-end.left:]
	if whole {
		counts, _ := r.countWords(rows, len(rows), whole)
		fits := 0
		if !end.inline && int64(len(counts)) == r.counts[0]+r.counts[1] {
			fits = r.countVertexLines(counts[:r.counts[0]], 0)
		}
		if fits == int(r.counts[0]) {
			return s, false
		}
		if s, ok := r.tryStyles(head[len(head)-end.behind:]); ok {
			return s, true
		}
		if 2*fits >= int(r.counts[0]) && fits > 0 {
			return s, false
		}
	}
	counts := r.linesOfVertices(r.countWords(rows, int(min(sampleLines, r.counts[0])), whole))
	switch {
	case end.inline:
	case len(counts) == 0, 2*r.countVertexLines(counts, 0) > len(counts), !r.hasWrappedVertices(counts, rows):
		return s, false
	}
	return style{color: r.colorComponents(counts)}, true
}

// tryStyles returns the first style in which a whole text has the numbers that the header states. ok is false if there
// is none.
func (r *reader) tryStyles(rest []byte) (s style, ok bool) {
	if r.counts[0]+r.counts[1] > int64(len(rest)) {
		return s, false // too few words, because a row has at least one
	}
	colors := []int{0}
	if r.color {
		colors = []int{4, 3}
	}
	for _, color := range colors {
		for _, shaded := range []bool{false, true} {
			s := style{color, shaded}
			trial := newReader(indexed.NewPart(r.in.Options.Flat))
			trial.layout, trial.counts = r.layout, r.counts
			w := newWords(trial, s, &feed{head: rest}, text.EndOfLine(r.in.Prefix), 0)
			if w.readRows() == nil {
				return s, true
			}
		}
	}
	return s, false
}

// countWords returns how many words each of the first n lines after the header has, and which of these lines may be
// faces. The first line counts even if the prefix contains it only in part.
func (r *reader) countWords(rest []byte, n int, whole bool) (counts []int, faces []bool) {
	eol := text.EndOfLine(r.in.Prefix)
	for len(counts) < n && len(rest) > 0 {
		line := rest
		end := bytes.IndexByte(rest, eol)
		if end >= 0 {
			line, rest = rest[:end], rest[end+1:]
		} else {
			rest = nil
		}
		if end < 0 && !whole && len(counts) > 0 {
			break
		}
		if at := bytes.IndexByte(line, '#'); at >= 0 {
			line = line[:at]
		}
		if words := bytes.FieldsFunc(line, func(c rune) bool { return c <= ' ' }); len(words) > 0 {
			counts, faces = append(counts, len(words)), append(faces, r.mayBeFace(words))
		}
	}
	return counts, faces
}

// mayBeFace reports whether a line may be a face. A face is the number of its corners, followed by the vertex number
// of each corner. A vertex can look like a face of one or two corners. Therefore the corners of such a face must
// differ, and only a colour may follow them.
func (r *reader) mayBeFace(words [][]byte) bool {
	corners, err := strconv.Atoi(string(words[0]))
	if err != nil || corners < 1 || corners >= len(words) {
		return false
	}
	for _, w := range words[1 : corners+1] {
		if v, err := strconv.ParseInt(string(w), 10, 64); err != nil || v < 0 || v >= r.counts[0] {
			return false
		}
	}
	color := words[corners+1:]
	switch {
	case corners > 2:
		return true
	case corners == 2 && bytes.Equal(words[1], words[2]):
		return false
	}
	return len(color) == 0 || mayBeColor(color) && len(words) > 3 && r.countVertexLines([]int{len(words)}, 0) == 0
}

// mayBeColor reports whether words may be the colour of a face: an index, or three or four components.
func mayBeColor(words [][]byte) bool {
	for _, w := range words {
		if _, err := strconv.ParseFloat(string(w), 64); err != nil {
			return false
		}
	}
	return len(words) == 1 || len(words) == 3 || len(words) == 4
}

// linesOfVertices returns the part of a sample that is before the faces. It counts the numbers on the lines until it
// reaches the line that completes the vertices. If lines differ in length, the count may be right by chance. Therefore
// at least half of the lines after that line must be faces. Otherwise the result is the whole sample.
func (r *reader) linesOfVertices(counts []int, faces []bool) []int {
	before, behind := r.extraNumbers()
	left := r.counts[0] * int64(3+before+r.colorComponents(counts)+behind)
	for i, c := range counts {
		if left -= int64(c); left != 0 {
			continue
		}
		after, n := faces[i+1:], 0
		for _, face := range after {
			if face {
				n++
			}
		}
		if 2*n >= len(after) {
			return counts[:i+1]
		}
		break
	}
	return counts
}

// countVertexLines returns the number of lines that may be a vertex. Such a line has at least as many numbers as the
// header announces, and at most `more` numbers in addition.
func (r *reader) countVertexLines(counts []int, more int) (n int) {
	before, behind := r.extraNumbers()
	for _, c := range counts {
		c -= 3 + before + behind
		switch {
		case !r.color && c == 0, r.color && (c == 3 || c == 4):
			n++
		case more > 0 && c >= -behind && c <= more:
			n++ // without a colour, or with a colour or normal that is not announced
		}
	}
	return n
}

// maxExtra is how many unannounced numbers a vertex may have: a normal and a colour with alpha.
const maxExtra = 7

// hasWrappedVertices reports whether vertices are not lines. It returns true if one of these conditions holds:
//   - Most lines do not match a vertex.
//   - Lines differ in length, some are shorter than a vertex, and together they have exactly the numbers of all
//     vertices.
//   - Most lines have at least three numbers more than a vertex, and some of these numbers can belong neither to a
//     colour nor to a normal.
//   - Most lines have at least three numbers more than a vertex, and these numbers are not all of one kind (see
//     extras). In addition, nearly all lines hold several whole vertices, or lines differ in length and some are
//     shorter than a vertex. Real colours and normals are of one kind, and equally long on each line.
func (r *reader) hasWrappedVertices(counts []int, rest []byte) bool {
	if 2*r.countVertexLines(counts, maxExtra) <= len(counts) {
		return true
	}
	before, behind := r.extraNumbers()
	size := 3 + before + r.colorComponents(counts) + behind
	several, more, short, same, sum := 0, 0, 0, 0, 0
	alike := make(map[int]int) // number of lines with each count of numbers
	for _, c := range counts {
		sum += c
		alike[c]++
		same = max(same, alike[c])
		if c < size {
			short++
		}
		if c > size && c%size == 0 {
			several++
		}
		if c >= size+3 {
			more++
		}
	}
	ragged := short > 0 && 10*same < 9*len(counts)
	if ragged && int64(sum) == r.counts[0]*int64(size) {
		return true
	}
	if 2*more <= len(counts) {
		return false
	}
	small, one := r.examineExtras(rest, size, len(counts))
	return !small || !one && (10*several >= 9*len(counts) || ragged)
}

// examineExtras examines the surplus numbers on each of n lines. These are the numbers after the first `size` numbers
// of a line. `small` means that each of them may belong to a colour or a normal. `one` means that all are of the same
// kind: colours from 0 to 1, colours from 0 to 255, or normals of unit length.
func (r *reader) examineExtras(rest []byte, size, n int) (small, one bool) {
	var lines text.Lines
	lines.Reset(append(bytes.Clone(rest), 0)[:len(rest)], text.EndOfLine(r.in.Prefix), 1)
	small = true
	unit, bytes, normal := true, true, true
	for range n {
		f, _, err := lines.Next()
		if err != nil {
			break
		}
		f.CutComment()
		square := 0.0
		for i := 0; f.More(); i++ {
			v, ok := f.Float()
			if !ok {
				break // stops at a damaged line
			}
			if i < size {
				continue
			}
			square += v * v
			whole := v >= 0 && v <= 255 && v == float64(int(v))
			small = small && (whole || v >= -1.01 && v <= 1.01)
			unit, bytes = unit && v >= 0 && v <= 1, bytes && whole
		}
		normal = normal && (square == 0 || square > 0.98 && square < 1.02)
	}
	return small, unit || bytes || normal
}

// colorComponents returns how many components the colour of a vertex has. The format defines four. The result is three
// if the first lines are vertices with colours of three components.
func (r *reader) colorComponents(counts []int) int {
	if !r.color {
		return 0
	}
	before, behind := r.extraNumbers()
	sum := 0
	for _, c := range counts {
		switch sum += c; sum - 3 - before - behind {
		case 3, 4:
			return sum - 3 - before - behind
		}
	}
	return 4
}
