package fbx

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"lockstep/scenes/internal/text"
)

// maxLevels is the greatest depth of nested records. Programs write far fewer levels.
const maxLevels = 64

// Versions that are read. From wideVersion on, records have 64-bit lengths.
const (
	firstVersion = 6000
	lastVersion  = 7999
	wideVersion  = 7500
)

// A parser is the state of parse.
type parser struct {
	*document
	r    *reader
	open []int32 // records that have begun but not ended, outermost first
	last []int32 // the last child of each open record; 0: none yet
}

// parse splits a file into records. If the file ends early, the document has the records before its end.
func (r *reader) parse(data []byte) (*document, error) {
	p := &parser{document: &document{data: data, order: binary.LittleEndian, nodes: make([]record, 1, 64)}, r: r, open: []int32{0}, last: []int32{0}}
	if !bytes.HasPrefix(data, []byte(magic)) {
		p.ascii = true
		return p.document, p.readTextRecords()
	}
	start := len(magic) + 5
	if len(data) < start {
		return nil, r.in.Damage(fmt.Sprintf("byte %d", len(data)), "the file ends within its head")
	}
	if data[len(magic)] == 1 {
		p.order = binary.BigEndian
	}
	version := p.order.Uint32(data[len(magic)+1:])
	if version < firstVersion || version > lastVersion {
		return nil, r.in.Damage(fmt.Sprintf("byte %d", len(magic)+1), "version %d of FBX, of which 6100 to 7700 are read", version)
	}
	p.wide = version >= wideVersion
	_, err := p.readRecords(start, len(data))
	return p.document, err
}

// fail records why the document ends early, and at which offset.
func (p *parser) fail(at int, format string, args ...any) {
	if p.bad == "" {
		p.bad, p.badAt = fmt.Sprintf(format, args...), at
	}
}

// beginRecord adds a record below the innermost open record.
func (p *parser) beginRecord(one record) error {
	if len(p.nodes) == cap(p.nodes) {
		if err := p.r.in.Context().Err(); err != nil {
			return err
		}
		if err := p.r.Reserve(recordBytes * int64(cap(p.nodes))); err != nil { // doubled: the list is copied
			return err
		}
		grown := make([]record, len(p.nodes), 2*cap(p.nodes))
		copy(grown, p.nodes)
		p.nodes = grown
	}
	i := int32(len(p.nodes))
	p.nodes = append(p.nodes, one)
	top := len(p.open) - 1
	if last := p.last[top]; last != 0 {
		p.nodes[last].next = i
	} else {
		p.nodes[p.open[top]].child = i
	}
	p.last[top] = i
	return nil
}

// enterRecord makes the newest record the innermost open record. The next records then become its children. The method
// leaveRecord closes the innermost open record.
func (p *parser) enterRecord() {
	p.open, p.last = append(p.open, int32(len(p.nodes)-1)), append(p.last, 0)
}

func (p *parser) leaveRecord() { p.open, p.last = p.open[:len(p.open)-1], p.last[:len(p.last)-1] }

// A head is the header of a binary record.
type head struct {
	end, values uint64
	name        int // offset of the name
	length      int
}

// readHead reads the header of a record at the offset `at`. ok is false if the file ends inside it.
func (p *parser) readHead(at, end int) (h head, ok bool) {
	size := 4
	if p.wide {
		size = 8
	}
	if end-at < 3*size+1 {
		return h, false
	}
	number := func(i int) uint64 {
		if p.wide {
			return p.order.Uint64(p.data[at+8*i:])
		}
		return uint64(p.order.Uint32(p.data[at+4*i:]))
	}
	h.end, h.values = number(0), number(2)
	h.name, h.length = at+3*size+1, int(p.data[at+3*size])
	return h, h.length <= end-h.name
}

// readRecords reads the records between the offsets `at` and `end`, and returns the offset after them. It is recursive,
// at most maxLevels deep.
func (p *parser) readRecords(at, end int) (int, error) {
	for at < end {
		h, ok := p.readHead(at, end)
		if !ok {
			p.fail(at, "the file ends within the head of a record")
			return end, nil
		}
		values := h.name + h.length
		if h.end == 0 && h.length == 0 {
			return values, nil // a record with an empty header marks the end
		}
		stop := end
		if h.end > uint64(end) {
			p.fail(at, "a record ends at byte %d, behind the one around it", h.end)
		} else {
			stop = int(h.end)
		}
		if stop < values || h.values > uint64(stop-values) {
			p.fail(at, "the file ends within a record, or the record does before its values")
			return end, nil
		}
		below := values + int(h.values)
		if err := p.beginRecord(record{name: h.name, length: int32(h.length), values: values, end: below}); err != nil {
			return at, err
		}
		if below < stop {
			if len(p.open) > maxLevels {
				p.fail(at, "records within each other, more than %d deep", maxLevels)
			} else {
				p.enterRecord()
				if _, err := p.readRecords(below, stop); err != nil {
					return at, err
				}
				p.leaveRecord()
			}
		}
		at = stop
	}
	if len(p.open) == 1 {
		p.fail(at, "the file ends without the mark of its end")
	}
	return at, nil
}

// readTextRecords reads all records of a text.
func (p *parser) readTextRecords() error {
	p.nodes[0].end = len(p.data)
	at := len(p.data) - len(text.TrimBOM(p.data))
	for {
		at = p.skipBlank(at)
		switch {
		case at == len(p.data):
			if len(p.open) > 1 {
				p.fail(at, "the file ends within a record")
			}
			return nil
		case p.data[at] == 0:
			return nil // the rest of the file is padding
		case p.data[at] == '}':
			if len(p.open) == 1 {
				p.fail(at, "the end of a record that has not begun")
				return nil
			}
			p.leaveRecord()
			at++
			continue
		}
		name := at
		for at < len(p.data) && isNameByte(p.data[at]) {
			at++
		}
		if at == name || at == len(p.data) || p.data[at] != ':' {
			p.fail(name, "a record without a name")
			return nil
		}
		values := at + 1
		end := p.endOfValues(values)
		one := record{name: name, length: int32(min(at-name, 255)), values: values, end: end}
		if err := p.beginRecord(one); err != nil {
			return err
		}
		at = p.skipBlank(end)
		if at < len(p.data) && p.data[at] == '{' {
			if len(p.open) > maxLevels {
				p.fail(at, "records within each other, more than %d deep", maxLevels)
				return nil
			}
			p.enterRecord()
			at++
		}
	}
}

func isNameByte(c byte) bool {
	return c > ' ' && c != ':' && c != '{' && c != '}' && c != ',' && c != '"'
}

// skipBlank skips white space and comments from offset `at` on. It returns the offset of the first byte after them.
func (d *document) skipBlank(at int) int {
	for at < len(d.data) {
		switch {
		case text.IsSpace(d.data[at]):
			at++
		case d.data[at] == ';':
			i := bytes.IndexByte(d.data[at:], '\n')
			if i < 0 {
				return len(d.data)
			}
			at += i
		default:
			return at
		}
	}
	return at
}

// endOfValues returns the offset where the values that start at offset `at` end. They end with the line, with two
// exceptions: the line ends with a comma, or the next line starts with a comma. The values may also start on the next
// line. In that case, this line starts with a character that cannot start a name.
func (p *parser) endOfValues(at int) int {
	for at < len(p.data) && (p.data[at] == ' ' || p.data[at] == '\t') {
		at++
	}
	if at < len(p.data) && (p.data[at] == '\n' || p.data[at] == '\r') {
		next := p.skipBlank(at)
		if next == len(p.data) || bytes.IndexByte([]byte("0123456789-+.\""), p.data[next]) < 0 {
			return at
		}
		at = next
	}
	for {
		end := at
		if at < len(p.data) && p.data[at] != ',' {
			end = p.endOfWord(at)
		}
		next := p.skipBlank(end)
		if next == len(p.data) || p.data[next] != ',' {
			return end
		}
		at = p.skipBlank(next + 1)
	}
}

// endOfWord returns the offset where the value at offset `at` of an ASCII file ends.
func (p *document) endOfWord(at int) int {
	if at < len(p.data) && p.data[at] == '"' {
		if i := bytes.IndexByte(p.data[at+1:], '"'); i >= 0 {
			return at + i + 2
		}
		return len(p.data)
	}
	for at < len(p.data) && p.data[at] != '"' && p.data[at] != ';' && isNameByte(p.data[at]) || at < len(p.data) && p.data[at] == ':' {
		at++
	}
	return at
}

// textValue returns the value at the offset `at` of an ASCII file, and the offset of the next value. ok is false if
// there are no more values before the offset `end`.
func (d *document) textValue(at, end int) (v value, next int, ok bool) {
	for at = d.skipBlank(at); at < end && d.data[at] == ','; {
		at = d.skipBlank(at + 1)
	}
	if at >= end {
		return v, end, false
	}
	next = min(end, d.endOfWord(at))
	if next == at {
		return v, end, false
	}
	v = value{kind: 'N', raw: d.data[at:next]}
	switch d.data[at] {
	case '"':
		v.kind, v.raw = 'S', bytes.TrimSuffix(v.raw[1:], []byte(`"`))
	case '*':
		v.kind, v.raw = '*', v.raw[1:]
	}
	return v, next, true
}
