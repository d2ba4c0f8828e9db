package prepared

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// A list is an array of a description, whose elements take no less than those that are all zeros. Else a short text could ask
// for many times its size in memory.
type list[T any] []T

// memoryShare bounds how many times as much memory as the text of a description what is made of it takes: an element, as it grows in
// a list, and what readers return of it.
const memoryShare = 12

// UnmarshalJSON reads elements until they are too many for the text.
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
