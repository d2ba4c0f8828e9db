package jpeg

import "encoding/binary"

// Second bytes of markers. The first byte of a marker is 0xff.
const (
	startOfImage  = 0xd8
	endOfImage    = 0xd9
	application0  = 0xe0
	quantizers    = 0xdb
	baseline      = 0xc0
	huffmanTables = 0xc4
	restartEvery  = 0xdd
	startOfScan   = 0xda
	restart       = 0xd0
)

// appendHeader appends the part of a file before the data of the first strip to h. The parameter height is the number
// of rows in this file.
func (e *Encoder) appendHeader(h []byte, height int, opts *Options) []byte {
	h = append(h, 0xff, startOfImage)
	h = appendSegment(h, application0, func(h []byte) []byte {
		h = append(h, 'J', 'F', 'I', 'F', 0, 1, 1)
		unit, density := byte(0), uint16(1) // square pixels
		if opts.DotsPerInch > 0 {
			unit, density = 1, uint16(opts.DotsPerInch)
		}
		h = append(h, unit)
		h = binary.BigEndian.AppendUint16(h, density)
		h = binary.BigEndian.AppendUint16(h, density)
		return append(h, 0, 0) // no thumbnail
	})
	for kind := range kinds {
		h = appendSegment(h, quantizers, func(h []byte) []byte {
			h = append(h, byte(kind))
			for _, at := range zigzag {
				h = append(h, e.div[kind][at].step)
			}
			return h
		})
	}
	factors := byte(0x22)
	if e.side == 8 {
		factors = 0x11
	}
	h = appendSegment(h, baseline, func(h []byte) []byte {
		h = append(h, 8)
		h = binary.BigEndian.AppendUint16(h, uint16(height))
		h = binary.BigEndian.AppendUint16(h, uint16(e.width))
		return append(h, 3, 1, factors, luma, 2, 0x11, chroma, 3, 0x11, chroma)
	})
	h = appendHuffmans(h)
	h = appendSegment(h, restartEvery, func(h []byte) []byte {
		return binary.BigEndian.AppendUint16(h, uint16((e.width+e.side-1)/e.side))
	})
	const both = 0x11 // both*kind holds the number kind twice, in four bits each: for the tables of first and of other coefficients
	return appendSegment(h, startOfScan, func(h []byte) []byte {
		return append(h, 3, 1, luma*both, 2, chroma*both, 3, chroma*both, 0, 63, 0)
	})
}

// appendHuffmans appends the Huffman tables.
func appendHuffmans(h []byte) []byte {
	for kind := range kinds {
		for class := range huffmans[kind] {
			h = appendSegment(h, huffmanTables, func(h []byte) []byte {
				t := &huffmans[kind][class]
				h = append(append(h, byte(class<<4|kind)), t.lengths[:]...)
				return append(h, t.symbols...)
			})
		}
	}
	return h
}

// appendSegment appends a marker, the length of the segment, and its content. The function `body` appends the content.
func appendSegment(h []byte, marker byte, body func(h []byte) []byte) []byte {
	h = append(h, 0xff, marker, 0, 0)
	at := len(h) - 2
	h = body(h)
	binary.BigEndian.PutUint16(h[at:], uint16(len(h)-at))
	return h
}
