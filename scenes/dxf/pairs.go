package dxf

import (
	"bytes"
	"fmt"

	"lockstep/scenes/internal/text"
)

// groupReader reads the groups of a file. A group is a code and a value. In a text file, each of them has a line. For
// binary files see newGroupReader.
type groupReader struct {
	data       []byte
	at         int
	line       int // number of the line with the last value
	code       int
	value      []byte
	bad        bool // a code is not a number, or the file ends inside a group
	pushedBack bool // next must return the last group again
	binary     bool
	wide       bool   // codes have two bytes in a binary file
	scratch    []byte // memory for a number that is converted to text
}

// next reads the next group. It returns false at the end, or if a code is not a number.
func (p *groupReader) next() bool {
	if p.pushedBack {
		p.pushedBack = false
		return true
	}
	if p.binary {
		return p.nextBinary()
	}
	if p.at == len(p.data) || p.bad {
		return false
	}
	code, ok := parseNumber(p.readLine())
	if !ok {
		p.bad = len(bytes.Trim(p.data[p.at:], " \t\r\n\x00\x1a")) > 0 || ok
		p.at = len(p.data)
		return false
	}
	p.code, p.value = code, p.readLine()
	return true
}

// The method place names a line for messages. In a binary file it names the group.
func (p *groupReader) place(line int) string {
	if p.binary {
		return fmt.Sprintf("group %d", line/2)
	}
	return fmt.Sprintf("line %d", line)
}

// readLine reads a line and removes white space around it.
func (p *groupReader) readLine() []byte {
	line := p.data[p.at:]
	p.line++
	if i := bytes.IndexByte(line, '\n'); i >= 0 {
		line = line[:i]
		p.at += i + 1
	} else {
		p.at = len(p.data)
	}
	return bytes.TrimSpace(line)
}

// parseNumber parses an integer of at most 9 digits.
func parseNumber(b []byte) (v int, ok bool) {
	digits := b
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		digits = b[1:]
	}
	if len(digits) == 0 || len(digits) > 9 {
		return 0, false
	}
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		v = v*10 + int(c-'0')
	}
	if b[0] == '-' {
		v = -v
	}
	return v, true
}

// parseFloat parses a number.
func parseFloat(b []byte) (float64, bool) {
	numbers := text.NumbersOf(b)
	return numbers.Float()
}
