package text

import (
	"bytes"
	"io"
	"sync"
)

// chunkSize is the usual number of bytes of a chunk. A chunk and its parsed result fit into the second-level cache.
// Parsing takes about 0.3 ms, a thousand times as long as passing the chunk to another goroutine.
const chunkSize = 128 << 10

// freeBytes is how many unused bytes follow the text of a chunk.
const freeBytes = 8

// maxParsers is the greatest number of goroutines that parse one text. It limits the memory for chunks.
const maxParsers = 32

// A Chunk holds some whole lines of a text.
type Chunk[T any] struct {
	Text   []byte // text of the lines, which Parse may change; freeBytes unused bytes follow
	Line   int    // number of the first line, counted from 1
	Parsed T      // result of Parse; its memory is reused for later chunks

	lines int // number of lines
	ready bool
}

// Lines returns the number of lines in the chunk.
func (c *Chunk[T]) Lines() int { return c.lines }

// Chunks divides a text into chunks, lets several goroutines parse them, and delivers them in the order of the text.
// Where it divides the text depends only on the text.
//
// The goroutine that calls Next is one of the parsers: if the next chunk is not ready, it parses a chunk itself. Chunks
// are in a ring, which reuses their memory. The ring has two more chunks than there are parsers, so a slow parser does
// not stop the others at once.
type Chunks[T any] struct {
	// Cut returns the end of the last whole line of text after which the text may be divided. It returns 0 if there is
	// no such line.
	Cut func(text []byte) int
	// Parse parses a chunk. It must not depend on the results of earlier chunks, and several goroutines may call it at
	// once.
	Parse func(c *Chunk[T])

	fill func(p []byte) (int, error) // reads more text; nil if carry is the whole text
	size int                         // bytes of a chunk, unless a line is longer
	eol  byte

	mu      sync.Mutex
	changed sync.Cond
	ring    []Chunk[T]
	carry   []byte // text that was read but does not belong to a chunk yet
	begun   int    // number of chunks that were read
	taken   int    // number of chunks that Next returned
	freed   int    // number of chunks whose memory in the ring is free again
	lines   int    // number of lines before the text that is read next
	line    int    // number of the line after the last chunk that Next returned
	bytes   int64  // number of bytes of the input before line `line`
	held    int    // bytes of all chunks in use in the ring
	reading bool
	ended   bool  // no more chunks will be read
	err     error // reason why reading ended; io.EOF at the end of the text
	wg      sync.WaitGroup
	parsers int // number of parsers, including the caller of Next
}

// NewChunks returns the chunks of a text that starts with prefix[skip:], after the given number of lines. If whole is
// set, prefix is the whole text. Otherwise the function fill reads the rest. It must fill p completely, or return
// io.EOF at the end of the text. Lines end with LF, or with CR if the prefix has no LF. The caller must call Close.
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
	c.carry = append(make([]byte, 0, len(text)+freeBytes), text...)
	c.changed.L = &c.mu
	c.Cut = func(text []byte) int { return 1 + bytes.LastIndexByte(text, c.eol) }
	return c
}

// EndOfLine returns the byte that ends lines: LF, or CR if the prefix has no LF.
func EndOfLine(prefix []byte) byte {
	if bytes.IndexByte(prefix, '\n') < 0 {
		return '\r'
	}
	return '\n'
}

// SetSize sets the number of bytes of a chunk. A chunk is longer if a line is longer. A size of 0 changes nothing.
// SetSize must be called before Next.
func (c *Chunks[T]) SetSize(n int) {
	if n > 0 {
		c.size = n
	}
}

// EOL returns the byte that ends lines.
func (c *Chunks[T]) EOL() byte { return c.eol }

// Next returns the next chunk, which is valid until the next call. The error is io.EOF at the end of the text,
// ErrLongLine, or an error of fill.
func (c *Chunks[T]) Next() (*Chunk[T], error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ring == nil {
		c.ring = make([]Chunk[T], c.parsers+2)
	}
	if c.freed < c.taken {
		c.freeLast()
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
		case !c.parseNext():
			c.changed.Wait()
		}
	}
}

// freeLast makes the chunk that Next returned last available again. If a long line has made its memory unusually large,
// the memory is dropped.
func (c *Chunks[T]) freeLast() {
	at := &c.ring[c.freed%len(c.ring)]
	c.held -= len(at.Text)
	if cap(at.Text) > 2*c.size {
		*at = Chunk[T]{}
	}
	c.freed = c.taken
}

// Line returns the number of the line after the last chunk that Next returned.
func (c *Chunks[T]) Line() int { return c.line }

// Bytes returns the number of bytes of the input before the line that Line returns.
func (c *Chunks[T]) Bytes() int64 { return c.bytes }

// Close ends all parsing. If a goroutine is reading, Close waits until fill returns.
func (c *Chunks[T]) Close() {
	c.mu.Lock()
	c.ended = true
	c.changed.Broadcast()
	c.mu.Unlock()
	c.wg.Wait()
}

// parseNext reads the next chunk and parses it. It returns false if nothing can be read now. The caller must hold the
// lock; parse releases it while it parses.
func (c *Chunks[T]) parseNext() bool {
	if c.reading || c.ended || c.begun-c.freed == len(c.ring) || c.held > len(c.ring)*c.size {
		return false
	}
	at := &c.ring[c.begun%len(c.ring)]
	c.reading = true
	c.mu.Unlock()
	err := c.readNext(at)
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
	if err == nil && c.begun == 1 { // the text has more than one chunk
		c.startParsers()
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

// startParsers starts the other goroutines that parse.
func (c *Chunks[T]) startParsers() {
	for range c.parsers - 1 {
		c.wg.Go(func() {
			c.mu.Lock()
			defer c.mu.Unlock()
			for !c.ended {
				if !c.parseNext() && !c.ended {
					c.changed.Wait()
				}
			}
		})
	}
}

// readNext reads the next chunk into `at`. At the end, the text of the chunk is empty.
func (c *Chunks[T]) readNext(at *Chunk[T]) error {
	err := c.nextText(at)
	at.Line = c.lines + 1
	at.lines = bytes.Count(at.Text, []byte{c.eol})
	if n := len(at.Text); n > 0 && at.Text[n-1] != c.eol {
		at.lines++ // the last line has no line end
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
		at.Text = grow(at.Text, size+freeBytes)[:size]
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

// read fills text after its first n bytes. It returns how many bytes of text are valid afterwards.
func (c *Chunks[T]) read(text []byte, n int) (int, error) {
	if c.fill == nil {
		return n, io.EOF
	}
	k, err := c.fill(text[n:])
	return n + k, err
}

// grow returns b, or new memory of n bytes if the capacity of b is less. It does not copy the contents of b.
func grow(b []byte, n int) []byte {
	if cap(b) < n {
		return make([]byte, 0, n)
	}
	return b
}

// CutLines returns the end of the last line of text that the next line does not continue (see Lines.Join).
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
