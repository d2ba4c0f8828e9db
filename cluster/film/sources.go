package film

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"lockstep/cluster"
	"lockstep/render/recipe"
	"lockstep/scenes/prepared"
)

// A film's pictures depend on its recipe and on files: the meshes, and the materials, textures and buffers that these
// name. The submitter notes all files that it reads while it opens the film. The film's ID depends on their contents.
// Nodes on other machines get copies. A node on the submitter's machine reads the same files, and checks by sizes and
// times that they have not changed.

// A source is a file on which pictures depend, with its size and time before it was read.
type source struct {
	Name string // its name within the folder of the film's files
	fileLocation
	Size int64
}

// openedFiles collects the files that are opened while a film is read. A nil *openedFiles collects nothing.
type openedFiles struct {
	mu    sync.Mutex
	files map[string]source // by name
}

// add notes a file. name is its name within the film's files.
func (o *openedFiles) add(name, path string, info fs.FileInfo) {
	if o == nil {
		return
	}
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if _, known := o.files[name]; !known {
		o.files[name] = source{name, fileLocation{path, info.ModTime().UnixNano()}, info.Size()}
	}
}

// list returns the files, sorted by name.
func (o *openedFiles) list() (files []source) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, f := range o.files {
		files = append(files, f)
	}
	slices.SortFunc(files, func(a, b source) int { return strings.Compare(a.Name, b.Name) })
	return files
}

// sourceState returns a hash of the files' paths, sizes and times, without reading the files. If a file is replaced,
// the hash changes.
func sourceState(files []source) string { return hashJSON(files) }

// describeSources reads all files once and returns their sizes and hashes.
func describeSources(ctx context.Context, files []source) (contents []cluster.File, err error) {
	for _, f := range files {
		c, err := describeSource(ctx, f)
		if err != nil {
			return nil, err
		}
		contents = append(contents, c)
	}
	return contents, nil
}

// describeSource reads a file and returns its size and hashes. It returns an error if the file has changed since the
// film was opened.
func describeSource(ctx context.Context, f source) (contents cluster.File, err error) {
	in, err := openRegular(f.Path)
	if err != nil {
		return contents, err
	}
	defer in.Close()
	hash := cluster.HashFile
	if f.Size >= rangedBytes && isPrepared(in) {
		hash = cluster.HashChunks
	}
	if contents, err = hash(ctx, f.Name, in); err != nil {
		return contents, err
	}
	info, err := in.Stat()
	if err != nil {
		return contents, damagedError("%w", err)
	}
	if info.Size() != f.Size || info.ModTime().UnixNano() != f.Time {
		return contents, damagedError("%s: is changed while the film begins", f.Path)
	}
	return contents, nil
}

// hasContents reports whether source i is, as described by s, the file of the film that the submitter read. It reads
// the file if its size is right.
func (f *frames) hasContents(ctx context.Context, i int, s source) bool {
	if i >= len(f.contents) || f.contents[i].Name != s.Name || f.contents[i].Size != s.Size {
		return false
	}
	now, err := describeSource(ctx, s)
	return err == nil && slices.EqualFunc(now.Parts, f.contents[i].Parts, samePart)
}

// haveContents reports whether all sources are the files of the film that the submitter read.
func (f *frames) haveContents(ctx context.Context) bool {
	for i, s := range f.sources {
		if !f.hasContents(ctx, i, s) {
			return false
		}
	}
	return len(f.sources) == len(f.contents)
}

// rangedBytes is the size from which a file of a prepared mesh is ranged: nodes fetch only the chunks that they read.
// Up to 8 chunks of 1 MiB are in transit at a time. A smaller file fits into these 8 chunks, so the whole file arrives
// about as quickly as a few chunks.
const rangedBytes = 8 << 20

// isPrepared reports whether a file is a prepared mesh, which begins with a certain mark.
func isPrepared(r io.ReaderAt) bool {
	mark := make([]byte, len(prepared.Mark))
	_, err := r.ReadAt(mark, 0)
	return err == nil && string(mark) == prepared.Mark
}

// openRegular opens a file of a film. If a pipe has replaced the file, it returns an error instead of blocking.
func openRegular(name string) (*os.File, error) {
	in, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, damagedError("%w", err)
	}
	if info, err := in.Stat(); err != nil || !info.Mode().IsRegular() {
		in.Close()
		return nil, damagedError("%s: is changed: it is no regular file now", name)
	}
	return in, nil
}

// hashJSON returns a hash of the JSON encoding of v.
func hashJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		// v consists of texts and numbers, which can be encoded.
		panic(fmt.Sprintf("film: %T cannot be written: %v", v, err))
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// damagedError returns a recipe.Error for a file that cannot be read.
func damagedError(format string, args ...any) error {
	return &recipe.Error{Kind: recipe.Damaged, Err: fmt.Errorf(format, args...)}
}
