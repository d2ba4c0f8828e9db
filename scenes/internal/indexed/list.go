package indexed

// A list grows in chunks, so that it never holds old and new memory at once.
type list[T any] struct {
	chunks [][]T
	n      int
}

// chunkSize is the number of entries of a chunk; those of a list of points are
// 1.5 MB.
const chunkSize = 1 << 16

// full reports whether the next push allocates.
func (l *list[T]) full() bool { return l.n == len(l.chunks)*chunkSize }

// push appends v.
func (l *list[T]) push(v T) {
	if l.full() {
		// The first chunk is small for small meshes and grows as slices do.
		size := chunkSize
		if l.n == 0 {
			size = 0
		}
		l.chunks = append(l.chunks, make([]T, 0, size))
	}
	last := len(l.chunks) - 1
	l.chunks[last] = append(l.chunks[last], v)
	l.n++
}

// flat returns all entries in one slice, with room for n, and empties l.
func (l *list[T]) flat(n int) []T {
	all := make([]T, 0, max(n, l.n))
	for i, c := range l.chunks {
		all = append(all, c...)
		l.chunks[i] = nil
	}
	*l = list[T]{}
	return all
}

// at returns a pointer to entry i.
func (l *list[T]) at(i int) *T { return &l.chunks[i/chunkSize][i%chunkSize] }
