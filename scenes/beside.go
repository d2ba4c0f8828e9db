package scenes

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
)

// errNoFolder says that an input has no folder, as a stream has none.
var errNoFolder = errors.New("the input has no folder to look in")

// OpenBeside opens a file that the mesh names: of the folder that the mesh is
// in, or below it. Nothing outside is ever opened, whatever the name and
// wherever links point to. Backslashes separate folders too.
func (in *Input) OpenBeside(name string) (fs.File, error) {
	name = path.Clean(strings.ReplaceAll(name, `\`, "/"))
	if !fs.ValidPath(name) || name == "." {
		return nil, fmt.Errorf("%q is not in the folder of the mesh", name)
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
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%q is not a regular file", name)
	}
	return folder.Open(name)
}
