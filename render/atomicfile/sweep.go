package atomicfile

import (
	"os"
	"path/filepath"
	"strings"
)

// orphanBatch is the number of names that are read from a folder at a time.
const orphanBatch = 512

// removeOrphans removes the temporary files in folder whose process has ended. It takes about a microsecond for each
// file in the folder. It ignores files that it is not permitted to remove.
func removeOrphans(folder string) {
	d, err := os.Open(folder)
	if err != nil {
		return
	}
	defer d.Close()
	for err == nil {
		var found []string
		found, err = d.Readdirnames(orphanBatch)
		for _, name := range found {
			if strings.HasPrefix(name, prefix) && strings.HasSuffix(name, suffix) {
				removeOrphan(filepath.Join(folder, name))
			}
		}
	}
}

// leadsTo reports whether name is still a name of the open file f.
func leadsTo(name string, f *os.File) bool {
	there, err := os.Lstat(name)
	if err != nil {
		return false
	}
	opened, err := f.Stat()
	return err == nil && os.SameFile(there, opened)
}
