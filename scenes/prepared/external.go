package prepared

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"lockstep/scenes"
	"lockstep/scenes/internal/parallel"
	"lockstep/scenes/leaves"
)

// SourceOptions controls how WriteSource prepares a mesh. The mesh need not fit into memory.
type SourceOptions struct {
	// Temporary is a file for sorting, which the caller removes. It usually grows to about 60 bytes per triangle, and
	// at most to 92.
	Temporary interface {
		io.ReaderAt
		io.WriterAt
	}
	Memory int64 // bytes of working memory; 0: SourceMemory
	Bad    int   // number of triangles with a coordinate that is not finite
	// Workers is the number of goroutines that read the mesh; 0: GOMAXPROCS. Run calls `do` for each of n tasks,
	// perhaps in parallel. If Run is nil, tasks run one after the other.
	Workers int
	Run     func(n int, do func(task int))
	// Progress, if not nil, is called with the number of triangles read so far and the total number, both summed over
	// all passes.
	Progress func(done, total int64)
}

// SourceMemory is the default of SourceOptions.Memory. With it, WriteSource sorts about three million triangles at
// once.
const SourceMemory = 512 << 20

const (
	// cellBits is the number of upper bits of a triangle's sort code that select a cell. The mesh is sorted in buckets,
	// which consist of whole cells.
	cellBits  = 17
	cellShift = leaves.CodeBits - cellBits
	// bucketBytes is the memory in bytes for a triangle while its bucket is sorted: its record in the temporary file,
	// the triangle before and after sorting, its colours, and two keys.
	bucketBytes = 48 + scenes.TriangleBytes + leaves.Bytes + 16 + 16
	// outBytes is the size in bytes of the buffer of each bucket, which is written to the temporary file when it is
	// full.
	outBytes = 64 << 10
	// leastBucket and mostBucket limit how many triangles are sorted at once. Smaller buckets would be more numerous,
	// and each needs a buffer of outBytes.
	leastBucket = 1 << 16
	mostBucket  = 1 << 22
)

// passes is how often WriteSource reads the source.
const passes = 4

// WriteSource writes a mesh without normals. It reads the source four times. The file is the same as that of Write,
// with one exception. WriteSource divides the box of the mesh into 131,072 cells. If the triangles of one cell do not
// fit into memory, it sorts them in pieces.
func WriteSource(ctx context.Context, w io.Writer, src scenes.Source, o SourceOptions) error {
	if ctx == nil || src == nil || o.Temporary == nil {
		return errors.New("write a prepared mesh: expected a context, a mesh and a temporary file, not nil")
	}
	if int64(src.Len()) > maxTriangles {
		return fmt.Errorf("write a prepared mesh: %d triangles are too many", src.Len())
	}
	o.Run = runOrSerial(o.Run)
	x := &external{ctx: ctx, src: src, o: o, colors: src.Info().Colors}
	x.writer = &writer{ctx: ctx, to: w, chunk: make([]uint32, 0, ChunkWords)}
	for _, step := range []func() error{x.measure, x.planBuckets, x.fillBuckets, x.sortBuckets, x.writeHeader, x.copyLeaves, x.writeRecords, x.writeRest, x.writer.writeSums} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// external is the state of WriteSource.
type external struct {
	ctx    context.Context
	src    scenes.Source
	o      SourceOptions
	colors bool
	coder  *leaves.Coder
	box    scenes.Box
	// bucketOf is the bucket of each cell. counts is the number of triangles in each bucket.
	bucketOf  []uint32
	counts    []int
	maxSorted int     // how many triangles are sorted at once, at most
	starts    []int64 // offset in bytes of each bucket in the temporary file
	total     int64   // bytes of all buckets
	// leafWriter encodes the groups of sorted triangles. In the temporary file, the groups come after the buckets. Then
	// come the numbers of the triangles, and then the colours.
	leafWriter leafWriter
	writer     *writer
	done       int64
}

// eachBlock reads all blocks and passes them to `prepare`, on several goroutines. It calls `do` for the blocks in
// order, one after the other. The arguments of `do` are the number of the first triangle of the block, the block, and
// the slice that `prepare` has returned for it.
func (x *external) eachBlock(prepare func(made []uint32, b *scenes.Block) []uint32, do func(first int, b *scenes.Block, made []uint32) error) error {
	n := scenes.NumBlocks(x.src)
	type memory struct {
		block scenes.Block
		made  []uint32
	}
	workers := make([]memory, parallel.Workers(x.o.Workers, n))
	var order inOrder
	order.changed.L = &order.mu
	return parallel.For(x.ctx, len(workers), n, func(worker, i int) error {
		m := &workers[worker]
		err := x.src.ReadBlock(i, &m.block)
		if err == nil {
			m.made = prepare(m.made[:0], &m.block)
		}
		return order.finish(i, err, func() error {
			x.reportProgress(m.block.Len())
			return do(i*scenes.BlockSize, &m.block, m.made)
		})
	})
}

func (x *external) reportProgress(n int) {
	if x.done += int64(n); x.o.Progress != nil {
		x.o.Progress(x.done, passes*int64(x.src.Len()))
	}
}

// measure finds the box and the sizes of all triangles, on which the sort codes depend.
func (x *external) measure() error {
	blocks := scenes.NumBlocks(x.src)
	parts, boxes := make([]leaves.Measured, blocks), make([]scenes.Box, blocks)
	err := scenes.ForEachBlock(x.ctx, x.src, x.o.Workers, func(_, i int, b *scenes.Block) error {
		parts[i].Add(b)
		boxes[i] = b.Bounds()
		return nil
	})
	if err != nil {
		return err
	}
	var all leaves.Measured
	x.box = scenes.EmptyBox()
	for i := range parts {
		all.Join(&parts[i])
		x.box = x.box.Union(boxes[i])
	}
	x.coder = all.Coder()
	x.reportProgress(x.src.Len())
	return nil
}

// planBuckets counts the triangles of each cell, and joins neighbouring cells to buckets whose triangles fit into
// memory.
func (x *external) planBuckets() error {
	cells := make([]uint32, 1<<cellBits)
	err := x.eachBlock(x.coder.Codes, func(_ int, _ *scenes.Block, codes []uint32) error {
		for _, code := range codes {
			cells[code>>cellShift]++
		}
		return nil
	})
	if err != nil {
		return err
	}
	memory := x.o.Memory
	if memory == 0 {
		memory = SourceMemory
	}
	x.maxSorted = int(min(max(memory/bucketBytes, leastBucket), mostBucket))
	x.bucketOf = make([]uint32, len(cells))
	x.counts = []int{0}
	for cell, n := range cells {
		if last := len(x.counts) - 1; x.counts[last] > 0 && x.counts[last]+int(n) > x.maxSorted {
			x.counts = append(x.counts, 0)
		}
		x.bucketOf[cell] = uint32(len(x.counts) - 1)
		x.counts[len(x.counts)-1] += int(n)
	}
	for _, n := range x.counts {
		x.starts = append(x.starts, x.total)
		x.total += int64(n) * x.recordBytes()
	}
	return nil
}

// recordWords is the number of 32-bit words of a triangle in the temporary file: its corners, its number and, if there
// is one, its colour.
func (x *external) recordWords() int {
	if x.colors {
		return flatWords + 2
	}
	return flatWords + 1
}

func (x *external) recordBytes() int64 { return 4 * int64(x.recordWords()) }

// fillBuckets writes each triangle into the part of the temporary file that belongs to its bucket. Within a bucket,
// triangles keep the order of the mesh.
func (x *external) fillBuckets() error {
	out := make([][]uint32, len(x.counts))
	at := slices.Clone(x.starts)
	flush := func(bucket int) error {
		words := out[bucket]
		_, err := x.o.Temporary.WriteAt(bytesOf(words), at[bucket])
		at[bucket] += int64(4 * len(words))
		out[bucket] = words[:0]
		return err
	}
	err := x.eachBlock(x.coder.Codes, func(first int, b *scenes.Block, codes []uint32) error {
		for t, code := range codes {
			bucket := int(x.bucketOf[code>>cellShift])
			out[bucket] = appendTriangle(out[bucket], b, t, uint32(first+t))
			if len(out[bucket]) >= outBytes/4 {
				if err := flush(bucket); err != nil {
					return err
				}
			}
		}
		return nil
	})
	for bucket := range out {
		if err == nil {
			err = flush(bucket)
		}
	}
	return err
}

func appendTriangle(to []uint32, b *scenes.Block, t int, number uint32) []uint32 {
	for _, columns := range [3]*[3][]float32{&b.X, &b.Y, &b.Z} {
		for k := range 3 {
			to = append(to, wordsOf(columns[k][t : t+1])[0])
		}
	}
	to = append(to, number)
	if b.Colors != nil {
		to = append(to, b.Colors[t])
	}
	return to
}

// writeHeader writes the header and the description.
func (x *external) writeHeader() error {
	info := x.src.Info()
	d := &description{Triangles: x.src.Len(), Bad: x.o.Bad, Unit: number(info.Unit), Up: info.Up.String()}
	d.setBox(x.box)
	for axis, v := range info.Origin {
		d.Origin[axis] = number(v)
	}
	d.Sections = sections(d.Triangles, x.leafWriter.words, x.colors, false)
	return x.writer.writeHeader(d)
}

// numbersAt returns the offset of the numbers of leaves in the temporary file. It leaves enough space for the groups
// before the numbers, even if all groups have leaves.PackedBytes, the largest size.
func (x *external) numbersAt() int64 {
	groups := int64(groupsOf(x.src.Len()))
	const perChunk = leafChunk * 4 / leaves.PackedBytes
	return x.total + 4*leafChunk*(groups/perChunk+1)
}

func (x *external) colorsAt() int64 { return x.numbersAt() + 4*int64(x.src.Len()) }

// bufferedWriter returns a writer to the temporary file, starting at byte `at`.
func (x *external) bufferedWriter(at int64) *bufio.Writer {
	return bufio.NewWriterSize(io.NewOffsetWriter(x.o.Temporary, at), 1<<20)
}

// sortBuckets sorts the triangles of each bucket in turn, and writes them to the temporary file.
func (x *external) sortBuckets() error {
	raw := make([]uint32, min(slices.Max(x.counts), x.maxSorted)*x.recordWords())
	all, numbers, colors := x.bufferedWriter(x.total), x.bufferedWriter(x.numbersAt()), x.bufferedWriter(x.colorsAt())
	var failed error
	x.leafWriter.put = func(chunk []uint32) {
		_, err := all.Write(bytesOf(chunk))
		failed = errors.Join(failed, err)
	}
	add := func(g *encodedGroups) error {
		x.leafWriter.addGroups(g)
		_, err := numbers.Write(bytesOf(g.numbers))
		_, err2 := colors.Write(bytesOf(g.colors))
		return errors.Join(failed, err, err2, x.ctx.Err())
	}
	sorted := sortedLeaves{encoder: &leafEncoder{run: x.o.Run}, add: add}
	for bucket, n := range x.counts {
		// A bucket that is too large is a single cell. It is sorted in pieces of consecutive triangles.
		for from := 0; from < n; from += x.maxSorted {
			some := raw[:min(x.maxSorted, n-from)*x.recordWords()]
			if _, err := x.o.Temporary.ReadAt(bytesOf(some), x.starts[bucket]+int64(from)*x.recordBytes()); err != nil {
				return fmt.Errorf("write a prepared mesh: read what was put in order: %w", err)
			}
			if err := sorted.write(x.sortBucket(some)); err != nil {
				return err
			}
		}
	}
	if err := sorted.flush(); err != nil {
		return err
	}
	x.leafWriter.endChunk(0)
	return errors.Join(failed, all.Flush(), numbers.Flush(), colors.Flush())
}

// sortBucket returns the triangles of a bucket in the order of their codes.
func (x *external) sortBucket(raw []uint32) *leaves.Leaves {
	words := x.recordWords()
	n := len(raw) / words
	b := scenes.MakeBlock(n)
	if x.colors {
		b.Colors = make([]uint32, n)
	}
	const task = 1 << 16
	x.o.Run((n+task-1)/task, func(i int) {
		for t := i * task; t < min((i+1)*task, n); t++ {
			r := raw[t*words:]
			f := floatsOf(r[:9])
			for k := range 3 {
				b.X[k][t], b.Y[k][t], b.Z[k][t] = f[k], f[3+k], f[6+k]
			}
			if x.colors {
				b.Colors[t] = r[10]
			}
		}
	})
	l := x.coder.Sorted(&b, x.o.Run)
	for i, t := range l.Numbers {
		l.Numbers[i] = raw[int(t)*words+9]
	}
	return l
}

// copyLeaves copies the groups from the temporary file to the output.
func (x *external) copyLeaves() error { return x.copyToOutput(x.total, x.leafWriter.words, leafChunk) }

// copyToOutput copies words of the temporary file from byte `at` on to the output, in chunks.
func (x *external) copyToOutput(at, words int64, chunk int) error {
	some := make([]uint32, ChunkWords/chunk*chunk)
	for from := int64(0); from < words && x.writer.err == nil; from += int64(len(some)) {
		part := some[:min(int64(len(some)), words-from)]
		if _, err := x.o.Temporary.ReadAt(bytesOf(part), at+4*from); err != nil {
			return fmt.Errorf("write a prepared mesh: read what was put in order: %w", err)
		}
		x.writer.writeArray(part, chunk)
	}
	return x.writer.err
}

// writeRecords writes the section called records. It also writes the colours of triangles to the beginning of the
// temporary file, where the buckets are no longer needed. The colours are the last section of the output.
func (x *external) writeRecords() error {
	colors := x.bufferedWriter(0)
	prepare := func(to []uint32, b *scenes.Block) []uint32 { return appendRecords(to, b, nil) }
	err := x.eachBlock(prepare, func(_ int, b *scenes.Block, words []uint32) error {
		for chunk := range slices.Chunk(words, flatWords*ChunkTriangles) {
			x.writer.writeChunk(chunk)
		}
		if b.Colors != nil {
			if _, err := colors.Write(bytesOf(b.Colors)); err != nil {
				return err
			}
		}
		return x.writer.err
	})
	return errors.Join(err, colors.Flush())
}

// writeRest writes the sections after the records.
func (x *external) writeRest() error {
	n := int64(x.src.Len())
	x.writer.writePlaces(&x.leafWriter)
	if err := x.copyToOutput(x.numbersAt(), n, numbersChunk); err != nil || !x.colors {
		return err
	}
	if err := x.copyToOutput(x.colorsAt(), n, numbersChunk); err != nil {
		return err
	}
	return x.copyToOutput(0, n, ChunkWords)
}
