package scenes

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// BlockSize is the number of triangles in a block: 144 KiB of coordinates and
// 200 KB of STL records, so that a block and what is made of it stay in the
// second-level cache of one core.
const BlockSize = 4096

// A Source is a mesh that is delivered in blocks: triangles i*BlockSize up to
// (i+1)*BlockSize are block i, and only the last block may be shorter.
type Source interface {
	// Len returns the number of triangles.
	Len() int
	// Info says how to read the coordinates.
	Info() Info
	// ReadBlock sets dst to block i, 0 <= i < NumBlocks. The contents are
	// valid until the next call with the same dst; they may be views of memory
	// that the source owns and must not be written. Goroutines may call
	// ReadBlock at the same time with different dst. Once dst has been used,
	// ReadBlock allocates nothing.
	ReadBlock(i int, dst *Block) error
}

// Info describes the coordinates and colours of a source.
type Info struct {
	Origin [3]float64 // what was subtracted from every coordinate, see Mesh
	Up     Axis       // up axis by the convention of the format
	Colors bool       // whether blocks carry colours
}

// NumBlocks returns the number of blocks of src.
func NumBlocks(src Source) int { return (src.Len() + BlockSize - 1) / BlockSize }

// blockRange returns the triangles lo up to hi (exclusive) of block i of a
// source of n triangles.
func blockRange(i, n int) (lo, hi int) {
	lo = i * BlockSize
	if i < 0 || lo >= n {
		panic("scenes: block index out of range")
	}
	return lo, min(lo+BlockSize, n)
}

// ForEachBlock reads every block of src once and calls fn for it, on workers
// goroutines (GOMAXPROCS if workers is not positive) that fetch the next block
// index when they are free. worker, below the number of workers, names the
// goroutine; calls for one worker follow each other. The block may be read
// until fn returns.
//
// After an error or the end of ctx no further block is started; the error of
// the lowest block index among those that failed is returned, else that of
// ctx.
func ForEachBlock(ctx context.Context, src Source, workers int, fn func(worker, i int, b *Block) error) error {
	blocks := make([]Block, workerCount(workers, NumBlocks(src)))
	return forEach(ctx, len(blocks), NumBlocks(src), func(worker, i int) error {
		b := &blocks[worker]
		if err := src.ReadBlock(i, b); err != nil {
			return err
		}
		return fn(worker, i, b)
	})
}

// workerCount returns how many goroutines to start for n pieces of work.
func workerCount(workers, n int) int {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	return max(1, min(workers, n))
}

// forEach calls fn for 0 <= i < n on the given number of goroutines, all of
// which have ended when it returns. See ForEachBlock for errors.
func forEach(ctx context.Context, workers, n int, fn func(worker, i int) error) error {
	var (
		next, stop atomic.Int64
		wg         sync.WaitGroup
		mu         sync.Mutex
		failed     error
		failedAt   = n
	)
	run := func(worker int) {
		for stop.Load() == 0 && ctx.Err() == nil {
			i := int(next.Add(1) - 1)
			if i >= n {
				return
			}
			if err := fn(worker, i); err != nil {
				stop.Store(1)
				mu.Lock()
				if i < failedAt {
					failed, failedAt = err, i
				}
				mu.Unlock()
				return
			}
		}
	}
	for w := 1; w < workers; w++ {
		wg.Go(func() { run(w) })
	}
	run(0)
	wg.Wait()
	if failed != nil {
		return failed
	}
	return ctx.Err()
}

// Bounds returns the box of all finite vertices of src, relative to its
// origin; empty if there are none. It costs one pass over the blocks on
// workers goroutines (GOMAXPROCS if workers is not positive), except for an
// STLFile, which knows its box.
func Bounds(ctx context.Context, src Source, workers int) (Box, error) {
	if f, ok := src.(*STLFile); ok {
		return f.Bounds(), nil
	}
	boxes := make([]Box, workerCount(workers, NumBlocks(src)))
	for w := range boxes {
		boxes[w] = EmptyBox()
	}
	err := ForEachBlock(ctx, src, len(boxes), func(worker, _ int, b *Block) error {
		boxes[worker] = boxes[worker].Union(b.Bounds())
		return nil
	})
	all := EmptyBox()
	for _, b := range boxes {
		all = all.Union(b)
	}
	return all, err
}

// Load reads the whole of src into memory, on workers goroutines (GOMAXPROCS
// if workers is not positive).
func Load(ctx context.Context, src Source, workers int) (*Mesh, error) {
	info := src.Info()
	m := &Mesh{Block: MakeBlock(src.Len()), Origin: info.Origin, Up: info.Up}
	if info.Colors {
		m.Colors = make([]uint32, src.Len())
	}
	err := ForEachBlock(ctx, src, workers, func(_, i int, b *Block) error {
		m.copyAt(i*BlockSize, b)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return m, nil
}

// copyAt copies src over the triangles of b from lo on.
func (b *Block) copyAt(lo int, src *Block) {
	for k := range 3 {
		copy(b.X[k][lo:], src.X[k])
		copy(b.Y[k][lo:], src.Y[k])
		copy(b.Z[k][lo:], src.Z[k])
	}
	if b.Colors != nil && src.Colors != nil {
		copy(b.Colors[lo:], src.Colors)
	}
}
