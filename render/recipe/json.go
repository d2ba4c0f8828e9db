package recipe

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// Version is that of the JSON form. A reader refuses higher ones, and fields that it does not know: a picture that
// leaves something out of its recipe would be another picture.
const Version = 1

// plain has the fields of a Picture and not its methods.
type plain Picture

// MarshalJSON returns the recipe with its version. Fields that have their default are left out.
func (p Picture) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Version int `json:"version"`
		plain
	}{Version, plain(p)})
}

// UnmarshalJSON reads a recipe; it refuses unknown fields.
func (p *Picture) UnmarshalJSON(text []byte) error {
	var v struct {
		Version *int `json:"version"`
		plain
	}
	if err := strict(text, &v); err != nil {
		return err
	}
	if err := checkVersion(v.Version); err != nil {
		return err
	}
	*p = Picture(v.plain)
	return nil
}

func checkVersion(version *int) error {
	switch {
	case version == nil:
		return fmt.Errorf("recipe: expected a version")
	case *version != Version:
		return fmt.Errorf("recipe: version %d: expected %d", *version, Version)
	}
	return nil
}

// strict decodes one JSON value without unknown fields, and nothing behind it.
func strict(text []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return fmt.Errorf("recipe: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return fmt.Errorf("recipe: expected nothing behind it")
	}
	return nil
}
