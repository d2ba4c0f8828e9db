package encode

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
)

// A Channel is one number per pixel of an EXR file. The numbers are uint32 if Uint is set, and otherwise float32.
type Channel struct {
	Name  string
	Float []float32
	Uint  []uint32
}

// exrLines is the number of rows that the ZIP compression of EXR packs into a chunk.
const exrLines = 16

// EXR writes channels as an OpenEXR file with lossless compression. Other programs recognize channels by names such as
// R, Z and N.X. Source: OpenEXR File Layout, Technical Introduction to OpenEXR.
func EXR(w io.Writer, channels []Channel, width, height int) error {
	channels = slices.Clone(channels)
	slices.SortFunc(channels, func(a, b Channel) int { return bytes.Compare([]byte(a.Name), []byte(b.Name)) })
	if len(channels) == 0 {
		return fmt.Errorf("an EXR file needs at least one channel")
	}
	for i := range channels {
		if err := checkSize(channels[i].len(), width, height, 1); err != nil {
			return fmt.Errorf("channel %s: %w", channels[i].Name, err)
		}
	}
	head := exrHeader(channels, width, height)
	chunks := make([][]byte, (height+exrLines-1)/exrLines)
	for i := range chunks {
		var err error
		if chunks[i], err = exrChunk(channels, width, i*exrLines, min((i+1)*exrLines, height)); err != nil {
			return err
		}
	}
	at := uint64(len(head) + 8*len(chunks))
	for _, c := range chunks {
		head = binary.LittleEndian.AppendUint64(head, at)
		at += uint64(len(c))
	}
	if _, err := w.Write(head); err != nil {
		return err
	}
	for _, c := range chunks {
		if _, err := w.Write(c); err != nil {
			return err
		}
	}
	return nil
}

func (c *Channel) len() int {
	if c.Uint != nil {
		return len(c.Uint)
	}
	return len(c.Float)
}

// bits returns the value for pixel i as 32 bits.
func (c *Channel) bits(i int) uint32 {
	if c.Uint != nil {
		return c.Uint[i]
	}
	return math.Float32bits(c.Float[i])
}

// exrHeader returns the beginning of the file, up to the table of offsets.
func exrHeader(channels []Channel, width, height int) []byte {
	le := binary.LittleEndian
	h := []byte{0x76, 0x2f, 0x31, 0x01, 2, 0, 0, 0}
	attribute := func(name, kind string, value []byte) {
		h = append(append(append(append(h, name...), 0), kind...), 0)
		h = append(le.AppendUint32(h, uint32(len(value))), value...)
	}
	var list []byte
	for _, c := range channels {
		kind := uint32(2) // float
		if c.Uint != nil {
			kind = 0
		}
		list = append(append(list, c.Name...), 0)
		for _, v := range [4]uint32{kind, 0, 1, 1} { // type; not perceptually linear; sampled at every pixel
			list = le.AppendUint32(list, v)
		}
	}
	var window []byte
	for _, v := range [4]int{0, 0, width - 1, height - 1} {
		window = le.AppendUint32(window, uint32(v))
	}
	one := le.AppendUint32(nil, math.Float32bits(1))
	attribute("channels", "chlist", append(list, 0))
	attribute("compression", "compression", []byte{3}) // ZIP, 16 lines
	attribute("dataWindow", "box2i", window)
	attribute("displayWindow", "box2i", window)
	attribute("lineOrder", "lineOrder", []byte{0})
	attribute("pixelAspectRatio", "float", one)
	attribute("screenWindowCenter", "v2f", make([]byte, 8))
	attribute("screenWindowWidth", "float", one)
	return append(h, 0)
}

// exrChunk returns the chunk of rows y0 to y1-1. The bytes of the rows are reordered: first those at even positions,
// then those at odd positions. They are stored as differences and compressed with deflate. If that makes them no
// shorter, the chunk holds the original bytes.
func exrChunk(channels []Channel, width, y0, y1 int) ([]byte, error) {
	le := binary.LittleEndian
	raw := make([]byte, 0, 4*width*(y1-y0)*len(channels))
	for y := y0; y < y1; y++ {
		for i := range channels {
			for x := range width {
				raw = le.AppendUint32(raw, channels[i].bits(y*width+x))
			}
		}
	}
	split := make([]byte, len(raw))
	half := (len(raw) + 1) / 2
	for i, b := range raw {
		split[i/2+i%2*half] = b
	}
	for i := len(split) - 1; i > 0; i-- {
		split[i] -= split[i-1] - 128
	}
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	if _, err := z.Write(split); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	data := packed.Bytes()
	if len(data) >= len(raw) {
		data = raw
	}
	chunk := le.AppendUint32(le.AppendUint32(nil, uint32(y0)), uint32(len(data)))
	return append(chunk, data...), nil
}
