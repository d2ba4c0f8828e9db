package threemf

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"

	"lockstep/scenes/internal/text"
)

// Limits of the XML text. They are far above what known programs write.
const (
	maxTag        = 1 << 20
	maxDepth      = 256
	maxAttributes = 64
)

// errEnd is the error for XML that ends inside an element or a tag.
var errEnd = errors.New("the model ends too early")

// A scanner splits XML into tags. It supports the XML that 3MF allows, which has no document types. It skips the text
// between tags, which has no meaning in 3MF.
type scanner struct {
	r          io.Reader
	buf        []byte
	pos, end   int
	at         int64 // offset of buf[0] in the stream
	eof        bool
	err        error // error because of which the stream ended early
	depth      int
	start      int64 // offset of the last tag in the stream
	name       []byte
	attributes [maxAttributes]attribute
	n          int
	closing    bool // the last tag ends an element
	empty      bool // the last tag is <x/>; the next call of `next` returns its end tag
}

// An attribute is a name without its prefix, and a value. In memory, white space follows the value.
type attribute struct{ name, value []byte }

// scanBuffer is the size of the buffer in bytes. It holds several thousand tags.
const scanBuffer = 256 << 10

// reset makes the scanner read from r. It keeps the buffer, which is large.
func (s *scanner) reset(r io.Reader) {
	buf := s.buf
	if buf == nil {
		buf = make([]byte, scanBuffer)
	}
	*s = scanner{r: r, buf: buf}
}

// next finds the next tag. It returns false at the end. The name and the attributes of the tag are valid until the next
// call.
func (s *scanner) next() (bool, error) {
	if s.empty {
		s.empty, s.closing, s.n = false, true, 0
		s.depth--
		return true, nil
	}
	for {
		body, err := s.tag()
		if err != nil || body == nil {
			return false, err
		}
		switch {
		case body[0] == '?' || body[0] == '!':
			continue
		case body[0] == '/':
			s.closing, s.n = true, 0
			s.name = localName(bytes.TrimRight(body[1:], " \t\r\n"))
			s.depth--
			return true, nil
		}
		s.closing = false
		return true, s.parseStartTag(body)
	}
}

// tag returns the text between the next < and its >, or nil at the end of the stream. For comments and other markup
// that is not a tag, it returns "!".
func (s *scanner) tag() ([]byte, error) {
	for {
		i := bytes.IndexByte(s.buf[s.pos:s.end], '<')
		if i >= 0 {
			s.pos += i
			break
		}
		s.pos = s.end
		if err := s.readMore(); err != nil || s.pos == s.end {
			return nil, err
		}
	}
	s.start = s.at + int64(s.pos)
	for _, special := range []struct{ begin, end string }{{"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<?", "?>"}} {
		if s.hasPrefix(special.begin) {
			return []byte("!"), s.skipPast(special.end)
		}
	}
	if s.hasPrefix("<!") {
		return nil, errors.New("a document type, which the format forbids")
	}
	for from := s.pos + 1; ; {
		if i := tagEnd(s.buf[from:s.end]); i >= 0 {
			body := s.buf[s.pos+1 : from+i]
			s.pos = from + i + 1
			if len(body) == 0 {
				return nil, errors.New("a tag without a name")
			}
			return body, nil
		}
		if s.end-s.pos > maxTag {
			return nil, fmt.Errorf("a tag of more than %d bytes", maxTag)
		}
		before := s.end - s.pos
		if err := s.readMore(); err != nil {
			return nil, err
		}
		if s.end-s.pos == before {
			return nil, errEnd
		}
		from = s.pos + 1
	}
}

// tagEnd returns the index of the first > outside quotes, or -1 if there is none.
func tagEnd(b []byte) int {
	end := bytes.IndexByte(b, '>')
	if end < 0 {
		return -1
	}
	if bytes.Count(b[:end], []byte{'"'})%2 == 0 && bytes.IndexByte(b[:end], '\'') < 0 {
		return end
	}
	for from := 0; ; {
		q := bytes.IndexAny(b[from:end], `"'`)
		if q < 0 {
			return end
		}
		q += from
		n := bytes.IndexByte(b[q+1:], b[q])
		if n < 0 {
			return -1
		}
		if from = q + n + 2; from > end {
			if n = bytes.IndexByte(b[from:], '>'); n < 0 {
				return -1
			}
			end = from + n
		}
	}
}

// hasPrefix reports whether the unread bytes start with prefix.
func (s *scanner) hasPrefix(prefix string) bool {
	for s.end-s.pos < len(prefix) && !s.eof {
		if s.readMore() != nil {
			break
		}
	}
	return bytes.HasPrefix(s.buf[s.pos:s.end], []byte(prefix))
}

// skipPast skips everything up to the end of the next occurrence of `end`.
func (s *scanner) skipPast(end string) error {
	for {
		if i := bytes.Index(s.buf[s.pos:s.end], []byte(end)); i >= 0 {
			s.pos += i + len(end)
			return nil
		}
		s.pos = max(s.pos, s.end-len(end)+1)
		before := s.end - s.pos
		if err := s.readMore(); err != nil {
			return err
		}
		if s.end-s.pos == before {
			return errEnd
		}
	}
}

// readMore moves the unread bytes to the start of the buffer and reads further bytes after them. At the end of the
// stream it does nothing.
func (s *scanner) readMore() error {
	if s.eof {
		return nil
	}
	s.at += int64(s.pos)
	s.end = copy(s.buf, s.buf[s.pos:s.end])
	s.pos = 0
	if s.end == len(s.buf) {
		s.buf = append(s.buf, make([]byte, len(s.buf))...)
	}
	n, err := io.ReadAtLeast(s.r, s.buf[s.end:], 1)
	s.end += n
	if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
		s.eof = true
		return nil
	}
	if err != nil {
		s.eof, s.err = true, err
	}
	return err
}

// parseStartTag parses a start tag.
func (s *scanner) parseStartTag(body []byte) error {
	if body[len(body)-1] == '/' {
		s.empty = true
		body = body[:len(body)-1]
	}
	if s.depth++; s.depth > maxDepth {
		return fmt.Errorf("elements within each other, %d deep", s.depth)
	}
	i := 0
	for i < len(body) && !text.IsSpace(body[i]) {
		i++
	}
	s.name, s.n = localName(body[:i]), 0
	for {
		for i < len(body) && text.IsSpace(body[i]) {
			i++
		}
		if i == len(body) {
			return nil
		}
		name := i
		for i < len(body) && body[i] != '=' && !text.IsSpace(body[i]) {
			i++
		}
		a := attribute{name: localName(body[name:i])}
		for i < len(body) && (text.IsSpace(body[i]) || body[i] == '=') {
			i++
		}
		if i == len(body) || body[i] != '"' && body[i] != '\'' {
			return fmt.Errorf("attribute %s without a value in quotes", text.Short(a.name))
		}
		quote := body[i]
		i++
		n := bytes.IndexByte(body[i:], quote)
		if n < 0 {
			return fmt.Errorf("attribute %s without a value in quotes", text.Short(a.name))
		}
		a.value = body[i : i+n]
		body[i+n] = ' ' // numbers are parsed up to this space
		i += n + 1
		if s.n < maxAttributes {
			s.attributes[s.n] = a
			s.n++
		}
	}
}

// localName returns a name without its prefix.
func localName(name []byte) []byte {
	if i := bytes.LastIndexByte(name, ':'); i >= 0 {
		return name[i+1:]
	}
	return name
}

// get returns an attribute of the last tag, or nil if it is missing.
func (s *scanner) get(name string) []byte {
	for i := range s.n {
		if string(s.attributes[i].name) == name {
			return s.attributes[i].value
		}
	}
	return nil
}

// text returns an attribute as a string, with its entities replaced. It uses at most the first text.MaxName bytes.
func (s *scanner) text(name string) string {
	v := s.get(name)
	v = v[:min(len(v), text.MaxName)]
	if bytes.IndexByte(v, '&') < 0 {
		return string(v)
	}
	for _, e := range [][2]string{{"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", `"`}, {"&apos;", "'"}, {"&amp;", "&"}} {
		v = bytes.ReplaceAll(v, []byte(e[0]), []byte(e[1]))
	}
	return string(v)
}

// parseNumber parses a number that may have white space around it.
func parseNumber(v []byte) (float64, bool) {
	if len(v) == 0 {
		return 0, false
	}
	v = v[:len(v)+1]
	p := 0
	for p < len(v)-1 && text.IsSpace(v[p]) {
		p++
	}
	if p == len(v)-1 {
		return 0, false
	}
	x, next, ok := text.Decimal(v, p)
	if !ok {
		return 0, false
	}
	for next < len(v) && text.IsSpace(v[next]) {
		next++
	}
	return x, next == len(v)
}

// parseIndex parses a non-negative integer of 32 bits.
func parseIndex(v []byte) (uint32, bool) {
	v = bytes.TrimSpace(v)
	if len(v) == 0 || len(v) > 10 {
		return 0, false
	}
	n := uint64(0)
	for _, c := range v {
		if c-'0' > 9 {
			return 0, false
		}
		n = n*10 + uint64(c-'0')
	}
	return uint32(n), n <= math.MaxInt32
}
