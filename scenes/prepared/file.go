package prepared

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"lockstep/scenes"
	"lockstep/scenes/format"
)

// A File is an open prepared mesh, whose chunks are read when they are needed. As a scenes.Stream, it has its triangles
// in the order of the mesh. Several goroutines may read at the same time.
type File struct {
	in     *format.Input
	read   func(p []byte, off int64) error
	d      description
	starts []int64  // offset of each section in bytes
	firsts []int64  // number of the first chunk of each section
	sums   []uint32 // checksum of each chunk
	seen   []uint32 // one bit for each chunk, set when its checksum was compared
	cache  cache
	leaves leafPlaces
	parts  []scenes.Part
	lists  sync.Pool // memory of readLeaves: *[maxRun]leaves.Group

	held      int64 // bytes of memory that grows with the mesh, without the cache
	ungrouped error // damage because of which ReadGroups cannot find groups, or nil

	mu     sync.Mutex
	first  error // first error of reading a chunk, see Damage
	failed error // first error that was not damage, see Failed
}

// cacheShare is the part of ReadOptions.MaxMemory for the cache: 1/cacheShare. The rest is for bounding boxes,
// pictures, and memory that the garbage collector has not freed yet.
const cacheShare = 3

// openFile reads everything except the sections: header, description and checksums.
func openFile(in *format.Input, read func(p []byte, off int64) error, size int64) (*File, error) {
	f := &File{in: in, read: read}
	f.cache.limit = in.Options.MaxMemory / cacheShare
	if f.cache.limit == 0 {
		f.cache.limit = math.MaxInt64
	}
	head := make([]byte, headerSize)
	if size < headerSize {
		return nil, in.Damage(fmt.Sprintf("byte %d", size), "a prepared mesh that is cut off in its header")
	}
	if err := read(head, 0); err != nil {
		return nil, err
	}
	h, err := parseHeader(head)
	if err != nil {
		return nil, in.Damage("byte 8", "%w", err)
	}
	if err := f.readDescription(&h, size); err != nil {
		return nil, err
	}
	at, chunk := int64(headerSize)+int64(h.meta), int64(0)
	for i := range f.d.Sections {
		s := &f.d.Sections[i]
		f.starts, f.firsts = append(f.starts, at), append(f.firsts, chunk)
		if s.Words > (size-at)/4 {
			return nil, in.Damage(fmt.Sprintf("byte %d", size), "the file is cut off in section %q, which has %d bytes from %d on", s.Name, 4*s.Words, at)
		}
		at += 4 * s.Words
		chunk += s.chunks()
	}
	if uint64(chunk) != h.sums {
		return nil, in.Damage("byte 24", "%d sums of %d chunks", h.sums, chunk)
	}
	if want := at + 4*chunk + 4; size < want {
		return nil, in.Damage(fmt.Sprintf("byte %d", size), "the file is cut off in its sums, expected %d bytes", want)
	}
	return f, f.readSums(at, int(chunk))
}

// reserveMemory counts bytes that the File will keep. It returns an error if they exceed the limits. It is called only
// while the file is opened, when one goroutine uses the File.
func (f *File) reserveMemory(triangles, bytes int64) error {
	f.held += bytes
	return f.in.Allow(triangles, f.held)
}

// readDescription reads and checks the description, which is JSON.
func (f *File) readDescription(h *header, size int64) error {
	if int64(h.meta) > size-headerSize {
		return f.in.Damage(fmt.Sprintf("byte %d", size), "a prepared mesh that is cut off in its description")
	}
	if err := f.reserveMemory(0, memoryShare*int64(h.meta)); err != nil {
		return err
	}
	meta := make([]byte, h.meta)
	if err := f.read(meta, headerSize); err != nil {
		return err
	}
	if checksum(meta) != h.metaSum {
		return f.in.Damage(fmt.Sprintf("byte %d", headerSize), "the checksum of the description is wrong")
	}
	if err := json.Unmarshal(meta, &f.d); err != nil {
		return f.in.Damage(fmt.Sprintf("byte %d", headerSize), "the description: %w", err)
	}
	if err := f.d.check(); err != nil {
		return f.in.Damage(fmt.Sprintf("byte %d", headerSize), "the description: %w", err)
	}
	return nil
}

// readSums reads the checksums of all chunks, from byte `at` on, and creates the cache.
func (f *File) readSums(at int64, chunks int) error {
	if err := f.reserveMemory(int64(f.d.Triangles), 13*int64(chunks)); err != nil {
		return err
	}
	f.sums = make([]uint32, chunks+1)
	if err := f.read(bytesOf(f.sums), at); err != nil {
		return err
	}
	want := f.sums[chunks:]
	swapBytes(want)
	f.sums = f.sums[:chunks]
	if checksum(bytesOf(f.sums)) != want[0] {
		return f.in.Damage(fmt.Sprintf("byte %d", at), "the checksum of the sums is wrong")
	}
	swapBytes(f.sums)
	if err := f.setParts(); err != nil {
		return err
	}
	f.seen = make([]uint32, (chunks+31)/32)
	f.cache.chunks = make([]atomic.Pointer[entry], chunks)
	return nil
}

// wordsInChunk returns the number of 32-bit words in a chunk of a section.
func (f *File) wordsInChunk(section, chunk int) int {
	s := &f.d.Sections[section]
	return int(min(s.Chunk, s.Words-int64(chunk)*s.Chunk))
}

// readChunk returns a chunk of a section. It is in memory of the cache or in scratch, which must have ChunkWords words.
// The caller must not change it. The error is a *scenes.DamageError if the checksum is wrong, or an error of the
// system.
func (f *File) readChunk(section, chunk int, scratch []uint32) ([]uint32, error) {
	return f.readPart(section, chunk, 0, f.wordsInChunk(section, chunk), scratch)
}

// readPart is like chunk, but words before `from` and from `end` on are undefined.
func (f *File) readPart(section, chunk, from, end int, scratch []uint32) ([]uint32, error) {
	number := f.firsts[section] + int64(chunk)
	if words := f.cache.get(number); words != nil {
		return words, nil
	}
	n := f.wordsInChunk(section, chunk)
	if !f.wasRead(number) {
		return scratch[:n], f.readWords(scratch[:n], section, chunk, 0)
	}
	to := f.cache.reserve(n)
	if to == nil {
		return scratch[:n], f.readWords(scratch[from:end], section, chunk, from)
	}
	if err := f.readWords(to, section, chunk, 0); err != nil {
		f.cache.release(n)
		return nil, err
	}
	f.cache.put(number, to)
	return to, nil
}

// readWords reads the words of a chunk from word `from` on into `to`. If the chunk was not checked before, `to` must be
// the whole chunk, and readWords checks it.
func (f *File) readWords(to []uint32, section, chunk, from int) error {
	number := f.firsts[section] + int64(chunk)
	off := f.starts[section] + 4*(int64(chunk)*f.d.Sections[section].Chunk+int64(from))
	if err := f.read(bytesOf(to), off); err != nil {
		return f.recordError(err)
	}
	if !f.wasRead(number) {
		if problem := f.problemOf(bytesOf(to), section, chunk); problem != "" {
			err := f.in.Damage(fmt.Sprintf("byte %d", off), problem, chunk, f.d.Sections[section].Name)
			if section == boundsIndex || section == countsIndex {
				return err // not recorded, because no triangles are missing, see GroupBounds
			}
			return f.recordError(err)
		}
		atomic.OrUint32(&f.seen[number/32], 1<<(number%32))
	}
	swapBytes(to)
	return nil
}

// recordError stores the first error of a chunk, and returns err.
func (f *File) recordError(err error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !isDamage(err) && f.failed == nil {
		f.failed = err
	}
	if f.first == nil {
		f.first = err
	}
	return err
}

// Damage returns the first error of reading a chunk, or nil if there was none.
func (f *File) Damage() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.first
}

// Failed returns the first error of reading a chunk that came from the system and not from damage. After such an error,
// pictures are incomplete.
func (f *File) Failed() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.failed
}

// Len returns the number of triangles.
func (f *File) Len() int { return f.d.Triangles }

// Info describes the coordinates. The result has no attributes, see Plain.
func (f *File) Info() scenes.Info {
	info := scenes.Info{Unit: float64(f.d.Unit), Colors: f.HasColors()}
	info.Up, _ = scenes.ParseAxis(f.d.Up)
	for axis := range 3 {
		info.Origin[axis] = float64(f.d.Origin[axis])
	}
	return info
}

// HasColors reports whether triangles have colours.
func (f *File) HasColors() bool { return f.d.section(colorsSection) >= 0 }

// Plain reports whether the mesh has neither colours of corners nor materials. To light such a mesh, only the records
// and the colours of triangles are needed.
func (f *File) Plain() bool {
	a := f.d.Attributes
	return a == nil || a.Colors.Values == 0 && a.MaterialOf == 0
}

// Parts returns the named runs of triangles.
func (f *File) Parts() []scenes.Part { return f.parts }

// Smooth reports whether records have normals. crease is the angle in degrees with which they were computed: normals at
// an edge with a greater angle are not averaged.
func (f *File) Smooth() (crease float64, smooth bool) { return float64(f.d.Crease), f.d.Smooth }

// Bounds returns the box of all finite vertices; it is empty if no vertex is finite.
func (f *File) Bounds() scenes.Box {
	if f.d.Box == nil {
		return scenes.EmptyBox()
	}
	var b scenes.Box
	for axis := range 3 {
		b.Min[axis], b.Max[axis] = float64(f.d.Box[0][axis]), float64(f.d.Box[1][axis])
	}
	return b
}

// Close closes the file. No other method may run during Close or after it.
func (f *File) Close() error { return f.in.Close() }

// ReadBlock reads block i of the mesh into memory of dst, see scenes.Source. If a chunk is damaged, its coordinates are
// NaN and its colours scenes.DefaultColor.
func (f *File) ReadBlock(i int, dst *scenes.Block) error {
	lo, hi := scenes.BlockRange(i, f.Len())
	dst.Resize(hi-lo, f.HasColors())
	scratch := f.scratchOf(dst)
	record := f.recordWords()
	for at := lo; at < hi; at += ChunkTriangles {
		c, err := f.Records(at/ChunkTriangles, scratch)
		if err != nil {
			return err
		}
		for t := range min(ChunkTriangles, hi-at) {
			r := floatsOf(c[t*record:][:flatWords])
			to := at - lo + t
			for k := range 3 {
				dst.X[k][to], dst.Y[k][to], dst.Z[k][to] = r[3*k], r[3*k+1], r[3*k+2]
			}
		}
	}
	if dst.Colors == nil {
		return nil
	}
	err := f.copyWords(dst.Colors, f.d.section(colorsSection), lo, scratch)
	if isDamage(err) {
		setAll(dst.Colors, scenes.DefaultColor)
		return nil
	}
	return err
}

// copyWords fills `to` with 32-bit words of a section, from word `from` on.
func (f *File) copyWords(to []uint32, section, from int, scratch []uint32) error {
	size := int(f.d.Sections[section].Chunk)
	for len(to) > 0 {
		c, err := f.readChunk(section, from/size, scratch)
		if err != nil {
			return err
		}
		n := copy(to, c[from%size:])
		to, from = to[n:], from+n
	}
	return nil
}

// scratchOf returns memory of block b that is large enough for a chunk.
func (f *File) scratchOf(b *scenes.Block) []uint32 { return alignedWords(b.Scratch(4*ChunkWords + 4)) }

// readSection reads a whole section.
func (f *File) readSection(section int) ([]uint32, error) {
	all := make([]uint32, f.d.Sections[section].Words)
	return all, f.copyWords(all, section, 0, make([]uint32, ChunkWords))
}

func (f *File) recordWords() int {
	if f.d.Smooth {
		return RecordWords
	}
	return flatWords
}

// Records returns a chunk of the section records: ChunkTriangles triangles of the mesh, or fewer in the last chunk.
// Each record has nine words or, with normals, RecordWords. If the chunk is damaged, all its numbers are NaN, see
// Damage.
//
// The result is valid until the next use of scratch, which must have ChunkWords words. The caller must not change it.
func (f *File) Records(chunk int, scratch []uint32) ([]uint32, error) {
	if chunk < 0 || int64(chunk) >= f.d.Sections[recordsIndex].chunks() {
		return nil, fmt.Errorf("read chunk %d of %d of records", chunk, f.d.Sections[recordsIndex].chunks())
	}
	return f.chunkOrNaN(recordsIndex, chunk, scratch)
}

// Triangle reads the corners of triangle t. If its chunk is damaged, they are NaN.
func (f *File) Triangle(t int) (corners [3][3]float32, err error) {
	c, err := f.Records(t/ChunkTriangles, make([]uint32, ChunkWords))
	if err != nil {
		return corners, err
	}
	r := floatsOf(c[t%ChunkTriangles*f.recordWords():][:flatWords])
	for k := range corners {
		copy(corners[k][:], r[3*k:])
	}
	return corners, nil
}

// chunkOrNaN is like chunk, except that a damaged chunk is no error. It then fills scratch with notNumber.
func (f *File) chunkOrNaN(section, chunk int, scratch []uint32) ([]uint32, error) {
	c, err := f.readChunk(section, chunk, scratch)
	if isDamage(err) {
		c = scratch[:f.wordsInChunk(section, chunk)]
		setAll(c, notNumber)
		err = nil
	}
	return c, err
}

// isDamage reports whether err means that a file is damaged.
func isDamage(err error) bool {
	var damage *scenes.DamageError
	return errors.As(err, &damage)
}

// Colors reads the colours of all triangles, in the order of the mesh. It returns nil if the file has no colours.
func (f *File) Colors() ([]uint32, error) {
	i := f.d.section(colorsSection)
	if i < 0 {
		return nil, nil
	}
	if err := f.in.Allow(int64(f.Len()), f.held+4*int64(f.Len())); err != nil {
		return nil, err
	}
	return f.readSection(i)
}

// setParts converts the parts from their JSON form.
func (f *File) setParts() error {
	for _, p := range f.d.Parts {
		if p.First < 0 || p.Count < 0 || p.First > f.Len()-p.Count {
			return f.in.Damage("its parts", "%w", errReference)
		}
		part := scenes.Part{Name: p.Name, First: p.First, Count: p.Count, Flat: p.Flat}
		if p.Transform != nil {
			part.Transform = new(scenes.Affine)
			for r := range 3 {
				for c := range 4 {
					part.Transform[r][c] = float64(p.Transform[r][c])
				}
			}
		}
		f.parts = append(f.parts, part)
	}
	return nil
}
