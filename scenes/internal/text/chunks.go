package text

import (
	"bytes"
	"io"
	"sync"
)

// chunkSize is the usual number of bytes of a chunk: with what is parsed of it it fits
// the second-level cache, and it takes some 0.3 ms to parse, a thousand times what
// handing it out costs.
const chunkSize = 128 << 10

// room is how many bytes of free memory follow the text of a chunk.
const room = 8

// maxParsers bounds the goroutines that parse one text, and so the memory of its chunks.
const maxParsers = 32

// A Chunk is some whole lines of a text.
type Chunk[T any] struct {
	Text   []byte // that Parse may change; room for 8 more bytes follows
	Line   int    // number of its first line, from 1
	Parsed T      // what Parse made of it; kept for the next chunk in the same place

	lines int // in it
	ready bool
}

// Lines returns the number of its lines.
func (c *Chunk[T]) Lines() int { return c.lines }

// Chunks cuts a text into chunks, which several goroutines parse, and delivers them in
// the order of the text. Where chunks are cut depends on the text alone.
//
// The goroutine that calls Next is one of the parsers: it takes the next chunk if that
// is ready, and else parses one. Chunks are in a ring of one a parser and two more; so a
// parser that is late does not hold up the others at once. Handing chunks out by
// channels was not tried: the ring keeps their memory without another one for it.
type Chunks[T any] struct {
	// Cut returns where the last whole line of text ends that a chunk may end with, 0 if
	// there is none.
	Cut func(text []byte) int
	// Parse takes in a chunk, whatever became of those before it. Calls come from several
	// goroutines at once.
	Parse func(c *Chunk[T])

	fill func(p []byte) (int, error) // nil: carry is the whole text
	size int                         // of a chunk whose lines are not longer
	eol  byte

	mu      sync.Mutex
	changed sync.Cond
	ring    []Chunk[T]
	carry   []byte // of the text, read but not in a chunk
	begun   int    // chunks that were read
	taken   int    // chunks that Next returned
	freed   int    // chunks whose place in the ring is free again
	lines   int    // before what is read next
	line    int    // behind the last chunk that was taken
	bytes   int64  // up to there
	held    int    // bytes of the chunks that were read and are not free
	reading bool
	ended   bool  // no further chunk is read
	err     error // why; io.EOF at the end of the text
	wg      sync.WaitGroup
	parsers int // that are wanted, Next among them
}

// NewChunks returns the chunks of a text that starts with prefix[skip:], before which
// lines stand. It goes on with what fill reads into p until it is full or the text ends
// with io.EOF, unless prefix is the whole text. Lines end with LF, or with CR if the
// prefix has no LF. Close must follow.
func NewChunks[T any](prefix []byte, skip, lines int, whole bool, fill func(p []byte) (int, error), workers int) *Chunks[T] {
	c := &Chunks[T]{size: chunkSize, eol: EndOfLine(prefix[skip:]), lines: lines, line: lines + 1, bytes: int64(skip), parsers: min(workers, maxParsers)}
	if !whole {
		c.fill = fill
	}
	text := prefix[skip:]
	if skip == 0 {
		text = TrimBOM(text)
		c.bytes = int64(len(prefix) - len(text))
	}
	c.carry = append(make([]byte, 0, len(text)+room), text...)
	c.changed.L = &c.mu
	c.Cut = func(text []byte) int { return 1 + bytes.LastIndexByte(text, c.eol) }
	return c
}

// EndOfLine returns the byte that ends lines.
func EndOfLine(prefix []byte) byte {
	if bytes.IndexByte(prefix, '\n') < 0 {
		return '\r'
	}
	return '\n'
}

// SetSize sets the number of bytes of a chunk whose lines are not longer; 0 leaves it as it
// is. It comes before Next.
func (c *Chunks[T]) SetSize(n int) {
	if n > 0 {
		c.size = n
	}
}

// EOL returns the byte that ends lines.
func (c *Chunks[T]) EOL() byte { return c.eol }

// Next returns the next chunk, which is valid until the following call. The error is
// io.EOF at the end of the text, ErrLongLine, or one of fill.
func (c *Chunks[T]) Next() (*Chunk[T], error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ring == nil {
		c.ring = make([]Chunk[T], c.parsers+2)
	}
	if c.freed < c.taken {
		c.free()
		c.changed.Broadcast()
	}
	for {
		at := &c.ring[c.taken%len(c.ring)]
		switch {
		case c.taken < c.begun && at.ready:
			c.taken++
			c.line, c.bytes = at.Line+at.lines, c.bytes+int64(len(at.Text))
			return at, nil
		case c.ended && c.taken == c.begun:
			return nil, c.err
		case !c.parse():
			c.changed.Wait()
		}
	}
}

// free gives the place of the last chunk that was taken to another. Memory for a line
// of unusual length is not kept.
func (c *Chunks[T]) free() {
	at := &c.ring[c.freed%len(c.ring)]
	c.held -= len(at.Text)
	if cap(at.Text) > 2*c.size {
		*at = Chunk[T]{}
	}
	c.freed = c.taken
}

// Line returns the number of the line behind the last chunk that Next returned.
func (c *Chunks[T]) Line() int { return c.line }

// Bytes returns how many bytes of the input those up to there are.
func (c *Chunks[T]) Bytes() int64 { return c.bytes }

// Close ends all parsing. A goroutine that is reading ends when fill returns.
func (c *Chunks[T]) Close() {
	c.mu.Lock()
	c.ended = true
	c.changed.Broadcast()
	c.mu.Unlock()
	c.wg.Wait()
}

// parse reads a chunk and parses it, and reports whether there was one to be read. It is
// called with the lock held, and returns so.
func (c *Chunks[T]) parse() bool {
	if c.reading || c.ended || c.begun-c.freed == len(c.ring) || c.held > len(c.ring)*c.size {
		return false
	}
	at := &c.ring[c.begun%len(c.ring)]
	c.reading = true
	c.mu.Unlock()
	err := c.next(at)
	c.mu.Lock()
	c.reading = false
	if err != nil {
		c.ended, c.err = true, err
	}
	any := len(at.Text) > 0
	if any {
		at.ready = false
		c.begun++
		c.held += len(at.Text)
	}
	if err == nil && c.begun == 1 { // there is more than one chunk
		c.start()
	}
	c.changed.Broadcast()
	if !any {
		return true
	}
	c.mu.Unlock()
	c.Parse(at)
	c.mu.Lock()
	at.ready = true
	c.changed.Broadcast()
	return true
}

// start starts the other parsers.
func (c *Chunks[T]) start() {
	for range c.parsers - 1 {
		c.wg.Go(func() {
			c.mu.Lock()
			defer c.mu.Unlock()
			for !c.ended {
				if !c.parse() && !c.ended {
					c.changed.Wait()
				}
			}
		})
	}
}

// next reads the next chunk into at. Its text is empty if there is none.
func (c *Chunks[T]) next(at *Chunk[T]) error {
	err := c.nextText(at)
	at.Line = c.lines + 1
	at.lines = bytes.Count(at.Text, []byte{c.eol})
	if n := len(at.Text); n > 0 && at.Text[n-1] != c.eol {
		at.lines++ // the last line has no end
	}
	c.lines += at.lines
	return err
}

func (c *Chunks[T]) nextText(at *Chunk[T]) error {
	if c.fill == nil && len(c.carry) <= c.size {
		at.Text, c.carry = c.carry, nil
		return io.EOF
	}
	for size := c.size; ; size = 2 * len(c.carry) {
		at.Text = grow(at.Text, size+room)[:size]
		n := copy(at.Text, c.carry)
		rest := c.carry[n:]
		var err error
		if len(rest) == 0 {
			n, err = c.read(at.Text, n)
		}
		at.Text = at.Text[:n]
		if err == io.EOF {
			return err
		}
		cut := 0
		if err == nil {
			cut = c.Cut(at.Text)
		}
		c.carry = append(append(make([]byte, 0, n-cut+len(rest)), at.Text[cut:]...), rest...)
		at.Text = at.Text[:cut]
		if err == nil && cut == 0 && n > MaxLine {
			err = ErrLongLine
		}
		if err != nil || cut > 0 {
			return err
		}
	}
}

// read reads on behind the first n bytes of text until it is full, and returns how many
// bytes it then has.
func (c *Chunks[T]) read(text []byte, n int) (int, error) {
	if c.fill == nil {
		return n, io.EOF
	}
	k, err := c.fill(text[n:])
	return n + k, err
}

// grow returns b with a capacity of at least n; its contents are lost.
func grow(b []byte, n int) []byte {
	if cap(b) < n {
		return make([]byte, 0, n)
	}
	return b
}

// CutLines returns where the last line of text ends that the next one does not
// continue, see Lines.Join.
func CutLines(text []byte, eol byte) int {
	end := len(text)
	for {
		at := bytes.LastIndexByte(text[:end], eol)
		if at < 0 {
			return 0
		}
		p := at - 1
		for p >= 0 && text[p] == '\r' {
			p--
		}
		if p < 0 || text[p] != '\\' {
			return at + 1
		}
		end = at
	}
}
