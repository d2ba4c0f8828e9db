package msh

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/internal/cells"
	"lockstep/scenes/internal/text"
)

// FormatName names the format in reports.
const FormatName = "msh"

type fileFormat struct{}

// Format reads meshes of Gmsh.
var Format format.Format = fileFormat{}

// Names implements format.Format.
func (fileFormat) Names() []string { return []string{"msh"} }

const mark = "$MeshFormat"

// Detect recognises the name of the first section. A section of comments may precede it.
func (fileFormat) Detect(prefix []byte, _ int64) format.Likelihood {
	head := bytes.TrimLeft(text.TrimBOM(prefix), " \t\r\n")
	if bytes.HasPrefix(head, []byte(mark)) || bytes.HasPrefix(head, []byte("$Comment")) && bytes.Contains(head, []byte("\n"+mark)) {
		return format.Marked
	}
	return format.No
}

// A reader is the state of Read.
type reader struct {
	source
	in   *format.Input
	warn *format.Warnings
	format.Memory
	version string

	places       [][3]float64
	tags         []int64          // tag (number in the file) of each node
	indexOf      map[int64]uint32 // index of each node by tag; nil: tags are 1, 2, 3, ...
	grid         cells.Grid
	ids          []int64          // tag (number in the file) of each element
	element      map[int64]uint32 // index of each element by tag; nil: tags are 1, 2, 3, ...
	entity       []float32        // number of the entity (part of the CAD model) of each element
	group        []float32
	dataSections []section // read at the end, because they may precede their nodes or elements
	skipped      int       // number of sections skipped because their data belongs to corners of elements
	// fields limits the total size of all fields. The limit is needed because even an empty data section creates a
	// field with a number for each node.
	fields format.Budget
}

// A section holds the position and the name of a data section.
type section struct {
	pos  int
	name string
}

// Read reads a whole file. It needs memory for the file, about 40 bytes per node, 60 bytes per element, and the memory
// of the mesh.
func (fileFormat) Read(in *format.Input) (*scenes.Mesh, *scenes.Report, error) {
	data, err := in.ReadAll()
	if err != nil {
		return nil, nil, err
	}
	r := &reader{in: in, warn: in.Warnings(), Memory: in.Memory(int64(len(data))),
		fields: format.Budget{Unit: "numbers of fields", Free: 1 << 22, PerByte: 8}, source: source{data: text.TrimBOM(data), order: binary.LittleEndian}}
	if err := r.readSections(); err != nil {
		return nil, nil, err
	}
	if err := r.completeGrid(); err != nil {
		return nil, nil, err
	}
	s := &cells.Scene{In: in, Warn: r.warn, Grids: []*cells.Grid{&r.grid}, Held: r.Held, Numbered: true, Skins: true}
	return s.Mesh(scenes.PlusZ, FormatName)
}

// isFatal reports whether the error ends even a lenient read.
func (r *reader) isFatal(err error) bool {
	var limit *scenes.LimitError
	var damage *scenes.DamageError
	return errors.As(err, &limit) || errors.As(err, &damage) || r.in.Context().Err() != nil
}

func (r *reader) place() string { return fmt.Sprintf("byte %d", r.pos) }

// readSections reads all sections in order.
func (r *reader) readSections() error {
	for {
		line := r.line()
		if line == nil {
			return nil
		}
		if line[0] != '$' || bytes.HasPrefix(line, []byte("$End")) {
			continue
		}
		name := string(line[1:min(len(line), 64)])
		err := r.readSection(name)
		if err == nil {
			err = r.err
		}
		if err != nil {
			if r.isFatal(err) {
				return err
			}
			if err := r.warn.Add(r.place(), "%s: %s", text.Short(name), text.OneLine(err.Error())); err != nil {
				return err
			}
		}
		r.err = nil
		r.skipSection(name)
	}
}

// skipSection moves to the byte after the section called name, or to the end of the file if the section has no end.
func (r *reader) skipSection(name string) {
	at := bytes.Index(r.data[r.pos:], []byte("$End"+name))
	if at < 0 {
		r.pos = len(r.data)
		return
	}
	r.pos += at
	r.line()
}

// readSection reads one section.
func (r *reader) readSection(name string) error {
	if name == "MeshFormat" {
		return r.readHeader()
	}
	if r.version == "" {
		return nil // a comment before the header
	}
	switch name {
	case "Nodes":
		if r.version == "2" {
			return r.readNodes2()
		}
		return r.readNodes4()
	case "Elements":
		if r.version == "2" {
			return r.readElements2()
		}
		return r.readElements4()
	case "NodeData", "ElementData":
		if !r.in.Options.Flat {
			r.dataSections = append(r.dataSections, section{r.pos, name})
			return r.Reserve(64)
		}
	case "ElementNodeData":
		r.skipped++
	}
	return nil
}

// readHeader reads the version and the encoding of the file.
func (r *reader) readHeader() error {
	words := strings.Fields(string(r.line()))
	if len(words) < 3 {
		return r.in.Damage(r.place(), "a header of %d words", len(words))
	}
	switch v := words[0]; {
	case v == "2" || strings.HasPrefix(v, "2."):
		r.version = "2"
	case v == "4.1":
		r.version = v
	default:
		return r.in.Damage(r.place(), "version %s is not read: expected 2.2 or 4.1", text.Short(v))
	}
	if words[2] != "8" {
		return r.in.Damage(r.place(), "numbers of %s bytes, expected 8", text.Short(words[2]))
	}
	if words[1] != "1" {
		return nil
	}
	r.binary = true
	one := r.take(4)
	if one == nil {
		return r.err
	}
	if binary.LittleEndian.Uint32(one) != 1 {
		r.order = binary.BigEndian
	}
	return nil
}
