package vtk

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/klauspost/compress/zlib"
)

// A feed delivers the bytes of an array, which the file stores raw or in base64.
type feed struct {
	src      []byte
	isBase64 bool
	pos      int // position in src, for base64
	out      []byte
}

// sextet maps the letters of base64 to their values. 64 stands for characters to skip, and 65 for padding.
var sextet = func() (t [256]uint8) {
	for i := range t {
		t[i] = 64
	}
	for i, c := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/") {
		t[c] = uint8(i)
	}
	t['='] = 65
	return t
}()

// firstBytes returns the first n bytes of the array, or fewer if the array is shorter. In base64, a part such as the
// header may end with padding and be followed by another part.
func (f *feed) firstBytes(n int) []byte {
	if !f.isBase64 {
		return f.src[:min(n, len(f.src))]
	}
	if most := min(n, len(f.out)+(len(f.src)-f.pos)/4*3+3) + 3; most > cap(f.out) {
		f.out = slices.Grow(f.out, most-len(f.out))
	}
	f.decodeQuads(n)
	var bits uint32
	have := 0
	for f.pos < len(f.src) && (len(f.out) < n || have > 0) {
		v := sextet[f.src[f.pos]]
		f.pos++
		switch {
		case v < 64:
			bits, have = bits<<6|uint32(v), have+1
		case v == 65 && have > 0:
			for pad := have; pad < 4; pad++ {
				bits <<= 6
			}
			f.out = append(f.out, byte(bits>>16), byte(bits>>8))[:len(f.out)+have-1]
			bits, have = 0, 0
			continue
		}
		if have == 4 {
			f.out = append(f.out, byte(bits>>16), byte(bits>>8), byte(bits))
			bits, have = 0, 0
		}
	}
	return f.out[:min(n, len(f.out))]
}

// decodeQuads decodes up to n bytes of base64. It stops where a group of four letters is interrupted by another
// character.
func (f *feed) decodeQuads(n int) {
	for f.pos+4 <= len(f.src) && len(f.out) < n {
		s := f.src[f.pos : f.pos+4]
		a, b, c, d := sextet[s[0]], sextet[s[1]], sextet[s[2]], sextet[s[3]]
		if a|b|c|d >= 64 {
			return
		}
		f.out = append(f.out, a<<2|b>>4, b<<4|c>>2, c<<6|d)
		f.pos += 4
	}
}

// errCut is the error for an array that ends early. The bytes before its end can be used.
var errCut = errors.New("it ends early")

// readPayload returns the unpacked bytes of an array. The error is errCut if some of them are missing.
func (d *document) readPayload(f *feed) ([]byte, error) {
	if d.compressor == "" {
		size, err := d.headerNumber(f.firstBytes(d.header), 0)
		if err != nil {
			return nil, err
		}
		if size > uint64(len(f.src)) {
			all := f.firstBytes(d.header + len(f.src))
			return all[d.header:], errCut
		}
		all := f.firstBytes(d.header + int(size))[d.header:]
		if uint64(len(all)) < size {
			return all, errCut
		}
		return all, nil
	}
	return d.unpack(f)
}

// headerNumber decodes entry i of b, the header of an array.
func (d *document) headerNumber(b []byte, i int) (uint64, error) {
	if b = b[min(len(b), i*d.header):]; len(b) < d.header {
		return 0, errors.New("its header ends early")
	}
	order := binary.ByteOrder(binary.LittleEndian)
	if d.big {
		order = binary.BigEndian
	}
	if d.header == 8 {
		return order.Uint64(b), nil
	}
	return uint64(order.Uint32(b)), nil
}

// mostPacked is the greatest factor by which unpacking may enlarge data. Deflate reaches 1032, and LZ4 255.
const mostPacked = 1100

// unpack returns the bytes of an array that is compressed in blocks. Its header has the number of blocks, the unpacked
// size of each block except the last, the unpacked size of the last block, and the packed size of each block.
func (d *document) unpack(f *feed) (all []byte, err error) {
	count, err := d.headerNumber(f.firstBytes(d.header), 0)
	if err != nil {
		return nil, err
	}
	if count > uint64(len(f.src)/d.header) {
		return nil, fmt.Errorf("its header has %d blocks, more than its bytes", count)
	}
	blocks := int(count)
	head := f.firstBytes((3 + blocks) * d.header)
	if len(head) < (3+blocks)*d.header && blocks > 0 {
		return nil, errors.New("its header ends early")
	}
	if blocks == 0 {
		return []byte{}, nil
	}
	size, _ := d.headerNumber(head, 1)
	last, _ := d.headerNumber(head, 2)
	total, packed := uint64(0), uint64(0)
	for i := range blocks {
		p, _ := d.headerNumber(head, 3+i)
		of := d.blockSize(i, blocks, size, last)
		if p > uint64(len(f.src)) || of > mostPacked*p+1024 {
			return nil, fmt.Errorf("block %d of %d bytes claims to hold %d", i, p, of)
		}
		total, packed = total+of, packed+p
		if packed > uint64(len(f.src)) {
			return nil, fmt.Errorf("its blocks have more bytes than the file")
		}
	}
	if err := d.r.unpacking.Spend(d.r.in, int64(total)); err != nil {
		return nil, err
	}
	if err := d.r.Reserve(int64(total)); err != nil {
		return nil, err
	}
	start := (3 + blocks) * d.header
	data := f.firstBytes(start + int(packed))[start:]
	all = make([]byte, 0, total)
	for i := range blocks {
		p, _ := d.headerNumber(head, 3+i)
		if p > uint64(len(data)) {
			return all, errCut
		}
		if all, err = d.unpackBlock(all, data[:p], int(d.blockSize(i, blocks, size, last))); err != nil {
			return all, fmt.Errorf("block %d: %w", i, err)
		}
		data = data[p:]
		if err := d.r.in.Context().Err(); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// blockSize returns the unpacked size of block i. It is `size` for all blocks except the last. The last block has
// `last` bytes, or `size` if last is 0.
func (d *document) blockSize(i, blocks int, size, last uint64) uint64 {
	if i == blocks-1 && last != 0 {
		return last
	}
	return size
}

// unpackBlock unpacks a block and appends the result, which has `size` bytes, to `all`.
func (d *document) unpackBlock(all, packed []byte, size int) ([]byte, error) {
	at := len(all)
	to := all[at : at+size]
	if d.compressor == lz4Name {
		n, err := lz4(to, packed)
		return all[:at+n], err
	}
	var err error
	if d.inflate == nil {
		d.inflate, err = zlib.NewReader(bytes.NewReader(packed))
	} else {
		err = d.inflate.(zlib.Resetter).Reset(bytes.NewReader(packed), nil)
	}
	if err != nil {
		d.inflate = nil
		return all, err
	}
	n, err := io.ReadFull(d.inflate, to)
	return all[:at+n], err
}

var errLZ4 = errors.New("its LZ4 data are damaged")

// lz4 unpacks a block of LZ4 into `to`, and returns the number of bytes. The block consists of sequences. A sequence is
// literal bytes followed by a copy of earlier bytes (LZ4 block format, 1.6.2).
func lz4(to, from []byte) (n int, err error) {
	long := func(v int) (int, bool) {
		for v >= 15 {
			if len(from) == 0 {
				return 0, false
			}
			b := from[0]
			from = from[1:]
			if v += int(b); b != 255 {
				break
			}
		}
		return v, true
	}
	for len(from) > 0 {
		token := from[0]
		from = from[1:]
		plain, ok := long(int(token >> 4))
		if !ok || plain > len(from) || plain > len(to)-n {
			return n, errLZ4
		}
		n += copy(to[n:], from[:plain])
		if from = from[plain:]; len(from) == 0 {
			break // the last sequence has no copy of earlier bytes
		}
		if len(from) < 2 {
			return n, errLZ4
		}
		back := int(from[0]) | int(from[1])<<8
		from = from[2:]
		again, ok := long(int(token & 15))
		if again += 4; !ok || back == 0 || back > n || again > len(to)-n {
			return n, errLZ4
		}
		for range again {
			to[n] = to[n-back]
			n++
		}
	}
	if n < len(to) {
		return n, errCut
	}
	return n, nil
}
