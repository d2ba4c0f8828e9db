package x3d

import (
	"bytes"

	"lockstep/scenes/internal/text"
)

// A parser reads the classic forms: texts of X3D and VRML that are not XML.
type parser struct {
	*reader
	data []byte
	at   int
	old  bool   // the text is VRML 1
	word []byte // the last word: a name, a number, a string with its quotes, or a single character
	bad  bool   // something cannot be read, so parsing stops
}

// next reads the next word. The word is empty at the end of the file. Commas count as white space.
func (p *parser) next() []byte {
	p.at = p.skipBlank(p.at)
	start := p.at
	if start == len(p.data) {
		p.word = nil
		return nil
	}
	switch p.data[p.at] {
	case '{', '}', '[', ']':
		p.at++
	case '"':
		for p.at++; p.at < len(p.data) && p.data[p.at] != '"'; p.at++ {
			if p.data[p.at] == '\\' {
				p.at++
			}
		}
		p.at = min(len(p.data), p.at+1)
	default:
		for p.at < len(p.data) && !endsWord(p.data[p.at]) {
			p.at++
		}
	}
	p.word = p.data[start:p.at]
	return p.word
}

// skipBlank skips white space and comments from offset `at` on. It returns the offset of the first byte after them.
func (p *parser) skipBlank(at int) int {
	for at < len(p.data) {
		switch c := p.data[at]; {
		case text.IsSpace(c) || c == ',':
			at++
		case c == '#':
			i := bytes.IndexAny(p.data[at:], "\r\n")
			if i < 0 {
				return len(p.data)
			}
			at += i
		default:
			return at
		}
	}
	return at
}

// endsWord reports whether a byte ends a word.
func endsWord(c byte) bool {
	return text.IsSpace(c) || c == ',' || c == '{' || c == '}' || c == '[' || c == ']' || c == '"' || c == '#'
}

func isName(word []byte) bool {
	return len(word) > 0 && (word[0]|0x20 >= 'a' && word[0]|0x20 <= 'z' || word[0] == '_')
}

// fail adds a warning and stops parsing.
func (p *parser) fail(format string, args ...any) error {
	if p.bad {
		return nil
	}
	p.bad = true
	return p.warn.Add(bytePlace(p.at), format, args...)
}

// statements maps the first word of each statement to the number of words that follow it. Statements are not nodes.
var statements = map[string]int{"PROFILE": 1, "COMPONENT": 1, "META": 2, "UNIT": 3, "EXPORT": 1, "IMPORT": 1, "ROUTE": 3}

// readAll reads every node of a file.
func (p *parser) readAll(top *node) error {
	for !p.bad && len(p.next()) > 0 {
		if err := p.readNodeOrStatement(top, "", 0); err != nil {
			return err
		}
	}
	return nil
}

// readNodeOrStatement reads the node or statement that starts with the last word, and adds a node to `to`. `in` is the
// field of `to` that contains it.
func (p *parser) readNodeOrStatement(to *node, in string, level int) error {
	word := string(p.word[:min(len(p.word), text.MaxName)])
	if more, ok := statements[word]; ok {
		for range more {
			p.next()
		}
		return nil
	}
	switch word {
	case "PROTO", "EXTERNPROTO":
		return p.skipPrototype(word == "PROTO")
	case "USE":
		return p.addUse(to, string(p.next()), p.at)
	case "DEF":
		name := string(p.next())
		p.next()
		return p.readNode(to, in, name, level)
	case "NULL":
		return nil
	}
	return p.readNode(to, in, "", level)
}

// skipPrototype skips the declaration of a prototype: its fields, and then its body. If `body` is false, the
// declaration has addresses in place of a body.
func (p *parser) skipPrototype(body bool) error {
	name := p.next()
	if name = name[:min(len(name), text.MaxName)]; !p.kinds[string(name)] {
		if err := p.Reserve(int64(64 + len(name))); err != nil {
			return err
		}
		p.kinds[string(name)] = true
	}
	if string(p.next()) != "[" {
		return p.fail("a prototype without a list of fields")
	}
	if !p.skipTo("[", "]") {
		return p.fail("the file ends within a prototype")
	}
	switch word := string(p.next()); {
	case body && word == "{":
		if !p.skipTo("{", "}") {
			return p.fail("the file ends within a prototype")
		}
	case word == "[":
		p.skipTo("[", "]")
	}
	return nil
}

// skipTo skips everything up to the word `end` that matches the word `begin`. The caller has read `begin`. The result
// is false if the file ends before.
func (p *parser) skipTo(begin, end string) bool {
	for depth := 1; depth > 0; {
		word := p.next()
		switch string(word) {
		case "":
			return false
		case begin:
			depth++
		case end:
			depth--
		}
	}
	return true
}

// readNode reads a node and adds it to `to`. The last word was its kind. name is its DEF name, or empty.
func (p *parser) readNode(to *node, in, name string, level int) error {
	kind := p.word
	if !isName(kind) {
		return p.fail("%s where a node should be", text.Short(kind))
	}
	if level > maxLevels {
		return p.fail("nodes within each other, more than %d deep", maxLevels)
	}
	if err := p.Reserve(nodeBytes); err != nil {
		return err
	}
	n := &node{kind: string(kind[:min(len(kind), text.MaxName)]), at: p.at - len(kind), field: in}
	if p.old {
		n.kind = newName(n.kind)
	}
	if string(p.next()) != "{" {
		return p.fail("node %s without a brace behind it", text.Short(n.kind))
	}
	to.below = append(to.below, n)
	if err := p.define(n, name[:min(len(name), text.MaxName)]); err != nil {
		return err
	}
	if err := p.in.Context().Err(); err != nil {
		return err
	}
	for !p.bad {
		word := p.next()
		switch {
		case len(word) == 0:
			return p.fail("the file ends within a node")
		case word[0] == '}':
			return nil
		case string(word) == "ROUTE" || string(word) == "PROTO" || string(word) == "EXTERNPROTO":
			if err := p.readNodeOrStatement(n, "", level); err != nil {
				return err
			}
		case !isName(word):
			return p.fail("%s where a field should be", text.Short(word))
		case p.old:
			if err := p.readMember(n, level); err != nil {
				return err
			}
		default:
			if err := p.readField(n, string(word[:min(len(word), text.MaxName)]), level); err != nil {
				return err
			}
		}
	}
	return nil
}

// readField reads the value of a field: nodes, or words, which are stored as text.
func (p *parser) readField(n *node, name string, level int) error {
	start := p.at
	word := p.next()
	switch {
	case len(word) == 0:
		return p.fail("the file ends within a node")
	case word[0] == '[':
		return p.readList(n, name, level)
	case word[0] == '}':
		p.at -= len(word)
		return nil
	case isName(word):
		switch string(word) {
		case "TRUE", "FALSE", "true", "false":
			return p.addField(n, name, word)
		case "IS":
			p.next()
			return nil
		}
		return p.readNodeOrStatement(n, name, level+1)
	}
	return p.readWords(n, name, start)
}

// readWords reads the rest of a value of any number of numbers or strings. The value starts at offset `start`. The
// caller has read its first word.
func (p *parser) readWords(n *node, name string, start int) error {
	end := p.at
	for {
		word := p.next()
		if len(word) == 0 || isName(word) || word[0] == '{' || word[0] == '}' || word[0] == '[' || word[0] == ']' {
			p.at = end
			break
		}
		end = p.at
	}
	return p.addField(n, name, p.data[start:end])
}

// readList reads the value of a field that is in brackets.
func (p *parser) readList(n *node, name string, level int) error {
	if at := p.skipBlank(p.at); at < len(p.data) && isName(p.data[at:at+1]) {
		for !p.bad {
			word := p.next()
			switch {
			case len(word) == 0:
				return p.fail("the file ends within a list")
			case word[0] == ']':
				return nil
			case string(word) == "TRUE" || string(word) == "FALSE":
				continue
			}
			if err := p.readNodeOrStatement(n, name, level+1); err != nil {
				return err
			}
		}
		return nil
	}
	return p.readNumbers(n, name)
}

// readNumbers reads the rest of a value in brackets that contains no nodes.
func (p *parser) readNumbers(n *node, name string) error {
	start := p.at
	for {
		word := p.next()
		switch {
		case len(word) == 0 || word[0] == '{' || word[0] == '}' || word[0] == '[':
			if err := p.addField(n, name, p.data[start:p.at-len(word)]); err != nil {
				return err
			}
			return p.fail("a list without an end")
		case word[0] == ']':
			return p.addField(n, name, p.data[start:p.at-1])
		}
	}
}

// addField adds a field to node n. It removes comments from the value, and white space around it.
func (p *parser) addField(n *node, name string, value []byte) error {
	if err := p.Reserve(int64(fieldBytes + len(name))); err != nil {
		return err
	}
	if bytes.IndexByte(value, '#') >= 0 {
		if err := p.Reserve(2 * int64(len(value))); err != nil { // words may get white space between them
			return err
		}
		value = withoutComments(value)
	}
	n.fields = append(n.fields, field{name, trimBlank(value)})
	return nil
}

// withoutComments returns a copy of a value without comments. A comment starts with # outside a string and ends with
// the line.
func withoutComments(value []byte) []byte {
	p := parser{data: value}
	out := make([]byte, 0, len(value))
	for len(p.next()) > 0 {
		out = append(append(out, p.word...), ' ')
	}
	return out
}

// trimBlank returns a value without the white space and commas around it. It returns nil only for nil.
func trimBlank(value []byte) []byte {
	for len(value) > 0 && (text.IsSpace(value[0]) || value[0] == ',') {
		value = value[1:]
	}
	for end := len(value); end > 0 && (text.IsSpace(value[end-1]) || value[end-1] == ','); end = len(value) {
		value = value[:end-1]
	}
	return value
}
