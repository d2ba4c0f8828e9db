package stl

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"lockstep/scenes"
	"lockstep/scenes/internal/vector"
)

// WriteOptions controls Write. The zero value is the default.
type WriteOptions struct {
	// Comment is the text of the header. At most 80 bytes of it are used. Default: "lockstep".
	Comment string
	// ASCII writes a text, with a solid for each part of a Mesh. A text has all digits of the coordinates, but no
	// colours.
	ASCII bool
}

// Write writes src as STL, block by block, so src need not fit into memory. It adds the origin to the coordinates and
// rounds them to float32. It computes the normals; the normal of a triangle without area is zero. Colours follow the
// VisCAM convention with five bits per channel. If all triangles have the same colour, this colour is written into the
// header instead.
//
// It returns an error of src or w. It also returns an error if a block of src has a wrong number of triangles, or if
// there are 2^32 triangles or more.
func Write(w io.Writer, src scenes.Source, opts WriteOptions) error {
	if int64(src.Len()) > math.MaxUint32 {
		return fmt.Errorf("write STL: %d triangles are more than the format holds", src.Len())
	}
	if opts.Comment == "" {
		opts.Comment = "lockstep"
	}
	if opts.ASCII {
		return writeASCII(w, src)
	}
	header := make([]byte, headerSize)
	comment := header[:commentSize]
	uniform, err := uniformColor(src)
	if err != nil {
		return err
	}
	if uniform != nil {
		comment = comment[copy(comment, uniform):]
	}
	copy(comment, opts.Comment)
	binary.LittleEndian.PutUint32(header[commentSize:], uint32(src.Len()))
	if _, err := w.Write(header); err != nil {
		return fmt.Errorf("write STL: %w", err)
	}
	origin := src.Info().Origin
	raw := make([]byte, 0, min(src.Len(), scenes.BlockSize)*recordSize)
	return eachBlock(src, func(_ int, b *scenes.Block) error {
		raw = raw[:0]
		for t := range b.Len() {
			raw = appendRecord(raw, b, t, origin, uniform == nil)
		}
		if _, err := w.Write(raw); err != nil {
			return fmt.Errorf("write STL: %w", err)
		}
		return nil
	})
}

// eachBlock calls the function write for all blocks of src in order. first is the index of the first triangle of the
// block.
func eachBlock(src scenes.Source, write func(first int, b *scenes.Block) error) error {
	var b scenes.Block
	for i := range scenes.NumBlocks(src) {
		if err := src.ReadBlock(i, &b); err != nil {
			return err
		}
		lo, hi := scenes.BlockRange(i, src.Len())
		if b.Len() != hi-lo {
			return fmt.Errorf("write STL: block %d of the source has %d triangles instead of %d", i, b.Len(), hi-lo)
		}
		if err := write(lo, &b); err != nil {
			return err
		}
	}
	return nil
}

// errSeveralColors ends the search of uniformColor at the second colour.
var errSeveralColors = errors.New("several colours")

// uniformColor returns a header by the convention of Magics with the colour of src, or nil if triangles differ in
// colour. The header has eight bits per channel, more than attributes. Besides, readers do not take attributes for
// colours if all are equal.
func uniformColor(src scenes.Source) ([]byte, error) {
	if !src.Info().Colors || src.Len() == 0 {
		return nil, nil
	}
	var first uint32
	err := eachBlock(src, func(at int, b *scenes.Block) error {
		if at == 0 && len(b.Colors) > 0 {
			first = b.Colors[0]
		}
		if len(b.Colors) == 0 || slices.ContainsFunc(b.Colors, func(rgb uint32) bool { return rgb != first }) {
			return errSeveralColors
		}
		return nil
	})
	switch {
	case errors.Is(err, errSeveralColors):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return append([]byte("COLOR="), byte(first>>16), byte(first>>8), byte(first), 255, ' '), nil
}

// appendRecord appends triangle t of b, with its colour if colored is set.
func appendRecord(raw []byte, b *scenes.Block, t int, origin [3]float64, colored bool) []byte {
	corners := b.Triangle(t)
	for k := range corners {
		for c := range 3 {
			corners[k][c] = float32(float64(corners[k][c]) + origin[c])
		}
	}
	for _, v := range unitNormal(&corners) {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
	}
	for k := range corners {
		for _, v := range corners[k] {
			raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
		}
	}
	var attribute uint16
	if b.Colors != nil && colored {
		attribute = viscamColor(b.Colors[t])
	}
	return binary.LittleEndian.AppendUint16(raw, attribute)
}

// viscamColor returns the attribute bits for a colour. It is the inverse of colorScheme.color, up to rounding.
func viscamColor(rgb uint32) uint16 {
	five := func(v uint32) uint16 { return uint16((v&255*31 + 127) / 255) }
	return 0x8000 | five(rgb>>16)<<10 | five(rgb>>8)<<5 | five(rgb)
}

// unitNormal returns the unit normal of a triangle, or zero if the triangle has no area or a coordinate is not finite.
func unitNormal(c *[3][3]float32) (n [3]float32) {
	var u, v [3]float64
	for i := range 3 {
		u[i] = float64(c[1][i]) - float64(c[0][i])
		v[i] = float64(c[2][i]) - float64(c[0][i])
	}
	x := vector.Cross(u, v)
	length := math.Sqrt(vector.Dot(x, x))
	if !(length > 0) || math.IsInf(length, 0) {
		return n
	}
	for i := range n {
		n[i] = float32(x[i] / length)
	}
	return n
}
