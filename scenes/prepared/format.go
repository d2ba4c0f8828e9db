package prepared

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/internal/parallel"
)

type fileFormat struct{}

// Format reads prepared meshes.
var Format format.BlockFormat = fileFormat{}

// Names implements format.Format.
func (fileFormat) Names() []string { return []string{"lkm"} }

// Detect recognises files that start with Mark.
func (fileFormat) Detect(prefix []byte, _ int64) format.Likelihood {
	if strings.HasPrefix(string(prefix[:min(len(prefix), len(Mark))]), Mark) {
		return format.Marked
	}
	return format.No
}

// Open opens a file without reading its chunks. If scenes.ReadOptions.Strict is set, it reads all chunks once, and
// damage is an error. The Stream has no attributes.
func (fileFormat) Open(in *format.Input) (scenes.Stream, *scenes.Report, error) {
	f, err := openFile(in, in.ReadAt, in.Size)
	if err != nil {
		return nil, nil, err
	}
	if err := f.reserveMemory(int64(f.Len()), 24*int64(groupsOf(f.Len()))); err != nil { // for the boxes of groups
		return nil, nil, err
	}
	if err := f.findGroups(); err != nil {
		return nil, nil, err
	}
	if in.Options.Strict {
		if err := f.verifyChunks(); err != nil {
			return nil, nil, err
		}
	}
	report, err := f.makeReport()
	return f, report, err
}

// makeReport returns the report on the file, with the damage found so far.
func (f *File) makeReport() (*scenes.Report, error) {
	warnings := f.in.Warnings()
	if err := warnings.NotFinite("its triangles", f.d.Bad, 0); err != nil {
		return nil, err
	}
	if err := f.Damage(); err != nil {
		place := "its chunks"
		var damage *scenes.DamageError
		if errors.As(err, &damage) {
			place, err = damage.Place, damage.Err
		}
		if err := warnings.Add(place, "%w: its triangles are left out", err); err != nil {
			return nil, err
		}
	}
	return &scenes.Report{
		Format: "prepared", Bytes: f.in.Size, Triangles: f.Len(), BadTriangles: f.d.Bad, Bounds: f.Bounds(), Warnings: warnings.Lines(),
	}, nil
}

// verifyChunks reads all chunks and compares their sums.
func (f *File) verifyChunks() error {
	type place struct{ section, chunk int }
	var places []place
	for s := range f.d.Sections {
		for c := range int(f.d.Sections[s].chunks()) {
			places = append(places, place{s, c})
		}
	}
	workers := parallel.Workers(f.in.Options.Workers, len(places))
	scratch := make([][]uint32, workers)
	for w := range scratch {
		scratch[w] = make([]uint32, ChunkWords)
	}
	return parallel.For(f.in.Context(), workers, len(places), func(worker, i int) error {
		p := places[i]
		return f.readWords(scratch[worker][:f.wordsInChunk(p.section, p.chunk)], p.section, p.chunk, 0)
	})
}

// Read reads a mesh into memory, with the triangles in the order of the mesh. If a chunk is damaged, its coordinates
// become NaN.
func (fileFormat) Read(in *format.Input) (*scenes.Mesh, *scenes.Report, error) {
	read, size, kept := in.ReadAt, in.Size, int64(0)
	if !in.Seekable() {
		all, err := in.ReadAll()
		if err != nil {
			return nil, nil, err
		}
		whole := bytes.NewReader(all)
		read, size = func(p []byte, off int64) error {
			if _, err := whole.ReadAt(p, off); err == io.EOF {
				return io.ErrUnexpectedEOF
			}
			return nil
		}, int64(len(all))
		kept = size
	}
	f, err := openFile(in, read, size)
	if err == nil {
		err = f.reserveMemory(0, kept)
	}
	if err != nil {
		return nil, nil, err
	}
	if in.Options.Strict {
		if err := f.findGroups(); err != nil {
			return nil, nil, err
		}
		if err := f.verifyChunks(); err != nil {
			return nil, nil, err
		}
	}
	m, err := f.readMesh()
	if err != nil {
		return nil, nil, err
	}
	report, err := f.makeReport()
	if err == nil {
		report.Bytes = size
	}
	return m, report, err
}

// meshBytes returns the size in bytes of the mesh that f.readMesh returns.
func (f *File) meshBytes() int64 {
	n := int64(f.Len())
	memory := n * scenes.TriangleBytes
	if f.HasColors() {
		memory += n * scenes.ColorBytes
	}
	a := f.d.Attributes
	if a == nil || f.in.Options.Flat {
		return memory
	}
	converted := a.countConvertedCopies()
	for at := len(sections(f.Len(), 0, f.HasColors(), false)); at < len(f.d.Sections); at++ {
		memory += int64(4*(1+converted[at])) * f.d.Sections[at].Words // words and their converted copies
	}
	if a.Vertices > 0 && int64(a.Vertices) <= maxVertices {
		memory += 4 * int64(a.Vertices) // for a list of vertices, which writers need
	}
	return memory
}

// readMesh reads the whole mesh.
func (f *File) readMesh() (*scenes.Mesh, error) {
	in := f.in
	n := int64(f.Len())
	if err := f.reserveMemory(n, f.meshBytes()); err != nil {
		return nil, err
	}
	if limit := in.Options.MaxMemory; limit > 0 {
		f.cache.limit = min(f.cache.limit, limit-f.held)
	}
	info := f.Info()
	m := &scenes.Mesh{Block: scenes.MakeBlock(f.Len()), Origin: info.Origin, Up: info.Up, Unit: info.Unit}
	if info.Colors {
		m.Colors = make([]uint32, f.Len())
	}
	if err := scenes.ForEachBlock(in.Context(), f, in.Options.Workers, func(_, i int, b *scenes.Block) error {
		m.CopyAt(i*scenes.BlockSize, b)
		return nil
	}); err != nil {
		return nil, err
	}
	m.Parts = f.parts
	if in.Options.Flat {
		return m, nil
	}
	u := unpacker{d: &f.d, read: f.readSection, arrays: make(map[int][]uint32)}
	var err error
	if m.Attributes, err = u.readAttributes(); err != nil {
		return nil, in.Damage("its attributes", "%w", err)
	}
	return m, nil
}
