package dxf

import (
	"bytes"
	"fmt"

	"lockstep/scenes/internal/text"
)

// pairs are the groups of a file: a line with a code and a line with a value. See newPairs for binary files.
type pairs struct {
	data   []byte
	at     int
	line   int // of the last value
	code   int
	value  []byte
	bad    bool // a code is no number, or the file ends within a group
	back   bool // the last pair comes again
	binary bool
	wide   bool   // codes have two bytes
	room   []byte // for the text of a number
}

// next takes the next pair; false at the end, or where a code is no number.
func (p *pairs) next() bool {
	if p.back {
		p.back = false
		return true
	}
	if p.binary {
		return p.nextBinary()
	}
	if p.at == len(p.data) || p.bad {
		return false
	}
	code, ok := number(p.cut())
	if !ok {
		p.bad = len(bytes.Trim(p.data[p.at:], " \t\r\n\x00\x1a")) > 0 || ok
		p.at = len(p.data)
		return false
	}
	p.code, p.value = code, p.cut()
	return true
}

// place names the place of the value on a line: of binary files, the number of the group.
func (p *pairs) place(line int) string {
	if p.binary {
		return fmt.Sprintf("group %d", line/2)
	}
	return fmt.Sprintf("line %d", line)
}

// cut takes a line without the white space around it.
func (p *pairs) cut() []byte {
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

// number returns a whole number of at most 9 digits.
func number(b []byte) (v int, ok bool) {
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

// float returns a number.
func float(b []byte) (float64, bool) {
	numbers := text.NumbersOf(b)
	return numbers.Float()
}
