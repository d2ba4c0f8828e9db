package format

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"unicode"

	"lockstep/scenes"
)

// errNoFolder is the error for an input that is not in a folder, such as a stream. There are no files beside such an
// input.
var errNoFolder = errors.New("the input has no folder to look in")

// OpenBeside opens a file that the mesh names. The file must be in the folder of the mesh or below it. Other files are
// never opened, whatever the name contains and wherever links lead. The network is not used. A backslash separates
// folders like a slash. If no file has exactly this name, OpenBeside opens a file whose name differs only in case.
// Errors do not contain the name, because the caller adds it to the message.
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
	return f, systemError(err)
}

// FindBeside returns the name, relative to the folder of the mesh, of the file that OpenBeside opens for name. It is
// the same for all spellings of the name, so callers can use it as the key of a cache.
func (in *Input) FindBeside(name string) (string, error) {
	if found, ok := in.found[name]; ok {
		return found.name, found.err
	}
	found, err := in.findFile(name)
	if len(in.found) < maxListed && len(name) <= maxKeptName {
		if in.found == nil {
			in.found = make(map[string]foundFile)
		}
		in.found[name] = foundFile{found, err}
	}
	return found, err
}

// A foundFile is the result of a search for a file.
type foundFile struct {
	name string
	err  error
}

// maxKeptName is the length of the longest names for which search results are stored. No system has longer names.
const maxKeptName = 4096

func (in *Input) findFile(name string) (string, error) {
	name = path.Clean(strings.ReplaceAll(name, `\`, "/"))
	if isURL(name) {
		return "", errors.New("it is an address, and nothing is fetched")
	}
	if !fs.ValidPath(name) || name == "." {
		return "", errors.New("it is not in the folder of the mesh")
	}
	folder, err := in.folderBeside()
	if err != nil {
		return "", err
	}
	if in.isMissing(name) {
		return "", in.notExistErr
	}
	// Stat is called before Open, because opening a pipe would wait for a writer.
	info, err := fs.Stat(folder, name)
	if errors.Is(err, fs.ErrNotExist) {
		in.notExistErr = systemError(err)
		if other := in.findFold(folder, name); other != "" {
			name = other
			info, err = fs.Stat(folder, name)
		}
	}
	if err != nil {
		return "", systemError(err)
	}
	if !info.Mode().IsRegular() {
		return "", errors.New("it is not a regular file")
	}
	return name, nil
}

// folderBeside returns the folder of the mesh. The folder stays open until closeFolder is called.
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

// closeFolder closes the folder of the mesh if it is open.
func (in *Input) closeFolder() {
	if in.root != nil {
		in.root.Close()
		in.root = nil
	}
}

// CountBeside counts bytes of files beside the mesh. A caller must call it before it reads such a file. If the mesh is
// in an archive and the bytes exceed the limit for unpacked data, the error is a *scenes.LimitError.
func (in *Input) CountBeside(bytes int64) error {
	in.besideBytes += bytes
	if most := freeExpansion + maxExpansion*in.providedBytes(); in.packed != nil && in.besideBytes > most {
		return &scenes.LimitError{File: in.Options.Name, Unit: "bytes of files beside it in the archive", Want: in.besideBytes, Limit: most, Fixed: true}
	}
	return nil
}

// providedBytes returns the number of bytes that the user has provided: the input, and the files beside it that were
// read. If the input is packed, the packed size counts.
func (in *Input) providedBytes() int64 {
	if in.packed != nil {
		return in.packed.outer.providedBytes()
	}
	return max(in.done, in.Size) + in.besideBytes
}

// isURL reports whether name is an address such as http://host/name. It looks for only one slash after the colon,
// because path.Clean has removed the second. If there is a single letter before the colon, the letter is the name of
// a drive, not of a protocol.
func isURL(name string) bool {
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

// maxListed is the greatest number of file names that are stored for searches that ignore case.
const maxListed = 1 << 14

// isMissing reports whether a file certainly does not exist. It is true only if the folder of the file was listed
// before. For some names isMissing is always false, because a system may list their files under other names. Such
// names are short names with a tilde on Windows, and names with accents on macOS.
func (in *Input) isMissing(name string) bool {
	l, ok := in.listed[path.Dir(name)]
	if !ok || !l.complete || strings.ContainsFunc(name, func(c rune) bool { return c == '~' || c > unicode.MaxASCII }) {
		return false
	}
	base := path.Base(name)
	return !l.exact[base] && l.folded[foldCase(base)] == ""
}

// findFold returns the name of a file that differs from name only in case, or "" if there is none. If several files
// match, it returns the first in alphabetical order.
func (in *Input) findFold(folder fs.FS, name string) string {
	at := "."
	for part := range strings.SplitSeq(name, "/") {
		l := in.listFolder(folder, at)
		if !l.exact[part] {
			if part = l.folded[foldCase(part)]; part == "" {
				return ""
			}
		}
		at = path.Join(at, part)
	}
	return at
}

// A listing holds the names in a folder.
type listing struct {
	exact    map[string]bool
	folded   map[string]string // names by the result of foldCase; of several names, the first in alphabetical order
	complete bool              // all names in the folder are in folded
}

// foldCase returns a key that is the same for all names that are equal by strings.EqualFold.
func foldCase(name string) string {
	return strings.Map(func(c rune) rune {
		least := c
		for other := unicode.SimpleFold(c); other != c; other = unicode.SimpleFold(other) {
			least = min(least, other)
		}
		return least
	}, name)
}

// listFolder returns the names in the folder called name, at most maxListed. It reads each folder once.
func (in *Input) listFolder(folder fs.FS, name string) listing {
	if l, ok := in.listed[name]; ok {
		return l
	}
	room := maxListed - in.listedNames
	if room <= 0 {
		return listing{}
	}
	if in.listed == nil {
		in.listed = make(map[string]listing)
	}
	in.listedNames++ // the folder itself counts as one name
	in.listed[name] = listing{}
	// Stat is called before Open, because opening a pipe would wait for a writer.
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
	var entries []fs.DirEntry
	for err == nil && len(entries) < room { // a call may return fewer entries than requested
		var some []fs.DirEntry
		some, err = dir.ReadDir(room - len(entries))
		entries = append(entries, some...)
	}
	l := listing{make(map[string]bool, len(entries)), make(map[string]string, len(entries)), err == io.EOF && len(entries) < room}
	for _, e := range entries {
		one := path.Base(strings.ReplaceAll(e.Name(), `\`, "/")) // names in archives may contain backslashes
		l.exact[one] = true
		if key := foldCase(one); l.folded[key] == "" || one < l.folded[key] {
			l.folded[key] = one
		}
	}
	in.listed[name], in.listedNames = l, in.listedNames+len(entries)
	return l
}

// systemError returns the error of the operating system without the operation and the path.
func systemError(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	// Package os exports no error value for a link that leads out of a root. Therefore its text is compared.
	if err != nil && err.Error() == "path escapes from parent" {
		return errors.New("a link leads out of the folder of the mesh")
	}
	return err
}
