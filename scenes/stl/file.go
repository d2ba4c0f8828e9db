package stl

import (
	"context"
	"io"
	"math"
	"sync"

	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/internal/parallel"
	"lockstep/scenes/stl/internal/kernel"
)

// A File is a binary STL file whose blocks are read when they are requested. Its memory does not depend on the size of
// the file.
//
// It uses ReadAt and does not map the file into memory. If a mapped file is truncated, the process is killed, while
// ReadAt returns an error. Mapping is not faster either: two cores copied 500 MB from the page cache in 14 ms, and took
// 20 ms for the page faults of a mapping.
type File struct {
	in     *format.Input
	loops  *kernel.Set // decoding loops for the instruction set of this processor
	n      int         // number of triangles
	bounds scenes.Box
	colors colorScheme
}

// Open opens a binary STL file, see format.Open.
func Open(ctx context.Context, path string, opts scenes.ReadOptions) (scenes.Stream, *scenes.Report, error) {
	return format.Open(ctx, path, opts, Format)
}

// Read reads a mesh that must be STL, see format.Read.
func Read(ctx context.Context, r io.Reader, opts scenes.ReadOptions) (*scenes.Mesh, *scenes.Report, error) {
	return format.Read(ctx, r, opts, Format)
}

// A recordFunc is called with consecutive records and the index of their first triangle.
type recordFunc = func(first int, raw []byte)

// openBinary makes the first pass over a binary STL file. It calls the function start when the number of triangles is
// known. Several goroutines then pass all records to the function that start returned.
func openBinary(in *format.Input, start func(*File) (recordFunc, error)) (*File, *scenes.Report, error) {
	warn := in.Warnings()
	s := &File{in: in, loops: kernel.Best()}
	if err := s.countTriangles(warn); err != nil {
		return nil, nil, err
	}
	each, err := start(s)
	if err != nil {
		return nil, nil, err
	}
	tally, err := s.scanRecords(each)
	if err != nil {
		return nil, nil, err
	}
	if err := warn.NotFinite(recordPlace(tally.firstBad), tally.bad, tally.large); err != nil {
		return nil, nil, err
	}
	s.bounds = tally.box()
	s.colors = chooseColors(in.Prefix[:commentSize], tally.colors)
	in.Prefix = in.Prefix[:0:0] // no longer needed
	return s, tally.report(s.n, in.Size, warn.Lines()), nil
}

// maxTriangles is the greatest number of triangles. It is so low that sizes in bytes fit into an int, even of 32 bits.
const maxTriangles = math.MaxInt / 64

// countTriangles determines the number of triangles from the size of the file, and compares the header with it.
func (s *File) countTriangles(warn *format.Warnings) error {
	claimed := headerCount(s.in.Prefix)
	whole := (s.in.Size - headerSize) / recordSize
	rest := int((s.in.Size - headerSize) % recordSize)
	if whole > maxTriangles {
		return s.in.Damage(countPlace, "%d triangles are too many for this machine", whole)
	}
	s.n = int(min(whole, claimed))
	if whole < claimed {
		return warnShort(s.in, warn, claimed, whole, rest)
	}
	extra := s.in.Size - sizeOf(claimed)
	if extra == 0 {
		return nil
	}
	probe := make([]byte, min(extra, probeSize))
	if err := s.in.ReadAt(probe, sizeOf(claimed)); err != nil {
		return err
	}
	if !hasMoreTriangles(probe) {
		return warnTrailing(s.in, warn, claimed, extra, true)
	}
	s.n = int(whole)
	return warnLong(s.in, warn, claimed, whole, rest)
}

// scanRecords reads every record once, one block at a time. Smaller reads would cost more system calls, and larger
// blocks would leave the second-level cache before they are used. For 500 MB, blocks of 1024, 4096 and 16384 records
// took 23, 20 and 21 ms.
func (s *File) scanRecords(each recordFunc) (tally, error) {
	workers := parallel.Workers(s.in.Options.Workers, scenes.NumBlocks(s))
	tallies := make([]tally, workers)
	buffers := make([][]byte, workers)
	for w := range tallies {
		tallies[w] = newTally()
		buffers[w] = make([]byte, min(s.n, scenes.BlockSize)*recordSize)
	}
	var progress progressMeter
	err := parallel.For(s.in.Context(), workers, scenes.NumBlocks(s), func(worker, i int) error {
		lo, hi := scenes.BlockRange(i, s.n)
		raw := buffers[worker][:(hi-lo)*recordSize]
		if err := s.in.ReadAt(raw, sizeOf(int64(lo))); err != nil {
			return err
		}
		tallies[worker].addRecords(s.loops, raw, lo)
		each(lo, raw)
		progress.add(s.in, int64(len(raw)))
		return nil
	})
	all := newTally()
	for w := range tallies {
		all.join(&tallies[w])
	}
	return all, err
}

// A progressMeter adds up the bytes that several goroutines have read, and reports the sum as progress.
type progressMeter struct {
	mu   sync.Mutex
	done int64
}

func (m *progressMeter) add(in *format.Input, n int64) {
	if in.Options.Progress == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.done == 0 {
		m.done = headerSize
	}
	m.done += n
	in.Progress(m.done)
}

// Len returns the number of triangles.
func (s *File) Len() int { return s.n }

// Info describes the coordinates and colours.
func (s *File) Info() scenes.Info { return scenes.Info{Colors: s.colors.kind != colorNone} }

// Bounds returns the box of all finite vertices; it is empty if no vertex is finite.
func (s *File) Bounds() scenes.Box { return s.bounds }

// ReadBlock reads block i into dst, see Source. If the file was truncated after it was opened, the error is a
// *DamageError.
func (s *File) ReadBlock(i int, dst *scenes.Block) error {
	lo, hi := scenes.BlockRange(i, s.n)
	raw := dst.Scratch((hi - lo) * recordSize)
	if err := s.in.ReadAt(raw, sizeOf(int64(lo))); err != nil {
		return err
	}
	dst.Resize(hi-lo, s.colors.kind != colorNone)
	decodeRecords(s.loops, dst, 0, raw)
	if dst.Colors != nil {
		s.colors.decodeColors(dst.Colors, raw)
	}
	return nil
}

// Close closes the file. ReadBlock must not run during Close or after it.
func (s *File) Close() error { return s.in.Close() }

// readBinaryFile reads a whole binary STL file in parallel.
func readBinaryFile(in *format.Input) (*scenes.Mesh, *scenes.Report, error) {
	m := new(scenes.Mesh)
	s, rep, err := openBinary(in, func(s *File) (recordFunc, error) {
		if err := in.Allow(int64(s.n), int64(s.n)*scenes.TriangleBytes); err != nil {
			return nil, err
		}
		m.Block = scenes.MakeBlock(s.n)
		return func(first int, raw []byte) { decodeRecords(s.loops, &m.Block, first, raw) }, nil
	})
	if err == nil && s.colors.kind != colorNone {
		err = s.loadColors(m)
	}
	if err != nil {
		return nil, nil, err
	}
	return m, rep, nil
}

// loadColors reads the file a second time for its colours. Only after the last attribute is it known whether attributes
// are colours, so the first pass cannot store them. Few files have colours.
func (s *File) loadColors(m *scenes.Mesh) error {
	if err := s.in.Allow(int64(s.n), int64(s.n)*(scenes.TriangleBytes+scenes.ColorBytes)); err != nil {
		return err
	}
	m.Colors = make([]uint32, s.n)
	if s.colors.kind == colorUniform {
		for t := range m.Colors {
			m.Colors[t] = s.colors.base
		}
		return nil
	}
	workers := parallel.Workers(s.in.Options.Workers, scenes.NumBlocks(s))
	blocks := make([]scenes.Block, workers)
	return parallel.For(s.in.Context(), workers, scenes.NumBlocks(s), func(worker, i int) error {
		lo, hi := scenes.BlockRange(i, s.n)
		raw := blocks[worker].Scratch((hi - lo) * recordSize)
		if err := s.in.ReadAt(raw, sizeOf(int64(lo))); err != nil {
			return err
		}
		s.colors.decodeColors(m.Colors[lo:hi], raw)
		return nil
	})
}
