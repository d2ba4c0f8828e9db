package prepared

import (
	"slices"

	"lockstep/scenes"
	"lockstep/scenes/leaves"
)

// A leafWriter collects encoded groups of triangles into chunks.
type leafWriter struct {
	leafPlaces
	bounds [6][]float32
	chunk  []uint32
	put    func(chunk []uint32) // receives complete chunks and may change them; nil: groups are only counted
}

// addGroups adds groups.
func (w *leafWriter) addGroups(g *encodedGroups) {
	for i := range w.bounds {
		w.bounds[i] = append(w.bounds[i], g.bounds[i]...)
	}
	words := g.words
	for _, n := range g.counts {
		begins, padding := w.leafPlaces.addGroup(n)
		size := leaves.PackedWords(int(n))
		if w.put != nil {
			if begins {
				w.endChunk(padding)
			}
			w.chunk = append(w.chunk, words[:size]...)
		}
		words = words[size:]
	}
}

// endChunk appends `padding` zeros to the current chunk and passes the chunk to put. It does nothing if no chunk is
// begun.
func (w *leafWriter) endChunk(padding int) {
	if w.chunk == nil {
		w.chunk = make([]uint32, 0, leafChunk)
	}
	if len(w.chunk) > 0 {
		w.put(append(w.chunk, make([]uint32, padding)...))
		w.chunk = w.chunk[:0]
	}
}

// countWords returns the groups' numbers of vertices as 32-bit words, four numbers in each.
func (p *leafPlaces) countWords() []uint32 {
	all := make([]uint32, (len(p.counts)+3)/4)
	for i, n := range p.counts {
		all[i/4] |= uint32(n) << (i % 4 * 8)
	}
	return all
}

const (
	// taskGroups is the number of groups that a worker encodes in one task. batchTasks is the number of tasks whose
	// results, about 16 MiB, are in memory until they are written in order.
	taskGroups = 256
	batchTasks = 32
)

// A leafEncoder encodes groups of triangles with several workers.
type leafEncoder struct {
	run     func(n int, do func(task int))
	tasks   [batchTasks]encodedGroups
	encoder [batchTasks]groupEncoder
}

// encode encodes triangles. It calls `add` with the results, in order, until add returns an error. The number of
// triangles must be a multiple of GroupTriangles, except at the end of a mesh.
func (e *leafEncoder) encode(b *scenes.Block, numbers []uint32, add func(g *encodedGroups) error) error {
	const task = taskGroups * GroupTriangles
	for lo := 0; lo < b.Len(); lo += batchTasks * task {
		n := min(batchTasks, (b.Len()-lo+task-1)/task)
		e.run(n, func(i int) {
			from := lo + i*task
			end := min(from+task, b.Len())
			part := b.Slice(from, end)
			e.encoder[i].encode(&e.tasks[i], &part, numbers[from:end])
		})
		for i := range n {
			if err := add(&e.tasks[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// sortedLeaves holds triangles that are sorted but do not fill a group yet.
type sortedLeaves struct {
	encoder *leafEncoder
	add     func(g *encodedGroups) error
	block   scenes.Block // fewer triangles than a group
	numbers []uint32
}

// write encodes all complete groups of the stored triangles and l, and stores the rest.
func (s *sortedLeaves) write(l *leaves.Leaves) error {
	first := 0
	if len(s.numbers) > 0 {
		first = min(GroupTriangles-len(s.numbers), l.Len())
		s.keep(l, 0, first)
		if len(s.numbers) == GroupTriangles {
			if err := s.flush(); err != nil {
				return err
			}
		}
	}
	end := first + (l.Len()-first)/GroupTriangles*GroupTriangles
	part := l.Slice(first, end)
	if err := s.encoder.encode(&part, l.Numbers[first:end], s.add); err != nil {
		return err
	}
	s.keep(l, end, l.Len())
	return nil
}

// The method keep stores triangles `from` to `end` (exclusive) of l.
func (s *sortedLeaves) keep(l *leaves.Leaves, from, end int) {
	if s.block.Len() == 0 {
		s.block = scenes.MakeBlock(GroupTriangles)
		if l.Colors != nil {
			s.block.Colors = make([]uint32, GroupTriangles)
		}
	}
	part := l.Slice(from, end)
	s.block.CopyAt(len(s.numbers), &part)
	s.numbers = append(s.numbers, l.Numbers[from:end]...)
}

// flush encodes the stored triangles as the last group.
func (s *sortedLeaves) flush() error {
	part := s.block.Slice(0, len(s.numbers))
	err := s.encoder.encode(&part, slices.Clone(s.numbers), s.add)
	s.numbers = s.numbers[:0]
	return err
}
