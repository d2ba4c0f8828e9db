package meshopt

const (
	vertexHeader   = 0xa0
	maxVertexSize  = 256
	maxVertexBlock = 256  // vertices
	vertexBytes    = 8192 // of a block at most
	groupSize      = 16   // bytes that have one number of bits
	leastTail      = 32
)

// vertexBlock returns the number of vertices of a block.
func vertexBlock(size int) int {
	return min(vertexBytes/size&^(groupSize-1), maxVertexBlock)
}

// DecodeVertices decodes count vertices of size bytes, a multiple of 4 up to 256.
//
// Vertices are in blocks, and a block is a run for each byte of a vertex: the differences
// from vertex to vertex, in groups of 16 that take 0, 2, 4 or 8 bits each, and a byte
// more for each that these do not hold. The vertex before the first stands at the end.
func DecodeVertices(data []byte, count, size int) ([]byte, error) {
	if size <= 0 || size > maxVertexSize || size%4 != 0 || count < 0 {
		return nil, errSize
	}
	tail := max(size, leastTail)
	if len(data) < 1+tail {
		return nil, errShort
	}
	if data[0] != vertexHeader {
		return nil, errVersion
	}
	last := data[len(data)-size:]
	data = data[1 : len(data)-tail]
	block := vertexBlock(size)
	// Each run of a block has a byte for every four groups.
	if blocks := (count + block - 1) / block; blocks > len(data)/size {
		return nil, errShort
	}
	out := make([]byte, count*size)
	var run [maxVertexBlock]byte
	for from := 0; from < count; from += block {
		n := min(block, count-from)
		to := out[from*size : (from+n)*size]
		for k := range size {
			var err error
			if data, err = decodeRun(run[:(n+groupSize-1)&^(groupSize-1)], data); err != nil {
				return nil, err
			}
			v := last[k]
			for i := range n {
				v += unzigzag(run[i])
				to[i*size+k] = v
			}
		}
		last = to[(n-1)*size:]
	}
	if len(data) > 0 {
		return nil, errLong
	}
	return out, nil
}

// unzigzag returns the difference that has the sign in its lowest bit.
func unzigzag(v byte) byte { return -(v & 1) ^ v>>1 }

// decodeRun fills to, of whole groups, and returns the data behind it.
func decodeRun(to, data []byte) ([]byte, error) {
	groups := len(to) / groupSize
	header := (groups + 3) / 4
	if len(data) < header {
		return nil, errShort
	}
	bits := data[:header]
	data = data[header:]
	for g := range groups {
		var err error
		group := (*[groupSize]byte)(to[g*groupSize:])
		if data, err = decodeGroup(group, data, bits[g/4]>>(g%4*2)&3); err != nil {
			return nil, err
		}
	}
	return data, nil
}

// decodeGroup decodes a group of bytes stored with 0, 2, 4 or 8 bits each, as kind says.
func decodeGroup(to *[groupSize]byte, data []byte, kind byte) ([]byte, error) {
	bits := [4]int{0, 2, 4, 8}[kind]
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
		v := data[at/8] >> (8 - bits - at%8) & escape
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
