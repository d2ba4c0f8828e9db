package contents

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
)

// Unknown stands for the hash of the contents of pipes and devices, which cannot be read twice. It counts as different
// from all other contents.
const Unknown = "unknown"

// contentsPart is the number of bytes that one core hashes in one task.
const contentsPart = 4 << 20

// Of returns a hash of the contents of a mesh file and of the files that the mesh refers to. `beside` holds the names
// of these files in the folder of the mesh. Their names are part of the hash, but the name of the mesh is not.
func Of(ctx context.Context, mesh string, beside []string) (string, error) {
	all := sha256.New()
	for i, name := range append([]string{mesh}, beside...) {
		if i > 0 {
			io.WriteString(all, name+"\x00")
			name = filepath.Join(filepath.Dir(mesh), name)
		}
		known, err := addFile(ctx, all, name)
		if err != nil {
			return "", err
		}
		if !known {
			return Unknown, nil
		}
	}
	return contentsText(all), nil
}

// contentsText returns the hash in the form for text chunks of pictures.
func contentsText(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)[:16]) }

// Join returns one hash for the contents of several meshes, or Unknown if any of them is unknown.
func Join(all ...string) string {
	if len(all) == 1 {
		return all[0]
	}
	h := sha256.New()
	for _, c := range all {
		if c == Unknown {
			return c
		}
		io.WriteString(h, c+"\x00")
	}
	return contentsText(h)
}

// addFile adds the contents of a file to a hash. It returns false for a pipe or a device, which may not be readable a
// second time.
func addFile(ctx context.Context, all hash.Hash, name string) (known bool, err error) {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return false, err
	}
	f, err := os.Open(name)
	if err != nil {
		return false, err
	}
	defer f.Close()
	return true, addContents(ctx, all, f, info.Size())
}

// addContents adds the contents of r to a hash: the size, and the hashes of parts, which all cores compute.
func addContents(ctx context.Context, all hash.Hash, r io.ReaderAt, size int64) error {
	parts := make([][sha256.Size]byte, (size+contentsPart-1)/contentsPart)
	errs := make([]error, len(parts))
	var next atomic.Int64
	var done sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(parts)) {
		done.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(parts)) && ctx.Err() == nil; i = next.Add(1) - 1 {
				h := sha256.New()
				_, errs[i] = io.Copy(h, io.NewSectionReader(r, i*contentsPart, min(contentsPart, size-i*contentsPart)))
				h.Sum(parts[i][:0])
			}
		})
	}
	done.Wait()
	for _, err := range append(errs, ctx.Err()) {
		if err != nil {
			return err
		}
	}
	binary.Write(all, binary.LittleEndian, size)
	for i := range parts {
		all.Write(parts[i][:])
	}
	return nil
}

// Reader returns a reader that reads r, and a function that returns the hash of all bytes that were read. If r is a
// regular file, the function returns the hash of the whole file.
func Reader(ctx context.Context, r io.Reader) (io.Reader, func() (string, error)) {
	all := sha256.New()
	if f, ok := r.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			return f, func() (string, error) {
				err := addContents(ctx, all, f, info.Size())
				return contentsText(all), err
			}
		}
	}
	return io.TeeReader(r, all), func() (string, error) { return contentsText(all), nil }
}
