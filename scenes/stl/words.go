package stl

import "bytes"

// A keyword is a keyword of the grammar.
type keyword uint8

const (
	kwNone keyword = iota
	kwSolid
	kwFacet
	kwNormal
	kwOuter
	kwLoop
	kwVertex
	kwEndloop
	kwEndfacet
	kwEndsolid
)

var keywords = [...]string{
	kwNone: "", kwSolid: "solid", kwFacet: "facet", kwNormal: "normal", kwOuter: "outer", kwLoop: "loop",
	kwVertex: "vertex", kwEndloop: "endloop", kwEndfacet: "endfacet", kwEndsolid: "endsolid",
}

// keywordOf returns the keyword that equals word if case is ignored.
func keywordOf(word []byte) keyword {
	for kw := kwSolid; kw <= kwEndsolid; kw++ {
		if len(word) == len(keywords[kw]) && bytes.EqualFold(word, []byte(keywords[kw])) {
			return kw
		}
	}
	return kwNone
}

// nextWord returns the next word that is not in a comment. The format has no comments, but people write them. A comment
// is a word that starts with #, ; or //, or the word "comment" as in PLY, and the rest of its line.
func (a *asciiReader) nextWord() ([]byte, error) {
	for {
		word, err := a.Next()
		if err != nil || !startsComment(word) {
			return word, err
		}
		if _, err := a.RestOfLine(nil); err != nil {
			return nil, err
		}
	}
}

// afterComments returns p without blank lines and comments at its start.
func afterComments(p []byte) []byte {
	for {
		p = bytes.TrimLeft(p, " \t\r\n\v\f")
		if !startsComment(p) {
			return p
		}
		end := bytes.IndexAny(p, "\r\n")
		if end < 0 {
			return nil
		}
		p = p[end:]
	}
}

// startsComment reports whether a comment starts with this word.
func startsComment(word []byte) bool {
	if len(word) == 0 {
		return false
	}
	return word[0] == '#' || word[0] == ';' || bytes.HasPrefix(word, []byte("//")) || string(word) == "comment" || bytes.HasPrefix(word, []byte("comment "))
}
