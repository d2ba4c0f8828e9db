package recipe

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// Version is the version of the JSON form. A reader refuses higher versions and unknown fields, because ignoring a part
// of a recipe would give another picture.
const Version = 1

// pictureFields has the fields of a Picture without its methods.
type pictureFields Picture

// MarshalJSON returns the recipe with its version. It leaves out fields that have their default.
func (p Picture) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Version int `json:"version"`
		pictureFields
	}{Version, pictureFields(p)})
}

// UnmarshalJSON reads a recipe. It returns an error if a field is unknown.
func (p *Picture) UnmarshalJSON(text []byte) error {
	var v struct {
		Version *int `json:"version"`
		pictureFields
	}
	if err := decodeStrict(text, &v); err != nil {
		return err
	}
	if err := checkVersion(v.Version); err != nil {
		return err
	}
	*p = Picture(v.pictureFields)
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

// decodeStrict decodes exactly one JSON value. It returns an error if a field is unknown or if anything follows the value.
func decodeStrict(text []byte, v any) error {
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
