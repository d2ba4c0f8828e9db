package trace

import (
	"bytes"
	"math"
	"strconv"
)

// scanLine reads a line in the form that [Step.AppendJSON] writes: a flat object without spaces and escapes, with keys
// in any order and numbers as AppendJSON writes them. For any other line it returns false, and encoding/json reads the
// line or reports the error. FuzzTraceReader compares the two.
//
// scanLine is several times as fast as encoding/json, and traces have millions of lines.
func scanLine(b []byte, l *line) bool {
	if len(b) == 0 || b[0] != '{' {
		return false
	}
	for b = b[1:]; ; b = b[1:] {
		key, rest, ok := scanText(b)
		if !ok || len(rest) == 0 || rest[0] != ':' {
			return false
		}
		if b, ok = l.scanValue(key, rest[1:]); !ok || len(b) == 0 {
			return false
		}
		if b[0] == '}' {
			return len(b) == 1
		}
		if b[0] != ',' {
			return false
		}
	}
}

// scanText reads a string without escapes from the start of b, and returns it and the rest of b.
func scanText(b []byte) (text, rest []byte, ok bool) {
	if len(b) == 0 || b[0] != '"' {
		return nil, nil, false
	}
	end := bytes.IndexByte(b[1:], '"')
	if end < 0 {
		return nil, nil, false
	}
	for _, c := range b[1 : end+1] {
		if c < ' ' || c > '~' || c == '\\' {
			return nil, nil, false
		}
	}
	return b[1 : end+1], b[end+2:], true
}

// scanValue reads the value of a key from the start of b, and returns the rest of b.
func (l *line) scanValue(key, b []byte) (rest []byte, ok bool) {
	if n := l.integer(key); n != nil {
		return scanInteger(b, n)
	}
	switch string(key) {
	case "savings":
		return scanNumber(b, &l.Savings)
	case "cost":
		return scanNumber(b, &l.Cost)
	case "redistributed":
		if rest, ok = bytes.CutPrefix(b, []byte("true")); ok {
			l.Redistributed = true
			return rest, true
		}
		l.Redistributed = false
		return bytes.CutPrefix(b, []byte("false"))
	}
	var to *string
	switch string(key) {
	case "loop":
		to = &l.Loop
	case "stage":
		to = &l.Stage
	case "decision":
		to = &l.Decision
	default:
		return nil, false
	}
	text, rest, ok := scanText(b)
	if ok && string(text) != *to {
		*to = string(text)
	}
	return rest, ok
}

// integer returns the field for a key whose value is a whole number, or nil for other keys.
func (l *line) integer(key []byte) *int64 {
	switch string(key) {
	case "frame":
		return &l.Frame
	case "block":
		return &l.Block
	case "group":
		return &l.Group
	case "iteration":
		return &l.Iteration
	case "iterations":
		return &l.Iterations
	case "unbalanced":
		return &l.Unbalanced
	case "processors":
		return &l.Processors
	case "active":
		return &l.Active
	case "max":
		return &l.Max
	case "sum":
		return &l.Sum
	case "tasks":
		return &l.Tasks
	case "parts":
		return &l.Parts
	}
	return nil
}

// scanInteger reads a whole number. It returns false if the number has needless leading zeros, which JSON forbids.
func scanInteger(b []byte, to *int64) (rest []byte, ok bool) {
	v, n := int64(0), 0
	for n < len(b) && n < 19 && '0' <= b[n] && b[n] <= '9' {
		v = 10*v + int64(b[n]-'0')
		n++
	}
	if n == 0 || n == 19 || n > 1 && b[0] == '0' {
		return nil, false
	}
	*to = v
	return b[n:], true
}

// scanNumber reads a short number without exponent, or null.
func scanNumber(b []byte, to *number) (rest []byte, ok bool) {
	if rest, ok = bytes.CutPrefix(b, []byte("null")); ok {
		*to = number(math.Inf(1))
		return rest, true
	}
	var whole int64
	if rest, ok = scanInteger(b, &whole); !ok {
		return nil, false
	}
	if len(rest) == 0 || rest[0] != '.' {
		*to = number(whole)
		return rest, true
	}
	n := 1
	for n < len(rest) && '0' <= rest[n] && rest[n] <= '9' {
		n++
	}
	v, err := strconv.ParseFloat(string(b[:len(b)-len(rest)+n]), 64)
	if n == 1 || err != nil {
		return nil, false
	}
	*to = number(v)
	return rest[n:], true
}
