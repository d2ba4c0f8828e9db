package cluster

import (
	"crypto/sha256"
	"fmt"
)

// A File is a file by its contents.
type File struct {
	Name  string `json:"name"` // the users' business
	Size  int64  `json:"size"` // bytes
	Parts []Part `json:"parts"`
}

// A Part is a piece of a file.
type Part struct {
	Hash string `json:"hash"` // SHA-256, in hexadecimal digits
	Size int64  `json:"size"` // bytes, at most PartBytes
}

// check refuses files that cannot be what Describe returns.
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

// PartBytes is the size of all parts of a file but its last.
const PartBytes = 64 << 20
