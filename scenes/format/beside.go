package format

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"
	"unicode"

	"lockstep/scenes"
)

// errNoFolder says that an input has no folder, as a stream has none.
var errNoFolder = errors.New("the input has no folder to look in")

// OpenBeside opens a file that the mesh names, in the folder of the mesh or below
// it. It never opens a file outside, whatever the name and wherever links point to,
// and fetches nothing over a network. Backslashes separate folders too. Where no file
// has exactly this name, OpenBeside opens one whose name differs in case alone. Errors
// do not contain the name; the caller's message has it.
func (in *Input) OpenBeside(name string) (fs.File, error) {
	name, err := in.FindBeside(name)
	if err != nil {
		return nil, err
	}
	folder, err := in.folderBeside()
	if err != nil {
		return nil, err
	}
	f, err := folder.Open(name)
	return f, cause(err)
}

// FindBeside returns the name in its folder, as it is, of the file that OpenBeside opens.
// Names of the same file have the same result, so that what is read of it can be kept.
func (in *Input) FindBeside(name string) (string, error) {
	if found, ok := in.found[name]; ok {
		return found.name, found.err
	}
	found, err := in.find(name)
	if len(in.found) < maxListed && len(name) <= maxKeptName {
		if in.found == nil {
			in.found = make(map[string]foundFile)
		}
		in.found[name] = foundFile{found, err}
	}
	return found, err
}

// foundFile is what became of the search for a file.
type foundFile struct {
	name string
	err  error
}

// maxKeptName is the length of names whose search is kept: no system has longer ones.
const maxKeptName = 4096

func (in *Input) find(name string) (string, error) {
	name = path.Clean(strings.ReplaceAll(name, `\`, "/"))
	if remote(name) {
		return "", errors.New("it is an address, and nothing is fetched")
	}
	if !fs.ValidPath(name) || name == "." {
		return "", errors.New("it is not in the folder of the mesh")
	}
	folder, err := in.folderBeside()
	if err != nil {
		return "", err
	}
	// Opening a pipe would wait for a writer.
	info, err := fs.Stat(folder, name)
	if errors.Is(err, fs.ErrNotExist) {
		if other := in.anyCase(folder, name); other != "" {
			name = other
			info, err = fs.Stat(folder, name)
		}
	}
	if err != nil {
		return "", cause(err)
	}
	if !info.Mode().IsRegular() {
		return "", errors.New("it is not a regular file")
	}
	return name, nil
}

// folderBeside returns the folder of the mesh, which stays open until closeFolder.
func (in *Input) folderBeside() (fs.FS, error) {
	switch {
	case in.Options.Beside != nil:
		return in.Options.Beside, nil
	case in.folder == "":
		return nil, errNoFolder
	case in.root == nil:
		root, err := os.OpenRoot(in.folder)
		if err != nil {
			return nil, err
		}
		in.root = root
	}
	return in.root.FS(), nil
}

// closeFolder ends the use of the folder of the mesh.
func (in *Input) closeFolder() {
	if in.root != nil {
		in.root.Close()
		in.root = nil
	}
}

// CountBeside counts bytes that are read of files beside the mesh, before they are. Those of an archive
// may be no more than its mesh; the error is a *scenes.LimitError.
func (in *Input) CountBeside(bytes int64) error {
	in.beside += bytes
	if most := freeExpansion + maxExpansion*in.own(); in.packed != nil && in.beside > most {
		return &scenes.LimitError{File: in.Options.Name, Unit: "bytes of files beside it in the archive", Want: in.beside, Limit: most, Fixed: true}
	}
	return nil
}

// own returns how many bytes the user has given: those that were read of the file and of files beside it, or of the
// packed file that they are in.
func (in *Input) own() int64 {
	if in.packed != nil {
		return in.packed.outer.own()
	}
	return max(in.done, in.Size) + in.beside
}

// remote reports whether a name is an address such as http://host/name. path.Clean has
// left one of its slashes. A single letter before the colon names a drive.
func remote(name string) bool {
	scheme, _, ok := strings.Cut(name, ":/")
	if !ok || len(scheme) < 2 || strings.EqualFold(scheme, "file") {
		return false
	}
	for _, c := range strings.ToLower(scheme) {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && !strings.ContainsRune("+-.", c) {
			return false
		}
	}
	return true
}

// maxListed is how many names of folders are kept, to find files by names in other case.
const maxListed = 1 << 14

// anyCase returns the name of a file that differs from name in case alone; empty if there
// is none. Of several it is the one that sorts first.
func (in *Input) anyCase(folder fs.FS, name string) string {
	at := "."
	for part := range strings.SplitSeq(name, "/") {
		l := in.list(folder, at)
		if !l.exact[part] {
			if part = l.folded[foldCase(part)]; part == "" {
				return ""
			}
		}
		at = path.Join(at, part)
	}
	return at
}

// A listing is the names in a folder.
type listing struct {
	exact  map[string]bool
	folded map[string]string // the first by its name in one case
}

// foldCase returns what names have in common that strings.EqualFold takes for the same.
func foldCase(name string) string {
	return strings.Map(func(c rune) rune {
		least := c
		for other := unicode.SimpleFold(c); other != c; other = unicode.SimpleFold(other) {
			least = min(least, other)
		}
		return least
	}, name)
}

// list returns the names in a folder, as far as maxListed leaves room. Each folder is read once.
func (in *Input) list(folder fs.FS, name string) listing {
	if l, ok := in.listed[name]; ok {
		return l
	}
	room := maxListed - in.names
	if room <= 0 {
		return listing{}
	}
	if in.listed == nil {
		in.listed = make(map[string]listing)
	}
	in.names++ // folders count too
	in.listed[name] = listing{}
	// Opening a pipe would wait.
	if info, err := fs.Stat(folder, name); err != nil || !info.IsDir() {
		return listing{}
	}
	f, err := folder.Open(name)
	if err != nil {
		return listing{}
	}
	defer f.Close()
	dir, ok := f.(fs.ReadDirFile)
	if !ok {
		return listing{}
	}
	entries, _ := dir.ReadDir(room)
	l := listing{make(map[string]bool, len(entries)), make(map[string]string, len(entries))}
	for _, e := range entries {
		one := path.Base(strings.ReplaceAll(e.Name(), `\`, "/")) // as archives have them
		l.exact[one] = true
		if key := foldCase(one); l.folded[key] == "" || one < l.folded[key] {
			l.folded[key] = one
		}
	}
	in.listed[name], in.names = l, in.names+len(entries)
	return l
}

// cause returns the error of the system alone.
func cause(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	// Package os has no name for the error of a link that leads out of a root.
	if err != nil && err.Error() == "path escapes from parent" {
		return errors.New("a link leads out of the folder of the mesh")
	}
	return err
}
