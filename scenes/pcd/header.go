package pcd

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"lockstep/scenes/internal/text"
)

// A column is the data of one of the names after FIELDS: `count` numbers for each point.
type column struct {
	name  string
	size  int  // bytes per number: 1, 2, 4 or 8
	kind  byte // F (float), I (signed) or U (unsigned)
	count int  // numbers per point
}

// A header holds the contents of the lines before the points.
type header struct {
	columns []column
	points  uint64
	data    string // ascii, binary or binary_compressed
	size    int    // bytes before the points
	lines   int
}

// Limits of a header: how many columns it may claim, and how many numbers in one column.
const (
	maxColumns = 256
	maxCount   = 4096
)

// parseHeader parses the header at the start of a file. problem is empty, or describes what is wrong in line number
// `line`.
func parseHeader(p []byte) (h *header, line int, problem string) {
	h = new(header)
	var width, height uint64 = 0, 1
	rest := text.TrimBOM(p)
	skipped := len(p) - len(rest)
	for {
		at := bytes.IndexByte(rest, '\n')
		if at < 0 {
			return nil, h.lines + 1, "the file ends, or goes on too long, without DATA"
		}
		words := strings.Fields(string(rest[:min(at, text.MaxName*16)]))
		rest = rest[at+1:]
		h.lines++
		h.size += at + 1
		if len(words) == 0 || words[0][0] == '#' {
			continue
		}
		if problem := h.parseLine(words, &width, &height); problem != "" {
			return nil, h.lines, problem
		}
		if strings.EqualFold(words[0], "DATA") {
			break
		}
	}
	h.size += skipped
	if h.points == 0 {
		h.points = width * height
	}
	return h, h.lines, h.check()
}

// parseLine parses a line of the header. problem is empty, or describes what is wrong with the line.
func (h *header) parseLine(words []string, width, height *uint64) (problem string) {
	values := words[1:]
	number := func(to *uint64) string {
		if len(values) == 0 {
			return words[0] + " without a number"
		}
		v, err := strconv.ParseUint(values[0], 10, 48)
		if err != nil {
			return words[0] + " " + text.Short(values[0])
		}
		*to = v
		return ""
	}
	switch strings.ToUpper(words[0]) {
	case "VERSION", ".PCD", "VIEWPOINT":
	case "FIELDS", "COLUMNS":
		if len(values) > maxColumns {
			return fmt.Sprintf("more than %d fields", maxColumns)
		}
		h.columns = nil
		for _, name := range values {
			h.columns = append(h.columns, column{name: name, size: 4, kind: 'F', count: 1})
		}
	case "SIZE", "TYPE", "COUNT":
		return h.parseColumns(words)
	case "WIDTH":
		return number(width)
	case "HEIGHT":
		return number(height)
	case "POINTS":
		return number(&h.points)
	case "DATA":
		if len(values) == 0 {
			return "DATA without a kind"
		}
		h.data = strings.ToLower(values[0])
	default:
		return "unexpected " + text.Short(words[0])
	}
	return ""
}

// parseColumns parses a line that has one word for each column.
func (h *header) parseColumns(words []string) (problem string) {
	values := words[1:]
	each := func(set func(c *column, word string) bool) string {
		if len(values) != len(h.columns) {
			return fmt.Sprintf("%s has %d entries for %d fields", words[0], len(values), len(h.columns))
		}
		for i, word := range values {
			if !set(&h.columns[i], word) {
				return words[0] + " " + text.Short(word)
			}
		}
		return ""
	}
	switch strings.ToUpper(words[0]) {
	case "SIZE":
		return each(func(c *column, word string) bool {
			v, err := strconv.Atoi(word)
			c.size = v
			return err == nil && (v == 1 || v == 2 || v == 4 || v == 8)
		})
	case "TYPE":
		return each(func(c *column, word string) bool {
			c.kind = word[0]
			return word == "F" || word == "I" || word == "U"
		})
	default: // the keyword is COUNT
		return each(func(c *column, word string) bool {
			v, err := strconv.Atoi(word)
			c.count = v
			return err == nil && v >= 0 && v <= maxCount
		})
	}
}

// check checks a header of which each line has already been checked alone. It returns a description of the first
// problem, or "".
func (h *header) check() (problem string) {
	switch h.data {
	case "ascii", "binary", "binary_compressed":
	default:
		return "DATA " + text.Short(h.data)
	}
	for _, c := range h.columns {
		if c.kind == 'F' && c.size < 4 {
			return fmt.Sprintf("the field %s has floats of %d bytes", text.Short(c.name), c.size)
		}
	}
	for _, name := range []string{"x", "y", "z"} {
		if h.columnIndex(name) < 0 {
			return "the points have no " + name
		}
	}
	return ""
}

// columnIndex returns the index of the column called name, or -1 if there is none.
func (h *header) columnIndex(name string) int {
	for i := range h.columns {
		if h.columns[i].name == name && h.columns[i].count > 0 {
			return i
		}
	}
	return -1
}

// numbersPerPoint returns how many numbers a point has.
func (h *header) numbersPerPoint() (n int) {
	for i := range h.columns {
		n += h.columns[i].count
	}
	return n
}

// bytesPerPoint returns the size in bytes of a point in binary data.
func (h *header) bytesPerPoint() (n int) {
	for i := range h.columns {
		n += h.columns[i].size * h.columns[i].count
	}
	return n
}
