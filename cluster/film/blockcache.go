package film

import (
	"context"
	"sync"

	"lockstep/scenes"
)

// A blockCache is a mesh that keeps in memory the blocks that this node owns, up to a limit. Other blocks are read from
// the file each time. So a node needs memory only for its share of the mesh, and reads each of its blocks once.
type blockCache struct {
	scenes.Source
	limit int64 // limit of the total size of the cached blocks, in bytes

	mu     sync.Mutex
	cached map[int]*scenes.Block
	// current is the set of blocks that the node owns now.
	current map[int]bool
	// next is the set of blocks that the node will own when a proposed plan begins.
	next  map[int]bool
	bytes int64 // memory of the cached blocks
}

// newBlockCache returns a cache of the blocks of src that holds at most limit bytes.
func newBlockCache(src scenes.Source, limit int64) *blockCache {
	return &blockCache{Source: src, limit: limit, cached: map[int]*scenes.Block{}}
}

// blockBytes returns the size of a block in memory.
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

// setOwned sets the blocks that this node draws from now on. It removes other blocks from memory, except those that
// were prefetched for the next plan.
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

// prefetch reads the blocks of the next plan into memory.
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
