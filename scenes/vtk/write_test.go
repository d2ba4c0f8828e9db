package vtk

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
)

// An options value says how a test encodes the arrays of an XML file.
type options struct {
	mode       string // ascii, binary, raw or coded (appended base64)
	compressor string
	order      binary.ByteOrder
	long       bool // numbers in headers have 64 bits
	block      int  // unpacked size of a block in bytes
}

// A writer writes one XML file.
type writer struct {
	t testing.TB
	options
	appended bytes.Buffer
}

// typeName returns the VTK name for the type of the numbers in the slice v.
func typeName(v any) string {
	return map[string]string{"[]float32": "Float32", "[]float64": "Float64", "[]int32": "Int32", "[]int64": "Int64", "[]uint8": "UInt8", "[]int8": "Int8", "[]uint16": "UInt16"}[fmt.Sprintf("%T", v)]
}

// array returns the XML element of an array.
func (w *writer) array(name string, components int, v any) string {
	tag := fmt.Sprintf(`<DataArray type="%s" Name="%s" NumberOfComponents="%d" format="`, typeName(v), name, components)
	switch w.mode {
	case "ascii":
		return tag + "ascii\">\n" + strings.Trim(fmt.Sprint(v), "[]") + "\n</DataArray>\n"
	case "binary":
		return tag + `binary">` + string(w.coded(v)) + "</DataArray>\n"
	}
	at := w.appended.Len()
	if w.mode == "raw" {
		head, data := w.pack(v)
		w.appended.Write(append(head, data...))
	} else {
		w.appended.Write(w.coded(v))
	}
	return tag + fmt.Sprintf(`appended" offset="%d"/>`, at)
}

// coded returns an array in base64. If the array is compressed, its header and its data are encoded separately.
func (w *writer) coded(v any) []byte {
	head, data := w.pack(v)
	if w.compressor == "" {
		return base64.StdEncoding.AppendEncode(nil, append(head, data...))
	}
	return base64.StdEncoding.AppendEncode(base64.StdEncoding.AppendEncode(nil, head), data)
}

// pack returns the header and the bytes of an array.
func (w *writer) pack(v any) (head, data []byte) {
	var plain bytes.Buffer
	if err := binary.Write(&plain, w.order, v); err != nil {
		w.t.Fatal(err)
	}
	number := func(n int) {
		var b [8]byte
		if w.long {
			w.order.PutUint64(b[:], uint64(n))
			head = append(head, b[:]...)
		} else {
			w.order.PutUint32(b[:], uint32(n))
			head = append(head, b[:4]...)
		}
	}
	if w.compressor == "" {
		number(plain.Len())
		return head, plain.Bytes()
	}
	var blocks [][]byte
	last := 0
	for plain.Len() > 0 {
		b := plain.Next(w.block)
		if last = len(b); last == w.block {
			last = 0
		}
		blocks = append(blocks, w.compress(b))
	}
	number(len(blocks))
	number(w.block)
	number(last)
	for _, b := range blocks {
		number(len(b))
		data = append(data, b...)
	}
	return head, data
}

func (w *writer) compress(b []byte) []byte {
	if w.compressor == lz4Name {
		return plainLZ4(b)
	}
	var out bytes.Buffer
	z := zlib.NewWriter(&out)
	if _, err := z.Write(b); err != nil {
		w.t.Fatal(err)
	}
	z.Close()
	return out.Bytes()
}

// plainLZ4 packs bytes as one sequence. The bytes are stored as literals, except that a run of equal bytes at their end
// is stored as a copy.
func plainLZ4(b []byte) (out []byte) {
	run := len(b)
	for run > 1 && b[run-1] == b[run-2] {
		run--
	}
	if len(b)-run < 4 {
		run = len(b)
	}
	again := len(b) - run
	token := func(n int) byte { return byte(min(n, 15)) }
	long := func(n int) {
		for n -= 15; n >= 0; n -= 255 {
			out = append(out, byte(min(n, 255)))
		}
	}
	if again == 0 {
		out = append(out, token(run)<<4)
		long(run)
		return append(out, b...)
	}
	out = append(out, token(run)<<4|token(again-4))
	long(run)
	out = append(out, b[:run]...)
	out = append(out, 1, 0)
	long(again - 4)
	return out
}

// file returns a whole file with the data set `set`.
func (w *writer) file(kind, set string) string {
	order, header := "LittleEndian", "UInt32"
	if w.order == binary.BigEndian {
		order = "BigEndian"
	}
	if w.long {
		header = "UInt64"
	}
	more := ""
	if w.compressor != "" {
		more = fmt.Sprintf(` compressor="%s"`, w.compressor)
	}
	s := fmt.Sprintf("<?xml version=\"1.0\"?>\n<VTKFile type=\"%s\" version=\"1.0\" byte_order=\"%s\" header_type=\"%s\"%s>\n%s", kind, order, header, more, set)
	switch w.mode {
	case "raw":
		s += "<AppendedData encoding=\"raw\">\n_" + w.appended.String() + "</AppendedData>\n"
	case "coded":
		s += "<AppendedData encoding=\"base64\">\n_" + w.appended.String() + "</AppendedData>\n"
	}
	return s + "</VTKFile>\n"
}

// tetras returns a file of two tetrahedra that share a face, with all kinds of data.
func (w *writer) tetras() string {
	return w.file("UnstructuredGrid", `<UnstructuredGrid><Piece NumberOfPoints="5" NumberOfCells="2"><PointData>`+
		w.array("t", 1, []float32{0, 1, 2, 3, 4})+w.array("U", 3, []float64{3, 4, 0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0, 4})+
		`</PointData><CellData>`+w.array("p", 1, []int32{-1, 7})+`</CellData><Points>`+
		w.array("Points", 3, []float32{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1})+`</Points><Cells>`+
		w.array("connectivity", 1, []int64{0, 1, 2, 3, 1, 2, 3, 4})+w.array("offsets", 1, []int64{4, 8})+
		w.array("types", 1, []uint8{10, 10})+`</Cells></Piece></UnstructuredGrid>`)
}

// tetra returns the file of tetras as plain text.
func tetra(t *testing.T) string {
	return (&writer{t: t, options: options{mode: "ascii", order: binary.LittleEndian}}).tetras()
}

// legacyBinary converts the lines of a text that start with "=" to binary. "=f 1 2" holds numbers of type float32, "=i
// 1 2" int32, and "=l 1 2" int64.
func legacyBinary(t *testing.T, text string) string {
	var b bytes.Buffer
	for line := range strings.Lines(text) {
		kind, ok := strings.CutPrefix(line, "=")
		if !ok {
			b.WriteString(line)
			continue
		}
		for _, word := range strings.Fields(kind[1:]) {
			var v float64
			if _, err := fmt.Sscan(word, &v); err != nil {
				t.Fatal(err)
			}
			var err error
			switch kind[0] {
			case 'f':
				err = binary.Write(&b, binary.BigEndian, float32(v))
			case 'i':
				err = binary.Write(&b, binary.BigEndian, int32(v))
			case 'l':
				err = binary.Write(&b, binary.BigEndian, int64(v))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}
