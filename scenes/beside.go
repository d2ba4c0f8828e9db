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

// OpenBeside opens a file that the mesh names: of the folder that the mesh is
// in, or below it. Nothing outside is ever opened, whatever the name and
// wherever links point to. Backslashes separate folders too. Errors leave out the
// name, which the message about them has.
func (in *Input) OpenBeside(name string) (fs.File, error) {
	name = path.Clean(strings.ReplaceAll(name, `\`, "/"))
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
	// Opening a pipe would wait for who writes into it.
	info, err := fs.Stat(folder, name)
	if err != nil {
		return nil, cause(err)
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is not a regular file")
	}
	f, err := folder.Open(name)
	return f, cause(err)
}

// cause returns the error of the system alone.
func cause(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
