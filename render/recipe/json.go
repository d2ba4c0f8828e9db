package recipe

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// Version is the version of the JSON form. A reader refuses higher versions and unknown fields, because ignoring a
// part of a recipe would draw another picture.
const Version = 1

// pictureFields has the fields of a Picture without its methods.
type pictureFields Picture

// MarshalJSON returns the recipe with its version. It leaves out fields with default values.
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

// decodeStrict decodes exactly one JSON value. It returns an error if a field is unknown or if anything follows the
// value.
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

// Hash returns a hash of everything on which the picture depends. It is the hash of the normal form as JSON, in which
// hashes of contents stand for names of files. Contents include materials and textures. Hash reads the meshes.
func (p Picture) Hash(ctx context.Context) (string, error) {
	if err := p.Validate(); err != nil {
		return "", &Error{Unfit, err}
	}
	return p.hash(ctx, new(Drawer))
}

// Hash returns a hash of everything on which the pictures of the animation depend, see Picture.Hash.
func (a Animation) Hash(ctx context.Context) (string, error) {
	if err := a.Validate(); err != nil {
		return "", &Error{Unfit, err}
	}
	d := new(Drawer)
	a = a.Normal()
	var err error
	if a.Picture.Meshes, err = d.withHashes(ctx, a.Picture.Meshes); err != nil {
		return "", err
	}
	if a.More, err = d.withHashes(ctx, a.More); err != nil {
		return "", err
	}
	return hashOf(a)
}

func (p Picture) hash(ctx context.Context, d *Drawer) (string, error) {
	p = p.Normal()
	var err error
	if p.Meshes, err = d.withHashes(ctx, p.Meshes); err != nil {
		return "", err
	}
	return hashOf(p)
}

// hashOf returns the hash of the JSON form of v.
func hashOf(v any) (string, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// withHashes returns copies of the meshes in which a hash of the contents replaces the name of each file.
func (d *Drawer) withHashes(ctx context.Context, meshes []Mesh) ([]Mesh, error) {
	reader := d.reader()
	reader.NoteContents = true
	named := append([]Mesh(nil), meshes...)
	for i := range named {
		m := &named[i]
		if m.IsScene() {
			continue
		}
		if m.File == "-" {
			return nil, errorf(Unfit, "%s: has no contents that could be read twice", Name(m.File))
		}
		opts := d.Read
		opts.Format = m.Format
		in, err := reader.ReadNamed(ctx, m.File, i, false, false, opts)
		if err != nil {
			return nil, ReadError(ctx, m.File, nil, err)
		}
		in.Close()
		if m.File = "sha256:" + in.Contents; in.Contents == UnknownContents {
			return nil, errorf(Unfit, "%s: has no contents that could be read twice", meshes[i].File)
		}
	}
	return named, nil
}

// String returns the recipe as JSON on several lines, for people.
func (p Picture) String() string { return indented(p) }

// String returns the animation as JSON on several lines, for people.
func (a Animation) String() string { return indented(a) }

func indented(v any) string {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Sprintf("%%!v(%v)", err)
	}
	return FlatLists(string(text))
}

// FlatLists puts each list of numbers in a JSON text on one line.
func FlatLists(text string) string {
	return flatLists.ReplaceAllStringFunc(text, func(list string) string {
		return strings.Join(strings.Fields(list), " ")
	})
}

// flatLists matches a list of numbers.
var flatLists = regexp.MustCompile(`\[[-+.0-9eE,\s]+\]`)
