package indexed

import "slices"

// A list grows in chunks. Unlike a slice, it is not copied as it grows.
type list[T any] struct {
	chunks [][]T
	n      int
}

// chunkSize is the number of entries of a chunk. A chunk of points takes 1.5 MB.
const chunkSize = 1 << 16

// isFull reports whether the next push must start a chunk.
func (l *list[T]) isFull() bool { return l.n == len(l.chunks)*chunkSize }

// push appends v.
func (l *list[T]) push(v T) {
	if l.isFull() {
		l.beginChunk()
	}
	last := len(l.chunks) - 1
	l.chunks[last] = append(l.chunks[last], v)
	l.n++
}

// beginChunk starts a chunk.
func (l *list[T]) beginChunk() {
	// The first chunk starts small and grows as slices do, so that small meshes need little memory.
	size := chunkSize
	if l.n == 0 {
		size = 0
	}
	if n := len(l.chunks); n == 0 && cap(l.chunks) > 0 && l.n == 0 {
		l.chunks = l.chunks[:1] // the chunk that reset has kept
		return
	}
	l.chunks = append(l.chunks, make([]T, 0, size))
}

// reset removes all entries but keeps the memory of the first chunk.
func (l *list[T]) reset() {
	if len(l.chunks) > 0 {
		clear(l.chunks[1:])
		l.chunks[0] = l.chunks[0][:0]
		l.chunks = l.chunks[:0]
	}
	l.n = 0
}

// extend appends between one and n entries and returns them. Their values are not set.
func (l *list[T]) extend(n int) []T {
	if l.isFull() {
		l.beginChunk()
	}
	c := &l.chunks[len(l.chunks)-1]
	at := len(*c)
	n = min(n, chunkSize-at)
	*c = slices.Grow(*c, n)[:at+n]
	l.n += n
	return (*c)[at:]
}

// shrink removes the last n entries, which must come from the last call of extend.
func (l *list[T]) shrink(n int) {
	c := &l.chunks[len(l.chunks)-1]
	*c = (*c)[:len(*c)-n]
	l.n -= n
}

// runFrom returns entry lo and the entries after it in the same chunk, at most up to index hi (exclusive).
func (l *list[T]) runFrom(lo, hi int) []T {
	c := l.chunks[lo/chunkSize]
	at := lo % chunkSize
	return c[at:min(len(c), at+hi-lo)]
}

// toSlice returns all entries in one slice with a capacity of at least n, and empties l.
func (l *list[T]) toSlice(n int) []T {
	all := make([]T, 0, max(n, l.n))
	for i, c := range l.chunks {
		all = append(all, c...)
		l.chunks[i] = nil
	}
	*l = list[T]{}
	return all
}

func (l *list[T]) at(i int) *T { return &l.chunks[i/chunkSize][i%chunkSize] }
