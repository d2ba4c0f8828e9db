package cluster

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
)

// A File describes a file by the hashes of its parts.
type File struct {
	// Name is chosen by the users of this package, who give it a meaning.
	Name  string `json:"name"`
	Size  int64  `json:"size"` // bytes
	Parts []Part `json:"parts"`
}

// A Part is a section of a file.
type Part struct {
	Hash string `json:"hash"` // SHA-256, in hexadecimal digits
	Size int64  `json:"size"` // bytes, at most PartBytes
}

// check returns an error unless f is a value that HashFile can return.
func (f *File) check() error {
	size := int64(0)
	for i, p := range f.Parts {
		if p.Size < 1 || p.Size > PartBytes || i < len(f.Parts)-1 && p.Size != PartBytes || len(p.Hash) != 2*sha256.Size || !validKey(p.Hash) {
			return fmt.Errorf("%s: part %d of %d bytes: %w", f.Name, i, p.Size, errMalformed)
		}
		size += p.Size
	}
	if size != f.Size {
		return fmt.Errorf("%s: parts of %d bytes, not %d: %w", f.Name, size, f.Size, errMalformed)
	}
	return nil
}

// PartBytes is the size of every part of a file except the last, which may be shorter.
const PartBytes = 64 << 20

// HashFile reads r to the end and returns its description under the given name.
func HashFile(ctx context.Context, name string, r io.Reader) (File, error) {
	f := File{Name: name}
	for ctx.Err() == nil {
		h := sha256.New()
		n, err := io.Copy(h, io.LimitReader(r, PartBytes))
		if err != nil {
			return f, fmt.Errorf("%s: %w", name, err)
		}
		if n == 0 {
			return f, nil
		}
		f.Size += n
		f.Parts = append(f.Parts, Part{hex.EncodeToString(h.Sum(nil)), n})
	}
	return f, ctx.Err()
}
