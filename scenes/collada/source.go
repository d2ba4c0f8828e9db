package collada

import (
	"bytes"
	"strings"

	"lockstep/scenes/internal/text"
	"lockstep/scenes/internal/xmltree"
)

// rows holds the numbers of a source element. Entry i starts at index first+i*stride.
type rows struct {
	values []float64
	n      int
	stride int
	first  int
	parts  [4]int // positions of x, y, z and w among the numbers of an entry; -1: none
}

// number returns a component of entry i, or `other` if entries do not have this component.
func (s *rows) number(i, part int, other float64) float64 {
	if s.parts[part] < 0 {
		return other
	}
	return s.values[s.first+i*s.stride+s.parts[part]]
}

// maxStride is the largest allowed count of numbers in an entry.
const maxStride = 256

// findSources returns the sources below an element by their ids. If several sources have the same id, it ignores all
// but the first.
func (r *reader) findSources(of xmltree.Node) (map[string]xmltree.Node, error) {
	all := make(map[string]xmltree.Node)
	for s := range of.Each("source") {
		id := s.Attr("id")
		if err := r.Reserve(int64(64 + len(id))); err != nil {
			return nil, err
		}
		if !all[id].Exists() {
			all[id] = s
		}
	}
	return all, nil
}

// findSource returns the source at an address, or xmltree.None if there is none.
func findSource(all map[string]xmltree.Node, address string) xmltree.Node {
	if s, ok := all[strings.TrimPrefix(address, "#")]; ok {
		return s
	}
	return xmltree.None()
}

// readRows reads the numbers of source s. ok is false if s has no numbers.
func (r *reader) readRows(s xmltree.Node) (out rows, ok bool, err error) {
	list := s.Child("float_array")
	if !list.Exists() {
		list = s.Child("int_array")
	}
	if !list.Exists() {
		return out, false, nil
	}
	accessor := s.Child("technique_common", "accessor")
	out.stride, out.parts = accessorLayout(accessor)
	if offset, ok := accessor.Int("offset"); ok {
		out.first = offset
	}
	if out.values, err = r.readFloats(list); err != nil {
		return out, false, err
	}
	if out.first > len(out.values) {
		return out, false, nil
	}
	out.n = (len(out.values) - out.first) / out.stride
	// The accessor may use fewer entries than the list has. An incomplete entry at the end of the list is ignored.
	if n, ok := accessor.Int("count"); ok && n < out.n {
		out.n = n
	}
	return out, true, nil
}

// accessorLayout returns the stride of an accessor, which is the number of numbers in an entry. It also returns the
// position of each component in an entry. The position of a missing component is -1.
func accessorLayout(accessor xmltree.Node) (stride int, parts [4]int) {
	stride, ok := accessor.Int("stride")
	params, found := 0, 0
	for p := range accessor.Each("param") {
		if params < maxStride && p.Attr("name") != "" && found < len(parts) {
			parts[found] = params
			found++
		}
		params++
	}
	if !ok || stride < 1 {
		stride = max(1, params)
	}
	stride = min(stride, maxStride)
	if found == 0 {
		for found = range min(stride, len(parts)) {
			parts[found] = found
		}
		found = min(stride, len(parts))
	}
	for i := range parts {
		if i >= found || parts[i] >= stride {
			parts[i] = -1
		}
	}
	return stride, parts
}

// readFloats reads the numbers of a list. A word that is not a number becomes 0, with a warning. There is also a
// warning if the list has fewer numbers than its count attribute states.
func (r *reader) readFloats(list xmltree.Node) (all []float64, err error) {
	words := commasToPoints(list.Words())
	if err := r.Reserve(8 * int64(len(words)/2+1)); err != nil {
		return nil, err
	}
	all = make([]float64, 0, len(words)/8)
	strange := 0
	for numbers := text.NumbersOf(words); numbers.More(); {
		v, ok := numbers.Float()
		if !ok {
			strange++
		}
		all = append(all, v)
	}
	if n, ok := list.Int("count"); ok && len(all) < n {
		err = r.warn.Add(placeOf(list), "there are %d of %d numbers", len(all), n)
	}
	if err == nil && strange > 0 {
		err = r.warn.Add(placeOf(list), "%d words are no numbers", strange)
	}
	return all, err
}

// numbersOf reads numbers from the text of element n until `to` is full, and returns their count.
func numbersOf(n xmltree.Node, to []float64) (found int) {
	for numbers := text.NumbersOf(commasToPoints(n.Words())); found < len(to) && numbers.More(); found++ {
		v, ok := numbers.Float()
		if !ok {
			return found
		}
		to[found] = v
	}
	return found
}

// commasToPoints replaces decimal commas by points. Some programs write decimal commas if the user's language has them.
// The text is changed only if no number has a point, and each number has at most one comma, between digits.
func commasToPoints(words []byte) []byte {
	if bytes.IndexByte(words, ',') < 0 || bytes.IndexByte(words, '.') >= 0 {
		return words
	}
	for word := range bytes.FieldsSeq(words) {
		i := bytes.IndexByte(word, ',')
		if i >= 0 && (i == 0 || i == len(word)-1 || word[i-1]-'0' > 9 || word[i+1]-'0' > 9 || bytes.IndexByte(word[i+1:], ',') >= 0) {
			return words
		}
	}
	return bytes.ReplaceAll(words, []byte(","), []byte("."))
}
