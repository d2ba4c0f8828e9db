package film

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"lockstep/cluster"
	"lockstep/render/recipe"
)

// A film's pictures depend on its recipe and on the contents of files: the meshes, the materials, textures and
// buffers that these name. The submitter notes all of them while it reads the film as a node
// would. It names the film by their contents, and nodes on other machines get copies. A node on the same machine
// notes them too: each must be as it was when the submitter read its contents.

// A source is a file that pictures depend on, as it was before it was read.
type source struct {
	Name string // in the folder of a film's files
	fileLocation
	Size int64
}

// openedFiles are the files that a command has opened to draw. A nil one notes nothing.
type openedFiles struct {
	mu    sync.Mutex
	files map[string]source // by Name
}

// note notes a file under its name in a folder of a film's files.
func (o *openedFiles) add(name, at string, info fs.FileInfo) {
	if o == nil {
		return
	}
	if abs, err := filepath.Abs(at); err == nil {
		at = abs
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if _, known := o.files[name]; !known {
		o.files[name] = source{name, fileLocation{at, info.ModTime().UnixNano()}, info.Size()}
	}
}

// list returns the files by their names.
func (o *openedFiles) list() (files []source) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, f := range o.files {
		files = append(files, f)
	}
	slices.SortFunc(files, func(a, b source) int { return strings.Compare(a.Name, b.Name) })
	return files
}

// sourceState describes files without reading them, so that one that was replaced is noticed.
func sourceState(files []source) string { return sumOf(files) }

// describeSources reads the files once and returns what they hold.
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

// describeSource reads a file, which must still be the one that was opened to draw.
func describeSource(ctx context.Context, f source) (contents cluster.File, err error) {
	in, err := os.Open(f.Path)
	if err != nil {
		return contents, damaged("%w", err)
	}
	defer in.Close()
	if contents, err = cluster.HashFile(ctx, f.Name, in); err != nil {
		return contents, err
	}
	info, err := in.Stat()
	if err != nil {
		return contents, damaged("%w", err)
	}
	if info.Size() != f.Size || info.ModTime().UnixNano() != f.Time {
		return contents, damaged("%s: is changed while the film begins", f.Path)
	}
	return contents, nil
}

// sumOf returns the hash of a value.
func sumOf(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("film: %T cannot be written: %v", v, err)) // texts and numbers can
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// damaged returns the error of a file that cannot be read.
func damaged(format string, args ...any) error {
	return &recipe.Error{Kind: recipe.Damaged, Err: fmt.Errorf(format, args...)}
}
