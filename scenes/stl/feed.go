package stl

import (
	"bytes"
	"cmp"
	"slices"

	"lockstep/scenes/format"
	"lockstep/scenes/internal/parallel"
	"lockstep/scenes/internal/text"
)

// A text is parsed in parallel by chunks that end behind a facet. Of a chunk the facets
// of usual form at its start are parsed on their own. Words reads all that comes before
// and between them; wherever it stands in front of a facet that was parsed already, it
// takes these facets and goes on behind the last one.

// parsed are the facets at the start of a chunk.
type parsed struct {
	facets []parsedFacet
	end    int // index behind them
	lines  int // line ends before that
}

type parsedFacet struct {
	corners [3][3]float64
	start   int // index of its first word
	line    int
}

// leastFacet is less than the length of most facets; shorter ones make slices grow.
const leastFacet = 150

// sentinel ends what is parsed, as it does Words.Buf: it fits the room behind a chunk.
const sentinel = " ~ "

// parse parses the facets at the start of a chunk.
func parse(c *text.Chunk[parsed], eol byte) {
	p := &c.Parsed
	n := len(c.Text)
	b := append(c.Text, sentinel...)
	p.facets, p.end, p.lines = slices.Grow(p.facets[:0], n/leastFacet), 0, 0
	whole := n > 0 && text.IsSpace(c.Text[n-1]) // the last word is
	for p.end < n {
		at := text.SkipSpace(b, p.end)
		f := parsedFacet{start: at}
		next, ok := triangleAt(b, at, &f.corners)
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

// cut returns where the last facet of a text ends; all of it if there is none.
func cut(b []byte) int {
	for _, word := range []string{"endfacet", "ENDFACET"} {
		at := bytes.LastIndex(b, []byte(word))
		if end := at + len(word); at >= 0 && end < len(b) && text.IsSpace(b[end]) {
			return end + 1
		}
	}
	return len(b)
}

// A feed gives Words the bytes of chunks.
type feed struct {
	chunks *text.Chunks[parsed]
	chunk  *text.Chunk[parsed] // that is being fed; nil before the first
	off    int                 // bytes of it that were given
}

func newFeed(in *format.Input, how fileFormat) *feed {
	chunks := text.NewChunks[parsed](in.Prefix, 0, 0, in.Size == int64(len(in.Prefix)), in.Fill, parallel.Workers(in.Options.Workers, 1<<10))
	chunks.Cut = cut
	chunks.Parse = func(c *text.Chunk[parsed]) {
		c.Parsed.facets = c.Parsed.facets[:0]
		if !how.plain {
			parse(c, chunks.EOL())
		}
	}
	chunks.SetSize(how.chunk)
	return &feed{chunks: chunks}
}

// enough is how many bytes fill gives at least: a name, or a facet of usual length.
const enough = 2 * text.Lookahead

// fill is what Words is filled by: with the rest of a chunk, so that it does not run
// ahead of those whose facets were parsed.
func (f *feed) fill(p []byte) (n int, err error) {
	for n < min(len(p), enough) {
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

// at returns the facets that were parsed from a place on which is ahead bytes before
// what is fed next; none if there are none.
func (f *feed) at(ahead int) []parsedFacet {
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

// skip goes on behind the facets of the chunk, and returns the number of line ends before
// that place.
func (f *feed) skip() (lines int) {
	f.off = f.chunk.Parsed.end
	return f.chunk.Line - 1 + f.chunk.Parsed.lines
}
