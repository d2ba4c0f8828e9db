package xyz

import (
	"bytes"
	"errors"
	"fmt"
	"math"

	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/internal/indexed"
	"lockstep/scenes/internal/text"
)

// Format reads clouds of points in texts.
var Format format.Format = fileFormat{}

type fileFormat struct{}

// Names implements format.Format.
func (fileFormat) Names() []string { return []string{"xyz", "pts"} }

// sampleLines is how many lines the function findLayout examines. They show what the columns mean, and whether a text
// is a cloud of points at all.
const sampleLines = 64

// maxColumns is the greatest number of numbers in a line.
const maxColumns = 32

// Detect recognises lines of numbers that all have the same count of numbers.
func (fileFormat) Detect(prefix []byte, size int64) format.Likelihood {
	if _, ok := findLayout(prefix, size == int64(len(prefix))); ok {
		return format.Plausible
	}
	return format.No
}

// A layout tells what the columns of a line mean.
type layout struct {
	columns       int
	color, normal int // index of the first column; 0: none
	intensity     int
	hasCount      bool // the first line is the number of points
}

// findLayout returns the layout of a text. ok is false if the first lines are not points.
func findLayout(prefix []byte, whole bool) (l layout, ok bool) {
	prefix = text.TrimBOM(prefix)
	if !whole { // ignores the last line, which may be cut off
		prefix = prefix[:1+bytes.LastIndexByte(prefix, text.EndOfLine(prefix))]
	}
	var lines text.Lines
	lines.Reset(append(bytes.Clone(prefix), 0)[:len(prefix)], text.EndOfLine(prefix), 1)
	var rows [][]float64
	for len(rows) < sampleLines {
		f, more, err := lines.Next()
		if err != nil || !more {
			break
		}
		row, comment, good := parseNumbers(&f, make([]float64, 0, maxColumns))
		switch {
		case comment:
		case !good:
			return l, false
		case len(rows) == 0 && !l.hasCount && len(row) == 1 && row[0] == math.Trunc(row[0]) && row[0] > 0:
			l.hasCount = true
		default:
			rows = append(rows, row)
		}
	}
	if len(rows) == 0 || len(rows[0]) < 3 {
		return l, false
	}
	for _, row := range rows {
		if len(row) != len(rows[0]) {
			return l, false
		}
	}
	l.columns = len(rows[0])
	l.setMeaning(rows)
	return l, true
}

// setMeaning determines what the columns after the coordinates mean.
func (l *layout) setMeaning(rows [][]float64) {
	whole := func(from int) bool { // reports whether three columns hold only integers from 0 to 255
		for _, row := range rows {
			for _, v := range row[from : from+3] {
				if !(v >= 0 && v <= 255 && v == math.Trunc(v)) {
					return false
				}
			}
		}
		return true
	}
	switch l.columns {
	case 4:
		l.intensity = 3
	case 6:
		if whole(3) {
			l.color = 3
		} else {
			l.normal = 3
		}
	case 7:
		l.intensity = 3
		if whole(4) {
			l.color = 4
		} else {
			l.normal = 4
		}
	case 9:
		if whole(3) {
			l.color, l.normal = 3, 6
		} else {
			l.normal, l.color = 3, 6
		}
	}
}

// parseNumbers appends the numbers of a line to `to`. `comment` means that the line is blank or a comment. `good` is
// false if a word is not a number, or if there are too many numbers.
func parseNumbers(f *text.Fields, to []float64) (row []float64, comment, good bool) {
	rest := *f
	if word := rest.Word(); len(word) == 0 || word[0] == '#' || bytes.HasPrefix(word, []byte("//")) {
		return to, true, true
	}
	for f.More() {
		v, ok := f.Float()
		if !ok || len(to) == maxColumns {
			return to, false, false
		}
		to = append(to, v)
	}
	return to, false, true
}

// Read reads a whole file. It needs 24 bytes per point while it reads, and 300 bytes per point afterwards.
func (fileFormat) Read(in *format.Input) (*scenes.Mesh, *scenes.Report, error) {
	l, ok := findLayout(in.Prefix, in.Size == int64(len(in.Prefix)))
	if !ok {
		return nil, nil, in.Damage("its first lines", "they are not points: expected three numbers or more on each line, and equally many on all lines")
	}
	m := indexed.New(in)
	m.Cloud = true
	fields := l.fieldNames()
	m.PointFields(fields...)
	lines := text.NewLines(in.Prefix, in.Size == int64(len(in.Prefix)), in.Fill)
	row, first := make([]float64, 0, maxColumns), l.hasCount
	for {
		f, more, err := lines.Next()
		if errors.Is(err, text.ErrLongLine) {
			err = in.Damage(fmt.Sprintf("line %d", lines.Line()), "%w", err)
		}
		if err != nil {
			return nil, nil, err
		}
		if !more {
			break
		}
		numbers, comment, good := parseNumbers(&f, row[:0])
		switch {
		case comment:
			continue
		case first && len(numbers) == 1:
			first = false
			continue
		case !good || len(numbers) != l.columns:
			if err := m.Warn.Add(fmt.Sprintf("line %d", lines.Line()), "left out: expected %d numbers", l.columns); err != nil {
				return nil, nil, err
			}
			continue
		}
		if err := l.addPoint(m, numbers, len(fields)); err != nil {
			return nil, nil, err
		}
	}
	return m.Finish(scenes.PlusZ, "xyz")
}

// fieldNames returns the names of the columns that are neither a coordinate nor part of a colour or normal.
func (l *layout) fieldNames() (names []string) {
	if l.intensity > 0 {
		return []string{"intensity"}
	}
	if l.color == 0 && l.normal == 0 {
		for c := 3; c < l.columns; c++ {
			names = append(names, fmt.Sprintf("column%d", c+1))
		}
	}
	return names
}

// addPoint adds a point to m, whose numbers are in row. fields is the number of its fields.
func (l *layout) addPoint(m *indexed.Mesh, row []float64, fields int) error {
	if err := m.AddPoint([3]float64(row)); err != nil {
		return err
	}
	for i := range fields {
		if err := m.PointField(i, float32(row[3+i])); err != nil {
			return err
		}
	}
	if l.color == 0 {
		return nil
	}
	return m.ColorPoint(indexed.RGB([3]float64(row[l.color:]), 1))
}
