package prepared

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// A list is an array in the JSON description. A decoded element may need many times the memory of its text. Therefore a
// list of n elements is refused if its text is shorter than the text of n zero elements.
type list[T any] []T

// memoryShare is the greatest ratio between the memory for a decoded description and the size of its text. It covers
// the elements, growing lists, and the results that readers return. Materials with empty finishes need the most.
const memoryShare = 24

// UnmarshalJSON reads the elements. It returns an error if the text of the n elements is shorter than the text of n
// zero elements.
func (l *list[T]) UnmarshalJSON(data []byte) error {
	*l = nil
	if string(data) == "null" {
		return nil
	}
	var zero T
	shortest, err := json.Marshal(zero)
	if err != nil {
		return err
	}
	from := json.NewDecoder(bytes.NewReader(data))
	if t, err := from.Token(); err != nil || t != json.Delim('[') {
		return errors.Join(errors.New("expected a list"), err)
	}
	for from.More() {
		if int64(len(*l)+1)*int64(len(shortest)) > int64(len(data)) {
			return fmt.Errorf("elements of a list of %d bytes have less than %d each", len(data), len(shortest))
		}
		var one T
		if err := from.Decode(&one); err != nil {
			return err
		}
		*l = append(*l, one)
	}
	return nil
}

// countConvertedCopies returns how many converted copies of each section the mesh needs, by the index of the section.
// Indices and fields need none, because they are used as they are read.
func (a *attributes) countConvertedCopies() map[int]int {
	copies := make(map[int]int)
	for _, at := range []int{a.Normals.Values, a.Colors.Values, a.TexCoords.Values, a.TexCoords2.Values, a.MaterialOf} {
		copies[at]++
	}
	for _, p := range a.Pictures {
		copies[p.Pixels]++
	}
	return copies
}
