package text

import "bytes"

var utf8BOM = []byte("\xef\xbb\xbf")

// TrimBOM returns p without the byte-order mark of UTF-8.
func TrimBOM(p []byte) []byte { return bytes.TrimPrefix(p, utf8BOM) }

// IsSpace reports whether c is white space. Every control character counts as white space.
func IsSpace(c byte) bool { return c <= ' ' }

// SkipSpace returns the first index from p on that is not white space. b must contain such a byte.
func SkipSpace(b []byte, p int) int {
	for IsSpace(b[p]) {
		p++
	}
	return p
}

// IsText reports whether the first 1024 bytes of p contain only bytes that occur in text. After the last line, it
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
// end of p must follow. word must be in lower case.
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
