package draco

// valences decodes symbols whose coding depends on the valence of the next vertex. The valence is the number of edges
// that the vertex has so far. Each valence has its own sequence of symbols, called a context.
type valences struct {
	counts   []int32    // for each vertex, its valence
	contexts [6][]int32 // symbols of each context, read from the end
	context  int        // context of the next symbol; `none`: the next symbol is E
}

// Each valence from minValence to maxValence has a context. Other valences use the nearest of these contexts.
const minValence, maxValence = 2, 7

// valenceCodes maps the codes in a context to symbols.
var valenceCodes = [...]uint8{symbolC, symbolS, symbolL, symbolR, symbolE}

// readValences reads the symbols of all contexts.
func (u *unzipper) readValences(vertices int) {
	if !u.reserveMemory(4 * (int64(vertices) + int64(u.symbolCount))) {
		return
	}
	if u.version < version22 {
		u.versionedUint(version20) // skips the number of splits
		if mode := u.u8(); mode != 0 {
			u.fail("valences of the mode %d", mode)
			return
		}
	}
	v := &valences{counts: make([]int32, vertices), context: none}
	left := uint64(u.symbolCount)
	for i := range v.contexts {
		n := u.varint()
		if n > left {
			u.fail("%d symbols of valence %d, and %d are left", n, i+minValence, left)
			return
		}
		left -= n
		v.contexts[i] = make([]int32, n)
		u.readSymbols(v.contexts[i], 1)
	}
	u.valences = v
}

// next returns the next symbol.
func (v *valences) next(u *unzipper) uint8 {
	if v.context == none {
		return symbolE
	}
	all := &v.contexts[v.context]
	last := len(*all) - 1
	if last < 0 {
		u.fail("there are no more symbols of valence %d", v.context+minValence)
		return symbolE
	}
	code := (*all)[last]
	*all = (*all)[:last]
	if uint32(code) >= uint32(len(valenceCodes)) {
		u.fail("unknown symbol %d", code)
		return symbolE
	}
	return valenceCodes[code]
}

// update adjusts the valences after a triangle was added, whose first corner is c. It also sets the context of the next
// symbol.
func (v *valences) update(u *unzipper, symbol uint8, c int32) {
	var more [3]int32 // by how much the valence grows at each corner
	switch symbol {
	case symbolC, symbolS:
		more = [3]int32{0, 1, 1}
	case symbolR:
		more = [3]int32{1, 1, 2}
	case symbolL:
		more = [3]int32{1, 2, 1}
	default:
		more = [3]int32{2, 2, 2}
	}
	for k, n := range more {
		v.counts[u.vertexOf(c+int32(k))] += n
	}
	v.context = int(min(max(v.counts[u.vertexOf(c+1)], minValence), maxValence)) - minValence
}
