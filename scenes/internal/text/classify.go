package text

import "bytes"

var utf8BOM = []byte("\xef\xbb\xbf")

// TrimBOM returns p without the byte-order mark of UTF-8.
func TrimBOM(p []byte) []byte { return bytes.TrimPrefix(p, utf8BOM) }

// IsSpace reports whether c is white space. Every control character counts as white space.
func IsSpace(c byte) bool { return c <= ' ' }

// SkipSpace returns the index of the first byte from b[p] on that is not white space. b must contain such a byte.
func SkipSpace(b []byte, p int) int {
	for IsSpace(b[p]) {
		p++
	}
	return p
}

// IsText reports whether the first 1024 bytes of p contain only bytes that occur in text. After the last line, it also
// allows the end-of-file character of DOS, and zeros, which an interrupted write leaves.
func IsText(p []byte) bool {
	p = p[:min(len(p), 1024)]
	if whole := bytes.TrimRight(p, "\x00\x1a"); len(whole) > 0 && whole[len(whole)-1] <= '\r' {
		p = whole
	}
	for _, c := range p {
		if c < ' ' && (c < '\t' || c > '\r') && c != 0x1b {
			return false
		}
	}
	return true
}

// HasWord reports whether p contains word, in upper or lower case. White space must precede it, and white space or the
// end of p must follow it. word must be in lower case.
func HasWord(p []byte, word string) bool {
	lower := bytes.ToLower(p)
	for {
		at := bytes.Index(lower, []byte(word))
		if at < 0 {
			return false
		}
		end := at + len(word)
		if at > 0 && IsSpace(lower[at-1]) && (end == len(lower) || IsSpace(lower[end])) {
			return true
		}
		lower = lower[end:]
	}
}

// CommentsLength returns the number of bytes before the first real line of a text. A real line is neither blank nor a
// comment in one of the formats. If there is no real line, CommentsLength returns the length of p. A comment that
// continues after the end of p counts, too.
func CommentsLength(p []byte) int {
	at := len(p) - len(TrimBOM(p))
	for {
		at += len(p[at:]) - len(bytes.TrimLeft(p[at:], " \t\r\n\f"))
		n := commentLength(p[at:])
		if n == 0 {
			return at
		}
		at += n
	}
}

// commentLength returns the length of the comment with which p starts, or 0 if it does not start with one.
func commentLength(p []byte) int {
	for _, kind := range []struct{ start, end string }{
		{"#", ""}, {";", ""}, {"//", ""}, {"comment ", ""},
		{"<!--", "-->"}, {"<?", "?>"}, // an XML declaration may precede comments
		{"$Comment", "$EndComment"}, // comments of Gmsh; some files have $Comments
	} {
		if !bytes.HasPrefix(p, []byte(kind.start)) {
			continue
		}
		if kind.end == "" {
			return lineLength(p)
		}
		n := bytes.Index(p, []byte(kind.end))
		switch {
		case isDeclaration(p) && (n < 0 || n > lineLength(p)) && bytes.IndexByte(p[:lineLength(p)], '>') > 0:
			return bytes.IndexByte(p, '>') + 1 // a declaration without its second question mark
		case n < 0:
			return len(p)
		case kind.start[0] == '$':
			return n + lineLength(p[n:])
		}
		return n + len(kind.end)
	}
	// In DXF, the line after the code 999 is a comment.
	if n := lineLength(p); string(bytes.TrimSpace(p[:min(n, 8)])) == "999" {
		n += len(p[n:]) - len(bytes.TrimLeft(p[n:], "\r\n"))
		return n + lineLength(p[n:])
	}
	return 0
}

// isDeclaration reports whether p starts with an XML declaration. Other instructions may contain '>' and continue on
// the next line.
func isDeclaration(p []byte) bool {
	const start = "<?xml"
	return bytes.HasPrefix(p, []byte(start)) && len(p) > len(start) && IsSpace(p[len(start)])
}

// lineLength returns the length of the first line without the byte that ends it.
func lineLength(p []byte) int {
	if n := bytes.IndexAny(p, "\r\n"); n >= 0 {
		return n
	}
	return len(p)
}

// AfterComments returns at most n bytes of a text. They start with the first line that is neither blank nor a comment.
func AfterComments(p []byte, n int) []byte {
	p = p[CommentsLength(p):]
	return p[:min(len(p), n)]
}
