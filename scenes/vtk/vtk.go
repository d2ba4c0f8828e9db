package vtk

import (
	"bytes"
	"fmt"

	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/internal/cells"
	"lockstep/scenes/internal/text"
)

// These are the names of the two kinds of files in reports.
const (
	FormatLegacy = "vtk"
	FormatXML    = "vtk-xml"
)

type fileFormat struct{}

// Format reads the files of VTK.
var Format format.Format = fileFormat{}

// Names implements format.Format.
func (fileFormat) Names() []string {
	return []string{"vtk", "vtp", "vtu", "pvd", "vti", "vtr", "vts", "pvtp", "pvtu", "pvti", "pvtr", "pvts", "vtm", "vtpd"}
}

// headSize is the number of bytes at the start of a file in which Detect looks for the first words.
const headSize = 4096

// Detect recognises the first line of a legacy file, or the first element of an XML file.
func (fileFormat) Detect(prefix []byte, _ int64) format.Likelihood {
	if isLegacy(text.TrimBOM(prefix[:min(len(prefix), headSize)])) || isXML(prefix) {
		return format.Marked
	}
	return format.No
}

func isLegacy(head []byte) bool {
	head = bytes.TrimLeft(head, " \t\r\n")
	const mark = "# vtk datafile"
	return len(head) >= len(mark) && string(bytes.ToLower(head[:len(mark)])) == mark
}

func isXML(data []byte) bool {
	head := text.AfterComments(data, headSize)
	return bytes.HasPrefix(head, []byte("<")) && bytes.Contains(head, []byte("<VTKFile"))
}

// Read reads a whole file. It needs memory for the file, 4 bytes per number of an array, and the mesh. While it
// compares faces, it needs 16 more bytes per face of a volume.
func (fileFormat) Read(in *format.Input) (*scenes.Mesh, *scenes.Report, error) {
	data, err := in.ReadAll()
	if err != nil {
		return nil, nil, err
	}
	r := &reader{in: in, warn: in.Warnings(), Memory: in.Memory(int64(len(data))), unpacking: &format.Budget{Unit: "bytes of unpacked arrays", Free: 64 << 20, PerByte: 256}}
	name := FormatXML
	if isLegacy(text.TrimBOM(data[:min(len(data), headSize)])) {
		name = FormatLegacy
		err = r.readLegacy(text.TrimBOM(data))
	} else {
		err = r.readXML(data, "", 0)
	}
	if err != nil {
		return nil, nil, err
	}
	s := &cells.Scene{In: in, Warn: r.warn, Grids: r.grids, Held: r.Held, Numbered: r.numbered}
	return s.Mesh(scenes.PlusZ, name)
}

// A reader is the state of Read.
type reader struct {
	in   *format.Input
	warn *format.Warnings
	format.Memory
	unpacking *format.Budget
	grids     []*cells.Grid
	numbered  bool // some cells consist of several triangles, so their numbers become a field
	files     int  // number of further files that were read
}

// A kind is the numeric type of an array.
type kind uint8

const (
	none kind = iota
	int8s
	uint8s
	int16s
	uint16s
	int32s
	uint32s
	int64s
	uint64s
	float32s
	float64s
	bits
)

// size returns the number of bytes of a number. It returns 0 for bits.
func (k kind) size() int { return [...]int{0, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 0}[k] }

// isWhole reports whether the numbers are integers.
func (k kind) isWhole() bool { return k != float32s && k != float64s }

// addGrid adds a complete grid to the list of grids to draw. It converts an array that marks ghost cells to g.Ghost.
func (r *reader) addGrid(g *cells.Grid) {
	for i := range g.CellData {
		if a := &g.CellData[i]; a.Name == "vtkGhostType" || a.Name == "vtkGhostLevels" {
			g.Ghost = make([]uint8, len(a.Values))
			for c, v := range a.Values {
				g.Ghost[c] = ghostOf(v, a.Name == "vtkGhostLevels")
			}
			g.CellData = append(g.CellData[:i], g.CellData[i+1:]...)
			break
		}
	}
	for i := range g.PointData {
		if g.PointData[i].Name == "vtkGhostType" {
			g.PointData = append(g.PointData[:i], g.PointData[i+1:]...)
			break
		}
	}
	r.grids = append(r.grids, g)
}

// ghostOf returns the value of Grid.Ghost for a cell. v is the entry of the cell in vtkGhostType or, if isLevel is set,
// in vtkGhostLevels. A level above 0 means that another piece contains the cell.
func ghostOf(v float32, isLevel bool) uint8 {
	const duplicate, refined, hidden = 1, 8, 32
	switch {
	case !(v > 0 && v < 256):
		return 0
	case isLevel:
		return cells.Elsewhere
	case int(v)&hidden != 0:
		return cells.Hidden
	case int(v)&(duplicate|refined) != 0:
		return cells.Elsewhere
	}
	return 0
}

// addArray adds an array of data to the list `to`. If it has fewer than n entries, addArray adds a warning. An array
// without entries is left out.
func (r *reader) addArray(to *[]cells.Array, a cells.Array, n int, of string) error {
	if len(*to) >= maxArrays {
		return nil
	}
	if have := len(a.Values) / max(1, a.Components); have < n {
		if err := r.warn.Add(fmt.Sprintf("array %s", text.Short(a.Name)), "it has numbers for %d of %d %s", have, n, of); err != nil {
			return err
		}
		if have == 0 {
			return nil
		}
	}
	*to = append(*to, a)
	return r.Reserve(arrayBytes)
}

// maxArrays is the greatest number of arrays of a piece. arrayBytes is the memory in bytes of an array without its
// numbers.
const (
	maxArrays  = 1024
	arrayBytes = 256
)
