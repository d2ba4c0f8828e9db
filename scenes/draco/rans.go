package draco

import "encoding/binary"

// flagDecoder decodes a sequence of bits. All bits have the same probability to be 1. The coding is an asymmetric
// numeral system with two symbols ("rABS").
type flagDecoder struct {
	data  []byte // read from the end
	state uint32
	one   uint32 // the probability of the bit 1, times 256
}

// stateBytes is the factor by which a byte enlarges the state of a decoder. If the state of a flagDecoder is below
// flagsBase, the decoder takes another byte into its state.
const (
	stateBytes = 256
	flagsBase  = 4096
)

// readFlags reads the parameters and the bytes of a sequence of bits.
func (s *source) readFlags() (f flagDecoder) {
	f.one = 256 - uint32(s.u8())
	f.data = s.take(s.versionedUint(version22))
	f.state, f.data = s.readState(f.data, 3, flagsBase)
	return f
}

// readState reads the first state of a decoder from the end of p. It returns the state and the bytes of p before it.
// The highest two bits of the last byte are the length of the state in bytes, minus 1.
func (s *source) readState(p []byte, most int, base uint32) (uint32, []byte) {
	if s.err != nil {
		return 0, nil
	}
	if len(p) == 0 {
		s.fail("coded symbols without a byte")
		return 0, nil
	}
	n := int(p[len(p)-1]>>6) + 1
	if n > len(p) || n > most {
		s.fail("coded symbols begin with a state of %d bytes, of %d", n, len(p))
		return 0, nil
	}
	var whole [4]byte
	copy(whole[:], p[len(p)-n:])
	state := binary.LittleEndian.Uint32(whole[:]) & (1<<(8*n-2) - 1)
	if state >= base*(stateBytes-1) {
		s.fail("coded symbols begin with the state %d", state)
	}
	return state + base, p[:len(p)-n]
}

// next returns the next flag.
func (f *flagDecoder) next() bool {
	if f.state < flagsBase && len(f.data) > 0 {
		last := len(f.data) - 1
		f.state = f.state*stateBytes + uint32(f.data[last])
		f.data = f.data[:last]
	}
	whole, rest := f.state/256, f.state%256
	if rest < f.one {
		f.state = whole*f.one + rest
		return true
	}
	f.state -= whole*f.one + f.one
	return false
}

// A symbolRange is the range of states that stand for a symbol.
type symbolRange struct{ size, first uint32 }

// A coder decodes symbols by an asymmetric numeral system with ranges ("rANS"). Sequences are decoded one after the
// other, and each reuses the memory of the tables.
type coder struct {
	data   []byte
	state  uint32
	bits   uint // 1<<bits is the sum of the sizes of all ranges
	shares []symbolRange
	symbol []uint32 // the symbol of each state
}

// Limits of coders. The reference encoder writes symbols of at most 18 bits. Only the symbols that readTagged reads may
// be longer.
const (
	maxRawBits  = 18
	maxSymbols  = 1 << 20
	maxLength   = 32
	lengthBits  = 12 // bits of the coder for the lengths in readTagged
	maxCodeBits = 20
)

// readTable reads the table of the states of each symbol, and the bytes of the coder.
func (c *coder) readTable(d *decoder, bits uint, symbols uint64) {
	if symbols > maxSymbols || symbols > 64*uint64(d.left()) {
		d.fail("%d kinds of symbols in %d bytes", symbols, d.left())
		return
	}
	if !d.spendWork(int64(symbols) + 1<<bits/8) {
		return
	}
	c.bits = bits
	c.shares = resized(c.shares, int(symbols))
	c.symbol = resized(c.symbol, 1<<bits)
	sum := uint64(0)
	for i := 0; i < int(symbols); i++ {
		first := d.u8()
		size := uint64(first >> 2)
		switch extra := int(first & 3); extra {
		case 3: // this symbol and the next `size` symbols do not occur
			end := i + int(size)
			if end >= int(symbols) {
				d.fail("a gap of %d behind symbol %d of %d", size, i, symbols)
				return
			}
			for ; i <= end; i++ {
				c.shares[i] = symbolRange{0, uint32(sum)}
			}
			i = end
			continue
		default:
			for k := range extra {
				size |= uint64(d.u8()) << (8*k + 6)
			}
		}
		if sum+size > 1<<bits {
			d.fail("the shares of symbols are more than %d", 1<<bits)
			return
		}
		c.shares[i] = symbolRange{uint32(size), uint32(sum)}
		for k := sum; k < sum+size; k++ {
			c.symbol[k] = uint32(i)
		}
		sum += size
	}
	if sum != 1<<bits {
		d.fail("the shares of symbols add up to %d, not to %d", sum, 1<<bits)
		return
	}
	c.state, c.data = d.readState(d.take(d.readSize(version20)), 4, 4<<bits)
}

// resized returns a slice of n elements with arbitrary contents. It reuses the memory of s if that suffices.
func resized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// next returns the next symbol.
func (c *coder) next() uint32 {
	state := c.state
	for state < 4<<c.bits && len(c.data) > 0 {
		last := len(c.data) - 1
		state = state*stateBytes + uint32(c.data[last])
		c.data = c.data[:last]
	}
	rest := state & (1<<c.bits - 1)
	symbol := c.symbol[rest]
	of := &c.shares[symbol]
	c.state = (state>>c.bits)*of.size + rest - of.first
	return symbol
}

// readSymbols fills `to` with symbols. An entry has `width` of them. The caller has already called spendWork.
func (d *decoder) readSymbols(to []int32, width int) {
	if len(to) == 0 {
		return
	}
	switch scheme := d.u8(); scheme {
	case 0:
		d.readTagged(to, width)
	case 1:
		bits := uint(d.u8())
		if d.err == nil && (bits < 1 || bits > maxRawBits) {
			d.fail("symbols of %d bits", bits)
			return
		}
		d.coder.readTable(d, min(max(3*bits/2, lengthBits), maxCodeBits), d.versionedUint(version20))
		if d.err == nil {
			for i := range to {
				to[i] = int32(d.coder.next())
			}
		}
	default:
		d.fail("unknown coding %d of symbols", scheme)
	}
}

// readTagged reads symbols that are stored as plain bits. Before each entry, a coded length tells how many bits each of
// its symbols has.
func (d *decoder) readTagged(to []int32, width int) {
	d.coder.readTable(d, lengthBits, d.versionedUint(version20))
	if d.err != nil {
		return
	}
	bits := bitReader{data: d.data[d.at:]}
	for i := 0; i < len(to); i += width {
		length := uint(d.coder.next())
		if length > maxLength {
			d.fail("a symbol of %d bits", length)
			return
		}
		for k := range width {
			to[i+k] = int32(bits.read(length))
		}
		if bits.short {
			d.fail("the bits of symbol %d of %d are not there", i, len(to))
			return
		}
	}
	d.at += bits.next
}
