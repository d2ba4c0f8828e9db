package vtk

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"lockstep/scenes"
	"lockstep/scenes/internal/cells"
	"lockstep/scenes/internal/text"
	"lockstep/scenes/internal/xmltree"
)

// A document is an XML file that is being read.
type document struct {
	r          *reader
	name       string // name of the file if another file names it; otherwise empty
	root       xmltree.Node
	big        bool
	header     int    // size in bytes of the numbers in the headers of arrays
	compressor string // name of the compressor; empty: none
	appended   []byte // data appended to the XML, after its mark
	isBase64   bool   // the appended data is in base64
	inflate    io.ReadCloser
	short      bool // there is a warning that an array of the current piece is too short
}

// These are the names of compressors.
const (
	zlibName = "vtkZLibDataCompressor"
	lz4Name  = "vtkLZ4DataCompressor"
)

// placeOf returns the position of an element in the file, for messages.
func (d *document) placeOf(n xmltree.Node) string {
	if d.name != "" {
		return fmt.Sprintf("%s, byte %d", text.Name(d.name), n.Offset())
	}
	return fmt.Sprintf("byte %d", n.Offset())
}

// readXML reads an XML file. level is 0, or the depth of the file if another file names it.
func (r *reader) readXML(data []byte, name string, level int) error {
	d := &document{r: r, name: name, header: 4}
	head := d.cutAppended(data)
	tree, err := xmltree.Parse(r.in, head, r.Held)
	if err != nil {
		return err
	}
	r.Held += tree.Memory()
	d.root = tree.Root().Child("VTKFile")
	if tree.Bad != "" {
		if err := r.warn.Add(d.placeOf(d.root), "the XML is damaged at byte %d: %s", tree.At, tree.Bad); err != nil {
			return err
		}
	}
	d.big = d.root.Attr("byte_order") == "BigEndian"
	if d.root.Attr("header_type") == "UInt64" {
		d.header = 8
	}
	d.compressor = d.root.Attr("compressor")
	switch d.compressor {
	case "", zlibName, lz4Name:
	default:
		return r.in.Damage(d.placeOf(d.root), "its arrays are compressed by %s, and only zlib and LZ4 are read", text.Name(d.compressor))
	}
	kind := d.root.Attr("type")
	set := d.root.Child(kind)
	switch kind {
	case "PolyData", "UnstructuredGrid", "ImageData", "RectilinearGrid", "StructuredGrid":
		return d.readPieces(kind, set)
	case "Collection", "PPolyData", "PUnstructuredGrid", "PImageData", "PRectilinearGrid", "PStructuredGrid",
		"vtkMultiBlockDataSet", "vtkPartitionedDataSet", "vtkPartitionedDataSetCollection",
		"vtkHierarchicalBoxDataSet", "vtkOverlappingAMR", "vtkNonOverlappingAMR":
		return d.readCollection(kind, set, level)
	case "":
		return r.in.Damage(d.placeOf(d.root), "VTKFile without a type")
	}
	return r.in.Damage(d.placeOf(d.root), "VTK data of the type %s are not drawn", text.Name(kind))
}

// cutAppended separates the appended data, which is not XML, from the document. It returns the rest of the document.
func (d *document) cutAppended(data []byte) []byte {
	at := bytes.Index(data, []byte("<AppendedData"))
	if at < 0 {
		return data
	}
	end := bytes.IndexByte(data[at:], '>')
	if end < 0 {
		return data[:at]
	}
	tag := data[at : at+end]
	d.isBase64 = !bytes.Contains(tag, []byte("raw"))
	if mark := bytes.IndexByte(data[at+end:], '_'); mark >= 0 {
		d.appended = data[at+end+mark+1:]
		if d.isBase64 {
			if stop := bytes.IndexByte(d.appended, '<'); stop >= 0 {
				d.appended = d.appended[:stop]
			}
		}
	}
	// This closes the elements around the appended data.
	return append(bytes.Clone(data[:at]), "</VTKFile>"...)
}

// kinds maps names of numeric types to kinds.
var kinds = map[string]kind{
	"Int8": int8s, "UInt8": uint8s, "Int16": int16s, "UInt16": uint16s, "Int32": int32s, "UInt32": uint32s,
	"Int64": int64s, "UInt64": uint64s, "Float32": float32s, "Float64": float64s, "Bit": bits,
}

// readNumbers reads an array. If numbers are missing at its end, the error is errCut, and v holds the numbers that
// exist.
func (d *document) readNumbers(n xmltree.Node) (v numbers, err error) {
	v.kind, v.big = kinds[n.Attr("type")], d.big
	if v.kind == none {
		return v, fmt.Errorf("an array of the unknown type %s", text.Name(n.Attr("type")))
	}
	switch how := n.Attr("format"); how {
	case "ascii", "":
		words := n.Words()
		if err := d.r.Reserve(8 * int64(len(words)/textBytes+1)); err != nil {
			return v, err
		}
		if at, ok := v.parse(words, -1); !ok {
			word := text.NumbersOf(words[at:])
			return v, fmt.Errorf("%s where a number should be", text.Short(word.Word()))
		}
		return v, nil
	case "binary":
		v.data, err = d.readPayload(&feed{src: n.Words(), isBase64: true})
	case "appended":
		offset, ok := n.Int("offset")
		if !ok || offset >= len(d.appended) {
			return v, fmt.Errorf("an offset of %s in appended data of %d bytes", text.Short(n.Attr("offset")), len(d.appended))
		}
		v.data, err = d.readPayload(&feed{src: d.appended[offset:], isBase64: d.isBase64})
	default:
		return v, fmt.Errorf("an array of the unknown format %s", text.Name(how))
	}
	if v.data == nil {
		v.data = []byte{}
	}
	return v, err
}

// isFatal reports whether the error ends even a lenient read.
func (r *reader) isFatal(err error) bool {
	var limit *scenes.LimitError
	var damage *scenes.DamageError
	return errors.As(err, &limit) || errors.As(err, &damage) || r.in.Context().Err() != nil
}

// readRequired reads array n, without which a piece cannot be drawn. If it is missing or cannot be used, readRequired
// adds a warning and ok is false.
func (d *document) readRequired(n xmltree.Node, piece xmltree.Node, what string) (v numbers, ok bool, err error) {
	if !n.Exists() {
		return v, false, d.r.warn.Add(d.placeOf(piece), "the piece has no %s", what)
	}
	v, err = d.readNumbers(n)
	if err == nil {
		return v, true, nil
	}
	if d.r.isFatal(err) {
		return v, false, err
	}
	d.short = true
	return v, err == errCut, d.r.warn.Add(d.placeOf(n), "%s: %s", what, text.OneLine(err.Error()))
}

// array returns the array called `name` below an element, or xmltree.None if there is none.
func array(of xmltree.Node, name string) xmltree.Node {
	for a := range of.Each("DataArray") {
		if a.Attr("Name") == name {
			return a
		}
	}
	return xmltree.None()
}

// readData reads the arrays of PointData or CellData. Each should have n entries. `what` is the name of these entries
// in warnings.
func (d *document) readData(of xmltree.Node, n int, what string) (all []cells.Array, err error) {
	if d.r.in.Options.Flat {
		return nil, nil
	}
	for a := range of.Each("DataArray") {
		name := a.Attr("Name")
		if a.Attr("type") == "String" || name != "" && (name == of.Attr("Normals") || name == of.Attr("TCoords")) {
			continue // the renderer computes normals, and does not use textures of VTK
		}
		v, err := d.readNumbers(a)
		if err != nil && d.r.isFatal(err) {
			return nil, err
		}
		if err != nil {
			err = d.r.warn.Add(d.placeOf(a), "array %s: %s", text.Short(name), text.OneLine(err.Error()))
			if err != nil {
				return nil, err
			}
			continue
		}
		components, ok := a.Int("NumberOfComponents")
		if !ok || components == 0 {
			components = 1
		}
		if err := d.r.Reserve(4 * int64(v.len())); err != nil {
			return nil, err
		}
		one := cells.Array{Name: name, Components: components, Values: v.asFloat32(), Colors: v.kind == uint8s && (components == 3 || components == 4)}
		if err := d.r.addArray(&all, one, n, what); err != nil {
			return nil, err
		}
	}
	return all, nil
}
