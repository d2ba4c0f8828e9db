package meshopt

import (
	"encoding/binary"
	"math/bits"
)

const (
	vertexHeader   = 0xa0 // the first byte of the data, minus the version
	maxVertexSize  = 256
	maxVertexBlock = 256  // greatest number of vertices of a block
	vertexBytes    = 8192 // greatest number of bytes of a block
	groupSize      = 16   // number of bytes that have the same number of bits each
)

// leastTail is the least number of bytes after the blocks in versions 0 and 1.
var leastTail = [2]int{32, 24}

// verticesPerBlock returns the number of vertices in a block if a vertex has `size` bytes.
func verticesPerBlock(size int) int {
	return min(vertexBytes/size&^(groupSize-1), maxVertexBlock)
}

// DecodeVertices decodes `count` vertices of `size` bytes each. size is a multiple of 4 up to 256.
//
// Vertices are stored in blocks. A block has a run for each byte of a vertex. A run holds the differences of this
// byte between consecutive vertices. The differences are in groups of 16. Each group has 0, 2, 4 or 8 bits per
// difference. A difference that does not fit into these bits takes a further byte. The vertex before the first one is
// stored at the end of the data.
//
// Version 1 belongs to KHR_meshopt_compression. In version 1, each block starts with two bits for each run. The two
// bits tell how the run is stored:
//   - 0: in groups of 0, 1, 2 and 4 bits;
//   - 1: in groups of 1, 2, 4 and 8 bits;
//   - storedZero: not at all, because all bytes are 0;
//   - storedLiteral: without compression.
//
// The end of the data has a channel byte for every four bytes of a vertex. The channel byte tells what the
// differences are: differences of bytes, differences of 16-bit words, or the changed bits of a 32-bit word, rotated.
func DecodeVertices(data []byte, count, size int) ([]byte, error) {
	if size <= 0 || size > maxVertexSize || size%4 != 0 || count < 0 {
		return nil, errSize
	}
	if len(data) == 0 {
		return nil, errShort
	}
	version := int(data[0] &^ vertexHeader)
	if data[0]&0xf0 != vertexHeader || version > 1 {
		return nil, errVersion
	}
	d := vertexDecoder{size: size, version: version}
	tail := size + version*size/4
	if len(data) < 1+max(tail, leastTail[version]) {
		return nil, errShort
	}
	d.last, d.channels = data[len(data)-tail:][:size], data[len(data)-tail+size:]
	d.data = data[1 : len(data)-max(tail, leastTail[version])]
	block := verticesPerBlock(size)
	// The shortest block has one byte for every four groups of each run. In version 1, it has only two bits for each
	// run.
	least := size
	if version == 1 {
		least = size / 4
	}
	if blocks := (count + block - 1) / block; blocks > len(d.data)/least {
		return nil, errShort
	}
	out := make([]byte, count*size)
	for from := 0; from < count; from += block {
		if err := d.decodeBlock(out[from*size : min(from+block, count)*size]); err != nil {
			return nil, err
		}
	}
	if len(d.data) > 0 {
		return nil, errLong
	}
	return out, nil
}

// A vertexDecoder is the state of DecodeVertices.
type vertexDecoder struct {
	data     []byte
	size     int // bytes of a vertex
	version  int
	channels []byte // version 1: the channel byte for every four bytes of a vertex
	last     []byte // the vertex before the block
	runs     [4][maxVertexBlock]byte
}

// Ways in which version 1 stores runs that are not in groups.
const (
	storedZero    = 2
	storedLiteral = 3
)

// decodeBlock decodes a block of vertices.
func (d *vertexDecoder) decodeBlock(to []byte) error {
	var control []byte
	if d.version == 1 {
		if len(d.data) < d.size/4 {
			return errShort
		}
		control, d.data = d.data[:d.size/4], d.data[d.size/4:]
	}
	n := len(to) / d.size
	for k := 0; k < d.size; k += 4 {
		for j := range d.runs {
			stored, bits := byte(0), groupBits[:4]
			if d.version == 1 {
				stored = control[k/4] >> (2 * j) & 3
				bits = groupBits1[stored&1:][:4]
			}
			if err := d.readRun(&d.runs[j], n, stored, bits); err != nil {
				return err
			}
		}
		channel := byte(0)
		if d.version == 1 {
			channel = d.channels[k/4]
		}
		if err := d.sumDifferences(to, k, n, channel); err != nil {
			return err
		}
	}
	d.last = to[(n-1)*d.size:]
	return nil
}

// readRun decodes a run of n bytes.
func (d *vertexDecoder) readRun(to *[maxVertexBlock]byte, n int, stored byte, bits []int) (err error) {
	switch stored {
	case storedZero:
		clear(to[:n])
	case storedLiteral:
		if len(d.data) < n {
			return errShort
		}
		copy(to[:n], d.data)
		d.data = d.data[n:]
	default:
		d.data, err = decodeRun(to[:(n+groupSize-1)&^(groupSize-1)], d.data, bits)
	}
	return err
}

// Kinds of channels. A channel is four bytes of a vertex, and the lowest two bits of the channel byte hold its kind.
const (
	channelBytes  = 0
	channelWords  = 1 // differences of 16-bit words
	channelChange = 2 // changed bits of a 32-bit word, rotated by the upper half of the byte
)

// sumDifferences adds up the differences of bytes k to k+3 in n vertices, and writes the sums to `to`.
func (d *vertexDecoder) sumDifferences(to []byte, k, n int, channel byte) error {
	r, v := &d.runs, [4]byte(d.last[k:])
	switch channel & 3 {
	case channelBytes:
		for i := range n {
			for j := range v {
				v[j] += unzigzag(r[j][i])
				to[i*d.size+k+j] = v[j]
			}
		}
	case channelWords:
		a, b := binary.LittleEndian.Uint16(v[:]), binary.LittleEndian.Uint16(v[2:])
		for i := range n {
			a += unzigzag(uint16(r[0][i]) | uint16(r[1][i])<<8)
			b += unzigzag(uint16(r[2][i]) | uint16(r[3][i])<<8)
			binary.LittleEndian.PutUint32(to[i*d.size+k:], uint32(a)|uint32(b)<<16)
		}
	case channelChange:
		w := binary.LittleEndian.Uint32(v[:])
		for i := range n {
			change := uint32(r[0][i]) | uint32(r[1][i])<<8 | uint32(r[2][i])<<16 | uint32(r[3][i])<<24
			w ^= bits.RotateLeft32(change, -int(channel>>4))
			binary.LittleEndian.PutUint32(to[i*d.size+k:], w)
		}
	default:
		return errChannel
	}
	return nil
}

// unzigzag decodes a difference whose lowest bit is its sign.
func unzigzag[T byte | uint16](v T) T { return -(v & 1) ^ v>>1 }

// Numbers of bits per difference for each kind of group. Version 1 uses four consecutive entries of groupBits1.
var (
	groupBits  = [4]int{0, 2, 4, 8}
	groupBits1 = [5]int{0, 1, 2, 4, 8}
)

// decodeRun decodes len(to) bytes, which are whole groups, and returns the rest of the data. bits[k] is the number of
// bits per difference in a group of kind k.
func decodeRun(to, data []byte, bits []int) ([]byte, error) {
	groups := len(to) / groupSize
	header := (groups + 3) / 4
	if len(data) < header {
		return nil, errShort
	}
	kinds := data[:header]
	data = data[header:]
	for g := range groups {
		var err error
		group := (*[groupSize]byte)(to[g*groupSize:])
		if data, err = decodeGroup(group, data, bits[kinds[g/4]>>(g%4*2)&3]); err != nil {
			return nil, err
		}
	}
	return data, nil
}

// decodeGroup decodes a group of bytes, each of which is stored with 0, 1, 2, 4 or 8 bits. It returns the rest of the
// data.
func decodeGroup(to *[groupSize]byte, data []byte, bits int) ([]byte, error) {
	packed := groupSize * bits / 8
	if len(data) < packed {
		return nil, errShort
	}
	switch bits {
	case 0:
		*to = [groupSize]byte{}
		return data, nil
	case 8:
		copy(to[:], data)
		return data[groupSize:], nil
	}
	more := data[packed:]
	escape := byte(1)<<bits - 1
	for i := range to {
		at := i * bits
		shift := 8 - bits - at%8
		if bits == 1 {
			shift = at % 8 // at one bit each, the lowest bit of a byte is first
		}
		v := data[at/8] >> shift & escape
		if v == escape {
			if len(more) == 0 {
				return nil, errShort
			}
			v, more = more[0], more[1:]
		}
		to[i] = v
	}
	return more, nil
}
