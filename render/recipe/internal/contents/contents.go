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

// Unknown stands for those of pipes and devices, which cannot be read twice. They equal none.
const Unknown = "unknown"

// contentsPart is how much of a file one core hashes at a time.
const contentsPart = 4 << 20

// Of returns a hash of what a mesh file holds and of the files that it names, given by their
// names in its folder. Of names only those count that the mesh itself has.
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

// contentsText returns the hash as it stands in pictures.
func contentsText(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)[:16]) }

// Join returns the contents of several meshes as one.
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

// addFile adds what a file holds to a hash, if it is one that can be read again.
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

// addContents adds what r holds to a hash: its size and the hashes of its parts, on all cores.
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

// Reader returns what reads r, and the hash of what was read. That of a file is that of its contents.
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
