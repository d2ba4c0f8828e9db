package pictureflags

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"lockstep/internal/smallfile"
)

// readJSON decodes a JSON file that holds one value. Its errors state the line and column in words for users.
func readJSON(text []byte, value any) error {
	d := json.NewDecoder(bytes.NewReader(smallfile.TrimBOM(text)))
	d.DisallowUnknownFields()
	err := d.Decode(value)
	if err == nil {
		end := d.InputOffset()
		if _, err := d.Token(); err != io.EOF {
			return fmt.Errorf("%s: expected nothing more", lineAndColumn(text, end+1))
		}
		return nil
	}
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%s: the file ends too early", lineAndColumn(text, int64(len(text))))
	case errors.As(err, &syntax):
		return fmt.Errorf("%s: %w", lineAndColumn(text, syntax.Offset), err)
	case errors.As(err, &kind):
		what := "value"
		if kind.Field != "" {
			what = kind.Field
		}
		return fmt.Errorf("%s: %s: cannot be a JSON %s", lineAndColumn(text, kind.Offset), what, kind.Value)
	}
	return errors.New(strings.TrimPrefix(err.Error(), "json: "))
}

// lineAndColumn returns the line and column of the byte before offset, in words.
func lineAndColumn(text []byte, offset int64) string {
	before := text[:min(max(offset-1, 0), int64(len(text)))]
	return fmt.Sprintf("line %d, column %d", 1+bytes.Count(before, []byte("\n")), len(before)-bytes.LastIndexByte(before, '\n'))
}

// A jsonPoint is a point in space in a JSON file: exactly three numbers.
type jsonPoint [3]float64

// UnmarshalJSON implements json.Unmarshaler.
func (p *jsonPoint) UnmarshalJSON(text []byte) error {
	var v []*float64
	if err := json.Unmarshal(text, &v); err != nil || len(v) != len(p) || v[0] == nil || v[1] == nil || v[2] == nil {
		return fmt.Errorf("%s: expected three numbers, [X, Y, Z]", text)
	}
	for i := range p {
		p[i] = *v[i]
	}
	return nil
}
