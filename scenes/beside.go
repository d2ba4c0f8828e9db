package scenes

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"
)

// errNoFolder says that an input has no folder, as a stream has none.
var errNoFolder = errors.New("the input has no folder to look in")

// OpenBeside opens a file that the mesh names, in the folder of the mesh or below
// it. It never opens a file outside, whatever the name and wherever links point to,
// and fetches nothing over a network. Backslashes separate folders too. Where no file
// has exactly this name, OpenBeside opens one whose name differs in case alone. Errors
// do not contain the name; the caller's message has it.
func (in *Input) OpenBeside(name string) (fs.File, error) {
	name = path.Clean(strings.ReplaceAll(name, `\`, "/"))
	if remote(name) {
		return nil, errors.New("it is an address, and nothing is fetched")
	}
	if !fs.ValidPath(name) || name == "." {
		return nil, errors.New("it is not in the folder of the mesh")
	}
	folder := in.Options.Beside
	if folder == nil {
		if in.folder == "" {
			return nil, errNoFolder
		}
		root, err := os.OpenRoot(in.folder)
		if err != nil {
			return nil, err
		}
		defer root.Close()
		folder = root.FS()
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
		return nil, cause(err)
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is not a regular file")
	}
	f, err := folder.Open(name)
	return f, cause(err)
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
		found := ""
		for _, other := range in.list(folder, at) {
			if other == part {
				found = other
				break
			}
			if strings.EqualFold(other, part) && (found == "" || other < found) {
				found = other
			}
		}
		if found == "" {
			return ""
		}
		at = path.Join(at, found)
	}
	return at
}

// list returns the names in a folder, as far as maxListed leaves room. Each folder is read once.
func (in *Input) list(folder fs.FS, name string) []string {
	if names, ok := in.listed[name]; ok {
		return names
	}
	room := maxListed - in.names
	if room <= 0 {
		return nil
	}
	if in.listed == nil {
		in.listed = make(map[string][]string)
	}
	in.names++ // folders count too
	in.listed[name] = nil
	// Opening a pipe would wait.
	if info, err := fs.Stat(folder, name); err != nil || !info.IsDir() {
		return nil
	}
	f, err := folder.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	dir, ok := f.(fs.ReadDirFile)
	if !ok {
		return nil
	}
	entries, _ := dir.ReadDir(room)
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = path.Base(strings.ReplaceAll(e.Name(), `\`, "/")) // as archives have them
	}
	in.listed[name], in.names = names, in.names+len(names)
	return names
}

// cause returns the error of the system alone.
func cause(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
