package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"lockstep/internal/framename"
	"lockstep/render/atomicfile"
	"lockstep/render/recipe"
	"lockstep/scenes/procedural"
)

// A Target is a file that a command reads or writes. Two Targets can be compared even if the file has several names.
type Target struct {
	name string // name that the user gave
	// path is the resolved path. It is "-" for standard output and empty for standard input.
	path string
	info fs.FileInfo // nil if the file does not exist
}

// newTarget resolves a file name. The name "-" means standard output.
func newTarget(name string, stdout *os.File) Target {
	t := Target{name: name, path: ResolvePath(name)}
	if name != "-" {
		t.info, _ = os.Stat(name)
	} else if info, err := stdout.Stat(); err == nil {
		t.info = info
	}
	return t
}

// isSameFile reports whether both targets are the same file. Their names may differ: for example, /dev/stdout may be a
// file to which the shell has redirected standard output.
func (t Target) isSameFile(other Target) bool {
	return t.path != "" && t.path == other.path || t.info != nil && other.info != nil && os.SameFile(t.info, other.info)
}

// isShareable reports whether several outputs may be written to the target. This is true for the null device and for
// terminals.
func (t Target) isShareable() bool {
	return t.info != nil && t.info.Mode()&fs.ModeCharDevice != 0
}

// meshTarget returns a list with the mesh's file. The list is empty if no output can replace the mesh. If standard
// input is a file, an output can replace that file, too.
func (a *App) meshTarget(mesh string) []Target {
	switch {
	case strings.HasPrefix(mesh, procedural.Prefix):
		return nil
	case mesh == "-":
		if info, err := a.Stdin.Stat(); err == nil && isReplaceable(info) {
			return []Target{{name: recipe.Name(mesh), info: info}}
		}
		return nil
	}
	t := newTarget(mesh, nil)
	if t.info != nil && !isReplaceable(t.info) {
		return nil
	}
	return []Target{t}
}

// isReplaceable reports whether writing to a file of this kind destroys data. Files and disks hold data. Pipes, sockets
// and terminals do not.
func isReplaceable(info fs.FileInfo) bool {
	return info.Mode()&(fs.ModeNamedPipe|fs.ModeSocket|fs.ModeCharDevice) == 0
}

// CheckTargets returns an error if an output would replace the mesh or another output. Empty names of outputs are
// ignored. It returns the mesh and the outputs as targets.
func (a *App) CheckTargets(mesh string, outputs ...string) ([]Target, error) {
	reserved := a.meshTarget(mesh)
	for _, name := range outputs {
		if name == "" {
			continue
		}
		at := newTarget(name, a.Stdout)
		for _, other := range reserved {
			if err := at.checkClash(other); err != nil {
				return nil, err
			}
		}
		reserved = append(reserved, at)
	}
	return reserved, nil
}

// CheckPrinted returns an error if standard output is the file of the mesh. A shell can open the same file for both.
func (a *App) CheckPrinted(mesh string) error {
	_, err := a.CheckTargets(mesh, "-")
	return err
}

// checkClash returns an error if an output would be written to another target's file.
func (t Target) checkClash(other Target) error {
	switch {
	case t.name == "-" && other.name == "-":
		return Usagef("several outputs are -, and standard output takes one of them: give the others names")
	case t.isShareable() || !t.isSameFile(other):
		return nil
	case t.name == "-":
		return Usagef("standard output: would replace %s: give another name", other.name)
	case other.name == "-":
		return Usagef("%s: is standard output, which another output takes: give another name", t.name)
	}
	return Usagef("%s: would replace %s: give another name", t.name, other.name)
}

// CheckFrames returns an error if the file of a frame would replace one of the reserved files. It follows links, so it
// also finds a frame that is a link to a reserved file.
func CheckFrames(n *framename.Names, frames int, reserved []Target) error {
	clash := func(k int, t Target) error {
		return Usagef("%s: frame %d would replace %s: give another name", n.Output, k, t.name)
	}
	for _, t := range reserved {
		if k, ok := n.Number(filepath.Base(t.path), frames); ok && t.isSameFile(newTarget(n.Name(k), nil)) {
			return clash(k, t)
		}
	}
	if len(reserved) == 0 {
		return nil
	}
	// ReadDir fails if there is no such folder. The error is ignored, because Names.Prepare returns it.
	entries, _ := os.ReadDir(filepath.Dir(n.Name(0)))
	for _, e := range entries {
		k, ok := n.Number(e.Name(), frames)
		if !ok {
			continue
		}
		at := entryTarget(n, k, e)
		for _, t := range reserved {
			if !at.isShareable() && at.isSameFile(t) {
				return clash(k, t)
			}
		}
	}
	return nil
}

// entryTarget returns the target of frame k, whose file is entry e of its folder. It resolves the name only if e is a
// link, because an animation may have a million frames.
func entryTarget(n *framename.Names, k int, e fs.DirEntry) Target {
	if e.Type()&fs.ModeSymlink != 0 {
		return newTarget(n.Name(k), nil)
	}
	info, _ := e.Info()
	return Target{name: n.Name(k), info: info}
}

// ResolvePath returns the absolute path of name. Symbolic links are resolved as far as the folders exist.
func ResolvePath(name string) string {
	if name == "-" {
		return "-"
	}
	if to, err := atomicfile.FollowLinks(name); err == nil {
		name = to
	}
	abs, err := filepath.Abs(name)
	if err != nil {
		return name
	}
	rest := filepath.Base(abs)
	for folder := filepath.Dir(abs); ; folder = filepath.Dir(folder) {
		if real, err := filepath.EvalSymlinks(folder); err == nil {
			return filepath.Join(real, rest)
		}
		if folder == filepath.Dir(folder) {
			return abs
		}
		rest = filepath.Join(filepath.Base(folder), rest)
	}
}
