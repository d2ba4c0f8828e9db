package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"lockstep/cluster"
	"lockstep/internal/cli"
)

// A film's pictures depend on its flags and on the contents of files: the meshes, the materials, textures and
// buffers that these name, and the files of flags. The command notes all of them while it reads the film as a node
// would. It names the film by their contents, and nodes on other machines get copies. A node on the same machine
// notes them too: each must be as it was when the command read its contents.

// A sourceFile is a file that pictures depend on, as it was before it was read.
type sourceFile struct {
	Name string // in the folder of a film's files
	filmFile
	Size int64
}

// Folders of a film's files: each mesh has one, with the files that it names, and so has each flag.
const (
	meshFolder      = "mesh"
	configFolder    = "config"
	keyframesFolder = "keyframes"
	cameraFolder    = "camera"
)

// addFolder returns the folder of the i-th mesh of --add.
func addFolder(i int) string { return fmt.Sprintf("add-%d", i) }

// openedFiles are the files that a command has opened to draw. A nil one notes nothing.
type openedFiles struct {
	mu    sync.Mutex
	files map[string]sourceFile // by Name
}

// note notes a file under its name in a folder of a film's files.
func (o *openedFiles) note(name, place string, info fs.FileInfo) {
	if o == nil {
		return
	}
	if abs, err := filepath.Abs(place); err == nil {
		place = abs
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if _, known := o.files[name]; !known {
		o.files[name] = sourceFile{name, filmFile{place, info.ModTime().UnixNano()}, info.Size()}
	}
}

// noteFile notes a file that is about to be read, in a folder of its own. Where there is none its reader says so. A
// pipe cannot be read twice.
func (o *openedFiles) noteFile(folder, place string) {
	if info, err := os.Stat(place); err == nil && info.Mode().IsRegular() {
		o.note(path.Join(folder, filepath.Base(place)), place, info)
	}
}

// list returns the files by their names.
func (o *openedFiles) list() (files []sourceFile) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, f := range o.files {
		files = append(files, f)
	}
	slices.SortFunc(files, func(a, b sourceFile) int { return strings.Compare(a.Name, b.Name) })
	return files
}

// sourceState describes files without reading them, so that one that was replaced is noticed.
func sourceState(files []sourceFile) string { return sumOf(files) }

// describeSources reads the files once and returns what they hold.
func describeSources(ctx context.Context, files []sourceFile) (contents []cluster.File, err error) {
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
func describeSource(ctx context.Context, f sourceFile) (contents cluster.File, err error) {
	in, err := os.Open(f.Path)
	if err != nil {
		return contents, cli.Inputf("%w", err)
	}
	defer in.Close()
	if contents, err = cluster.Describe(ctx, f.Name, in); err != nil {
		return contents, err
	}
	info, err := in.Stat()
	if err != nil {
		return contents, cli.Inputf("%w", err)
	}
	if info.Size() != f.Size || info.ModTime().UnixNano() != f.Time {
		return contents, cli.Inputf("%s: is changed while the film begins", f.Path)
	}
	return contents, nil
}

// filmID names a film by what its pictures say of themselves, where they go, and the contents of its files.
func filmID(spec *filmSpec, contents []cluster.File, frames int) string {
	return cluster.JobID([]byte(sumOf([]any{spec.Text, spec.Output, contents})), frames)
}

// sumOf returns the hash of a value.
func sumOf(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("render: %T cannot be written: %v", v, err)) // texts and numbers can
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
