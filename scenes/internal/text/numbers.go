package text

// Numbers reads numbers separated by white space and commas, one after the other. Unlike Fields, it needs no byte after
// the text.
type Numbers struct {
	b []byte
	p int
}

// NumbersOf returns a reader for the numbers of a text.
func NumbersOf(b []byte) Numbers { return Numbers{b: b} }

// skip skips white space and commas, and reports whether anything follows.
func (n *Numbers) skip() bool {
	for n.p < len(n.b) && (IsSpace(n.b[n.p]) || n.b[n.p] == ',') {
		n.p++
	}
	return n.p < len(n.b)
}

// word returns the end of the word that starts at the current position.
func (n *Numbers) word() int {
	end := n.p
	for end < len(n.b) && !IsSpace(n.b[end]) && n.b[end] != ',' {
		end++
	}
	return end
}

// More reports whether anything follows.
func (n *Numbers) More() bool { return n.skip() }

// Float parses the next word as Decimal does. ok is false at the end. A word that is not a number is skipped, and ok is
// false, too.
func (n *Numbers) Float() (v float64, ok bool) {
	if !n.skip() {
		return 0, false
	}
	end := n.word()
	word := n.b[n.p:end]
	if end < len(n.b) && IsSpace(n.b[end]) {
		v, next, ok := Decimal(n.b[:end+1], n.p)
		n.p = end
		return v, ok && next == end
	}
	n.p = end
	var room [48]byte // longer words are rare
	v, next, ok := Decimal(append(append(room[:0], word...), ' '), 0)
	return v, ok && next == len(word)
}

// Int parses the next word as a whole number of at most 18 digits. ok is false at the end. A word that is not such a
// number is skipped, and ok is false, too.
func (n *Numbers) Int() (v int64, ok bool) {
	if !n.skip() {
		return 0, false
	}
	start, end := n.p, n.word()
	p := start
	if n.b[p] == '-' || n.b[p] == '+' {
		p++
	}
	first := p
	for p < end && n.b[p]-'0' < 10 && p-first < 18 {
		v = v*10 + int64(n.b[p]-'0')
		p++
	}
	n.p = end
	if n.b[start] == '-' {
		v = -v
	}
	if p == end && p > first {
		return v, true
	}
	n.p = start // the number has a form such as 3.0 or 1e3
	x, ok := n.Float()
	if v = int64(x); !ok || !(x > -1e18 && x < 1e18) || float64(v) != x {
		return 0, false
	}
	return v, true
}

// Word returns the next word. It is empty at the end.
func (n *Numbers) Word() []byte {
	if !n.skip() {
		return nil
	}
	end := n.word()
	word := n.b[n.p:end]
	n.p = end
	return word
}

// Taken returns how many bytes have been read.
func (n *Numbers) Taken() int { return n.p }
