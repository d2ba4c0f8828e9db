package stl

import (
	"bytes"
	"cmp"
	"slices"

	"lockstep/scenes/format"
	"lockstep/scenes/internal/parallel"
	"lockstep/scenes/internal/text"
)

// A text is parsed in parallel, in chunks that end after a facet. In each chunk, goroutines parse the facets of the
// usual form at its start. The asciiReader reads all other text word by word. When it reaches facets that are parsed
// already, it takes them and continues after the last of them.

// A parsedChunk holds the facets that were parsed at the start of a chunk of text.
type parsedChunk struct {
	facets []parsedFacet
	end    int // index after the last of these facets
	lines  int // number of line ends before end
}

type parsedFacet struct {
	corners [3][3]float64
	start   int // index of the word "facet"
	line    int
}

// leastFacet is less than the length in bytes of most facets. It serves to estimate the number of facets in a chunk. If
// facets are shorter, the list of facets grows.
const leastFacet = 150

// sentinel is appended to the text to be parsed, as in text.Words. Chunks have free bytes for it.
const sentinel = " ~ "

// parse parses the facets of the usual form at the start of a chunk.
func parse(c *text.Chunk[parsedChunk], eol byte) {
	p := &c.Parsed
	n := len(c.Text)
	b := append(c.Text, sentinel...)
	p.facets, p.end, p.lines = slices.Grow(p.facets[:0], n/leastFacet), 0, 0
	whole := n > 0 && text.IsSpace(c.Text[n-1]) // the last word of the chunk is complete
	for p.end < n {
		at := text.SkipSpace(b, p.end)
		f := parsedFacet{start: at}
		next, ok := parseFacet(b, at, &f.corners)
		if !ok || next > n && !whole {
			return
		}
		lines := bytes.Count(b[p.end:at], []byte{eol})
		f.line = c.Line + p.lines + lines
		next = min(next, n)
		p.lines += lines + bytes.Count(b[at:next], []byte{eol})
		p.end = next
		p.facets = append(p.facets, f)
	}
}

// lastFacetEnd returns the index after the last complete facet of b, or len(b) if there is none. Chunks end there.
func lastFacetEnd(b []byte) int {
	for _, word := range []string{"endfacet", "ENDFACET"} {
		at := bytes.LastIndex(b, []byte(word))
		if end := at + len(word); at >= 0 && end < len(b) && text.IsSpace(b[end]) {
			return end + 1
		}
	}
	return len(b)
}

// A feed delivers the text of chunks to text.Words.
type feed struct {
	chunks *text.Chunks[parsedChunk]
	chunk  *text.Chunk[parsedChunk] // current chunk; nil before the first
	off    int                      // number of bytes of the chunk that were delivered
}

func newFeed(in *format.Input, how fileFormat) *feed {
	chunks := text.NewChunks[parsedChunk](in.Prefix, 0, 0, in.Size == int64(len(in.Prefix)), in.Fill, parallel.Workers(in.Options.Workers, 1<<10))
	chunks.Cut = lastFacetEnd
	chunks.Parse = func(c *text.Chunk[parsedChunk]) {
		c.Parsed.facets = c.Parsed.facets[:0]
		if !how.sequential {
			parse(c, chunks.EOL())
		}
	}
	chunks.SetSize(how.chunk)
	return &feed{chunks: chunks}
}

// minFill is the least number of bytes that fill returns. It is enough for a name, and for a facet of usual length.
const minFill = 2 * text.Lookahead

// fill reads text for text.Words. It returns the rest of a chunk and only few further bytes. So Words does not read
// past facets that are parsed already.
func (f *feed) fill(p []byte) (n int, err error) {
	for n < min(len(p), minFill) {
		if f.chunk == nil || f.off == len(f.chunk.Text) {
			if f.chunk, err = f.chunks.Next(); err != nil {
				f.chunk = nil
				return n, err
			}
			f.off = 0
		}
		k := copy(p[n:min(len(p), n+4*text.Lookahead)], f.chunk.Text[f.off:])
		f.off += k
		n += k
	}
	return n, nil
}

// parsedAt returns the parsed facets that start `ahead` bytes before the bytes that fill will return next, or nil if
// none start there.
func (f *feed) parsedAt(ahead int) []parsedFacet {
	start := f.off - ahead
	if f.chunk == nil || start < 0 {
		return nil
	}
	all := f.chunk.Parsed.facets
	i, found := slices.BinarySearchFunc(all, start, func(p parsedFacet, start int) int { return cmp.Compare(p.start, start) })
	if !found {
		return nil
	}
	return all[i:]
}

// skipParsed continues after the parsed facets of the chunk. It returns the number of lines of the input that end
// before that position.
func (f *feed) skipParsed() (lines int) {
	f.off = f.chunk.Parsed.end
	return f.chunk.Line - 1 + f.chunk.Parsed.lines
}
