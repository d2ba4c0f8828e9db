package threeds

import (
	"encoding/binary"
	"fmt"
	"image"

	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/internal/assembly"
)

// FormatName is the name of the format in reports.
const FormatName = "3ds"

type fileFormat struct{}

// Format reads 3DS.
var Format format.Format = fileFormat{}

// Names implements format.Format.
func (fileFormat) Names() []string { return []string{"3ds"} }

// Detect recognises the chunk that contains the whole file, and the first chunk inside that one.
func (fileFormat) Detect(prefix []byte, size int64) format.Likelihood {
	if len(prefix) < 2*headSize || binary.LittleEndian.Uint16(prefix) != idMain {
		return format.No
	}
	length := int64(binary.LittleEndian.Uint32(prefix[2:]))
	if length < 2*headSize || size >= 0 && length > 16*size {
		return format.No
	}
	first := int64(binary.LittleEndian.Uint32(prefix[headSize+2:]))
	switch binary.LittleEndian.Uint16(prefix[headSize:]) {
	case idVersion, idEditor, idKeyframer, idScale:
		if first >= headSize && first <= length {
			return format.Marked
		}
	}
	return format.No
}

// Read reads a whole file. It needs memory for the file and for the mesh.
func (fileFormat) Read(in *format.Input) (*scenes.Mesh, *scenes.Report, error) {
	data, err := in.ReadAll()
	if err != nil {
		return nil, nil, err
	}
	r := &reader{
		in: in, warn: in.Warnings(), Memory: in.Memory(int64(len(data))), data: data,
		materialOf: make(map[string]int32), byName: make(map[string]*mesh), pictures: make(map[*image.NRGBA]bool),
	}
	s, err := r.scene()
	if err != nil {
		return nil, nil, err
	}
	return assembly.Build(in, s, FormatName)
}

// A reader is the state of Read.
type reader struct {
	in   *format.Input
	warn *format.Warnings
	format.Memory
	data []byte

	materials  []material
	materialOf map[string]int32
	meshes     []*mesh
	byName     map[string]*mesh
	nodes      []*object
	pictures   map[*image.NRGBA]bool
	cut        bool         // the file ends inside a chunk
	damaged    map[int]bool // offsets of reported damage, see warnOnce
}

func bytePlace(at int) string { return fmt.Sprintf("byte %d", at) }

// scene returns everything that is drawn.
func (r *reader) scene() (*assembly.Scene, error) {
	s := &assembly.Scene{Up: scenes.PlusZ, Warn: r.warn}
	// Materials come first, because meshes refer to them wherever they are in the file.
	for _, step := range []func(chunk) error{r.findMaterials, r.findMeshes, r.findNodes} {
		if err := r.eachChunk(chunk{id: idMain, body: 0, end: len(r.data)}, step); err != nil {
			return nil, err
		}
	}
	if err := r.draw(s); err != nil {
		return nil, err
	}
	for i := range r.materials {
		s.Materials = append(s.Materials, r.materials[i].Material)
	}
	s.Held = r.Held
	return s, nil
}
