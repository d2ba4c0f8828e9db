package film

import (
	"context"
	"sync"

	"lockstep/scenes"
)

// ownBlocks is a source that stays in its file but for the blocks that a node owns, which it
// keeps in memory as far as there is room: a node's memory is bounded by its share of the
// mesh, and to own a block in one frame after the other reads it once.
type blockCache struct {
	scenes.Source
	limit int64 // bytes

	mu      sync.Mutex
	cached  map[int]*scenes.Block
	current map[int]bool // blocks that are drawn
	next    map[int]bool // blocks of a plan that does not hold yet
	bytes   int64        // bytes
}

// newOwnBlocks keeps at most so many bytes.
func newBlockCache(src scenes.Source, limit int64) *blockCache {
	return &blockCache{Source: src, limit: limit, cached: map[int]*scenes.Block{}}
}

// blockBytes is the memory of a block.
func blockBytes(b *scenes.Block) int64 {
	return int64(b.Len()) * (scenes.TriangleBytes + scenes.ColorBytes)
}

// ReadBlock implements scenes.Source.
func (s *blockCache) ReadBlock(i int, dst *scenes.Block) error {
	s.mu.Lock()
	b, keep := s.cached[i], (s.current[i] || s.next[i]) && s.bytes < s.limit
	s.mu.Unlock()
	if b == nil {
		if !keep {
			return s.Source.ReadBlock(i, dst)
		}
		b = new(scenes.Block)
		if err := s.Source.ReadBlock(i, b); err != nil {
			return err
		}
		s.mu.Lock()
		if s.cached[i] == nil {
			s.cached[i] = b
			s.bytes += blockBytes(b)
		}
		s.mu.Unlock()
	}
	dst.X, dst.Y, dst.Z, dst.Colors = b.X, b.Y, b.Z, b.Colors
	return nil
}

// own says which blocks are drawn from now on. Others are forgotten, but for those of the
// plan that Prefetch read.
func (s *blockCache) setOwned(blocks []int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.current = setOf(blocks)
	for i, b := range s.cached {
		if !s.current[i] && !s.next[i] {
			s.bytes -= blockBytes(b)
			delete(s.cached, i)
		}
	}
}

// prefetch reads blocks that are not in memory, for a plan to come.
func (s *blockCache) prefetch(ctx context.Context, blocks []int) error {
	s.mu.Lock()
	s.next = setOf(blocks)
	s.mu.Unlock()
	for _, i := range blocks {
		var b scenes.Block
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := s.ReadBlock(i, &b); err != nil {
			return err
		}
	}
	return nil
}

func setOf(blocks []int) map[int]bool {
	set := make(map[int]bool, len(blocks))
	for _, i := range blocks {
		set[i] = true
	}
	return set
}
