package main

import (
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"lockstep/internal/cli"
	"lockstep/internal/framename"
	"lockstep/render/atomicfile"
)

// isFolderName reports whether an output ends with a slash. Such an output can only be a folder.
func isFolderName(output string) bool {
	return strings.HasSuffix(output, "/") || strings.HasSuffix(output, string(filepath.Separator))
}

// pictureNames returns the paths of the pictures of meshes in a folder. A picture has the name of its mesh without the
// extension, such as a.png. If several meshes would get the same name, they get longer names, such as a.stl.png,
// folder_a.png or folder_a.stl.png. So a name depends on the other meshes, but not on their order.
func pictureNames(meshes []string, folder string) ([]string, error) {
	stems, level := make([]string, len(meshes)), make([]int, len(meshes))
	for i, mesh := range meshes {
		if base := framename.Base(mesh); base == "" || base == "." || base == ".." || strings.ContainsRune(base, filepath.Separator) {
			return nil, cli.Usagef("%s has no name to call its picture after", meshName(mesh))
		}
		stems[i] = stemAt(mesh, 0)
	}
	for {
		owners, clash := map[string]int{}, map[int]bool{}
		for i, stem := range stems {
			if k, taken := owners[stem]; taken {
				clash[i], clash[k] = true, true
			}
			owners[stem] = i
		}
		if len(clash) == 0 {
			break
		}
		raised := false
		for i := range meshes {
			if !clash[i] {
				continue
			}
			level[i]++
			if longer := stemAt(meshes[i], level[i]); longer != "" {
				stems[i], raised = longer, true
			}
		}
		for i := range meshes {
			if clash[i] && !raised {
				return nil, cli.Usagef("%s and another mesh would share the picture %s.png", meshes[i], stems[i])
			}
		}
	}
	for i := range stems {
		stems[i] = filepath.Join(folder, stems[i]+".png")
	}
	return stems, nil
}

// pictureFiles returns the paths of the pictures of meshes. A mesh from a subfolder of a folder on the command line has
// its picture in a subfolder of the same name. So the name of a picture depends only on meshes in the same folder.
func pictureFiles(meshes []meshArg, folder string) ([]string, error) {
	at := map[string][]int{} // indices by subfolder
	for i, m := range meshes {
		at[m.subfolder] = append(at[m.subfolder], i)
	}
	files := make([]string, len(meshes))
	for _, under := range slices.Sorted(maps.Keys(at)) {
		var beside []string
		for _, i := range at[under] {
			beside = append(beside, meshes[i].mesh)
		}
		names, err := pictureNames(beside, filepath.Join(folder, under))
		if err != nil {
			return nil, err
		}
		for k, i := range at[under] {
			files[i] = names[k]
		}
	}
	return files, nil
}

// makeFolders creates the folder of all pictures, and then the subfolders in it.
func (b *batch) makeFolders(folder string) error {
	made := map[string]bool{folder: true}
	if err := b.app.Files.MakeFolder(folder); err != nil {
		return err
	}
	for i := range b.items {
		if dir := filepath.Dir(b.items[i].picture); !made[dir] {
			made[dir] = true
			if err := b.app.Files.MakeFolder(dir); err != nil {
				return err
			}
		}
	}
	return nil
}

// stemAt returns the name of a mesh's picture without .png. The name grows with the level: a, a.stl, folder_a,
// folder_a.stl, and so on with one more folder of the path. If the path has too few folders, the result is "".
func stemAt(mesh string, level int) string {
	if scene, ok := strings.CutPrefix(mesh, sceneScheme); ok {
		switch level {
		case 0:
			return framename.Base(mesh)
		case 1:
			return strings.NewReplacer("?", "_", "&", "_", "/", "_", `\`, "_").Replace(scene)
		}
		return ""
	}
	path, err := filepath.Abs(mesh)
	if err != nil {
		path = filepath.Clean(mesh)
	}
	stem := framename.Base(path)
	if level%2 == 1 {
		stem = filepath.Base(path)
	}
	for range level / 2 {
		if path = filepath.Dir(path); path == filepath.Dir(path) {
			return ""
		}
		stem = filepath.Base(path) + "_" + stem
	}
	return stem
}

// checkReplaced returns an error if a picture would replace a mesh of the batch. It also returns an error if two names
// of pictures are links to the same file.
func (b *batch) checkReplaced() error {
	meshes := map[string]bool{}
	var infos []fs.FileInfo
	for i := range b.items {
		if it := &b.items[i]; it.info != nil {
			meshes[cli.ResolvePath(it.mesh)] = true
			infos = append(infos, it.info)
		}
	}
	pictures := map[string]string{}
	for i := range b.items {
		it := &b.items[i]
		info, err := os.Lstat(it.picture)
		if err != nil {
			continue // the picture does not exist yet
		}
		path := it.picture
		if info.Mode()&fs.ModeSymlink != 0 {
			info, _ = os.Stat(path)
		}
		if path = cli.ResolvePath(path); pictures[path] != "" {
			return cli.Usagef("%s and %s are one file: give another folder", pictures[path], it.picture)
		}
		pictures[path] = it.picture
		replaced := meshes[path]
		for _, mesh := range infos {
			replaced = replaced || info != nil && os.SameFile(info, mesh)
		}
		if replaced {
			return cli.Usagef("%s: would replace a mesh: give another folder", it.picture)
		}
	}
	return nil
}

// recordStatistics records the statistics of a mesh, even if the mesh showed nothing. began is the time at which the
// drawing of the mesh started.
func (b *batch) recordStatistics(w *pipeline, it *item, began time.Time) {
	if w.Input == nil {
		return
	}
	w.raiseCosts()
	if b.flags.Stats == "" {
		return
	}
	s := w.statistics(nil)
	s.Seconds.Total = time.Since(began).Seconds() // counts this mesh only, because other renderers draw at the same time
	b.stats[it.number] = &s
}

// printStatistics prints the statistics, one line for each mesh, in the order of the command line.
func (b *batch) printStatistics() error {
	if b.flags.Stats == "" {
		return nil
	}
	b.app.Progress.Clear()
	lines := json.NewEncoder(b.app.Stderr)
	for _, s := range b.stats {
		if s == nil {
			continue
		}
		if err := lines.Encode(s); err != nil {
			return &atomicfile.Error{File: "standard error", Err: err}
		}
	}
	return nil
}
