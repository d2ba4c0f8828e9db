package fbx

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"io"
	"math"

	"lockstep/scenes/internal/text"
)

// mostRatio is the greatest factor by which zlib expands data, rounded up for the header of the data.
const mostRatio = 1032

// findNumbers returns where the numbers of a record are:
//   - In a binary file they may be an array. The result array is this array.
//   - In a text they may be words. The result words holds them. In newer files the words belong to the child record
//     called "a", in older files to the record itself.
//   - Otherwise the numbers are the values of the record. Both array and words are then empty.
//
// ok is false if the record has no numbers.
func (n node) findNumbers() (array value, words []byte, ok bool) {
	v := n.value(0)
	switch {
	case v.kind == 0:
		return v, nil, false
	case v.kind >= 'a' && sizeOf(v.kind) > 0:
		return v, nil, true
	case v.kind == '*':
		n = n.child("a")
		if !n.exists() {
			return v, nil, false
		}
	}
	if n.doc.ascii {
		r := &n.doc.nodes[n.i]
		return v, n.doc.data[r.values:r.end], true
	}
	return value{}, nil, true
}

// readNumbers returns the numbers of a record. It converts each number by the function `of`. For a value that is not a
// number, it passes NaN to `of`.
func readNumbers[T float64 | int32](r *reader, n node, of func(v float64) T) (all []T, err error) {
	array, words, ok := n.findNumbers()
	switch {
	case !ok:
		return nil, nil
	case words != nil:
		return readTextNumbers(r, n, words, of)
	case array.kind != 0:
		return readArrayNumbers(r, n, array, of)
	}
	record := &n.doc.nodes[n.i]
	if err := r.Reserve(8 * int64((record.end-record.values)/2+1)); err != nil {
		return nil, err
	}
	for v := range n.values() {
		x, ok := n.float(v)
		if !ok {
			x = math.NaN()
		}
		all = append(all, of(x))
	}
	return all, nil
}

// readTextNumbers reads numbers between commas. A word that is not a number becomes NaN, with a warning.
func readTextNumbers[T float64 | int32](r *reader, n node, words []byte, of func(v float64) T) (all []T, err error) {
	if err := r.Reserve(8 * int64(len(words)/2+1)); err != nil {
		return nil, err
	}
	all = make([]T, 0, len(words)/8+1)
	words = withoutComments(words)
	strange := 0
	for list := text.NumbersOf(words); list.More(); {
		v, ok := list.Float()
		if !ok {
			v = math.NaN()
			strange++
		}
		all = append(all, of(v))
	}
	if strange > 0 {
		return all, r.warn.Add(r.placeOf(n), "%d words of %s are no numbers", strange, n.name())
	}
	return all, nil
}

// withoutComments returns words without the comments, which start with a semicolon and end with the line.
func withoutComments(words []byte) []byte {
	if bytes.IndexByte(words, ';') < 0 {
		return words
	}
	var out []byte
	for line := range bytes.Lines(words) {
		before, _, _ := bytes.Cut(line, []byte(";"))
		out = append(append(out, before...), '\n')
	}
	return out
}

// chunk is the number of bytes of an array that are unpacked at once.
const chunk = 64 << 10

// readArrayNumbers reads an array of a binary file, which may be compressed.
func readArrayNumbers[T float64 | int32](r *reader, n node, array value, of func(v float64) T) (all []T, err error) {
	each := sizeOf(array.kind)
	from := io.Reader(bytes.NewReader(array.raw))
	most := len(array.raw) / each
	if array.zlib {
		if from, err = zlib.NewReader(bufio.NewReader(from)); err != nil {
			return nil, r.warn.Add(r.placeOf(n), "%s left out: its array cannot be unpacked", n.name())
		}
		most = (mostRatio*len(array.raw) + chunk) / each
	}
	count := min(array.n, most)
	if array.zlib {
		if err := r.unpackBudget.Spend(r.in, int64(each*count)); err != nil {
			return nil, err
		}
	}
	if err := r.Reserve(8 * int64(count)); err != nil {
		return nil, err
	}
	all = make([]T, 0, count)
	var room [chunk]byte
	for len(all) < count {
		want := min(chunk/each, count-len(all)) * each
		got, err := io.ReadFull(from, room[:want])
		for at := 0; at+each <= got; at += each {
			all = append(all, of(n.doc.number(array.kind, room[at:])))
		}
		if err != nil {
			break
		}
	}
	if len(all) < array.n {
		return all, r.warn.Add(r.placeOf(n), "%s claims %d numbers and has %d", n.name(), array.n, len(all))
	}
	return all, nil
}

// releaseMemory subtracts the memory of a list that is no longer needed from r.Held.
func releaseMemory[T any](r *reader, list []T) { r.Held -= 8 * int64(len(list)) }

func asFloat(v float64) float64 { return v }

// invalidIndex is an index beyond the end of every list.
const invalidIndex = math.MaxInt32

// asIndex converts v to an index, or to invalidIndex if v is too large or NaN. Negative values stay as they are.
func asIndex(v float64) int32 {
	if !(v >= math.MinInt32 && v < invalidIndex) {
		return invalidIndex
	}
	return int32(v)
}

func (r *reader) floats(n node) ([]float64, error) { return readNumbers(r, n, asFloat) }
func (r *reader) ints(n node) ([]int32, error)     { return readNumbers(r, n, asIndex) }
