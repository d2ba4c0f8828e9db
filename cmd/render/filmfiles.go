package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"lockstep/cluster"
)

// Nodes that share no folder with the command get the files of a film by way of the server,
// when they ask for them, and hand their pictures in there.

// A filmFile is where a file of a film is on the command's machine. A node that finds the
// same there, by size and time, takes it.
type filmFile struct {
	Path string `json:"path"`
	Time int64  `json:"time"` // of the last change, in nanoseconds since 1970
}

// fileFlags are the flags of render film whose values are files that nodes read.
var fileFlags = []string{"--config", "--keyframes", "--camera"}

// mapFiles returns arguments with the values of fileFlags replaced.
func mapFiles(args []string, replace func(flag, name string) string) []string {
	args = slices.Clone(args)
	for i, arg := range args {
		for _, flag := range fileFlags {
			if name, ok := strings.CutPrefix(arg, flag+"="); ok {
				args[i] = flag + "=" + replace(flag, name)
			} else if arg == flag && i+1 < len(args) {
				args[i+1] = replace(flag, args[i+1])
			}
		}
	}
	return args
}

// describeFiles returns the files that nodes need, the mesh first, and where they are here.
func (c *filmCommand) describeFiles(ctx context.Context, frames *filmFrames, args []string) (files []cluster.File, local []filmFile, err error) {
	add := func(folder, name, place string) {
		if err != nil {
			return
		}
		var f cluster.File
		var l filmFile
		if f, l, err = describeFile(ctx, path.Join(folder, filepath.ToSlash(name)), place); err == nil {
			files, local = append(files, f), append(local, l)
		}
	}
	if !strings.HasPrefix(string(c.Mesh), sceneScheme) {
		mesh := string(c.Mesh)
		add(meshFolder, filepath.Base(mesh), mesh)
		for _, name := range frames.in.beside {
			add(meshFolder, name, filepath.Join(filepath.Dir(mesh), name))
		}
	}
	mapFiles(args, func(flag, name string) string {
		add(strings.TrimPrefix(flag, "--"), filepath.Base(name), name)
		return name
	})
	return files, local, err
}

// meshFolder is the folder, in that of a film's files, of the mesh and the files that it names.
const meshFolder = "mesh"

func describeFile(ctx context.Context, name, place string) (cluster.File, filmFile, error) {
	in, err := os.Open(place)
	if err != nil {
		return cluster.File{}, filmFile{}, inputf("%w", err)
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return cluster.File{}, filmFile{}, inputf("%w", err)
	}
	f, err := cluster.Describe(ctx, name, in)
	if err != nil {
		return f, filmFile{}, err
	}
	place, err = filepath.Abs(place)
	return f, filmFile{place, info.ModTime().UnixNano()}, err
}

// tokenName is the file, in a film's folder of its own, by which nodes find out that they
// share the folder with the command.
const tokenName = "shared"

// keptToken returns the random word in the folder of a film.
func (a *app) keptToken(folder string) (string, error) {
	return a.keptRandom(filepath.Join(folder, officeName, tokenName))
}

// keptRandom returns the random word in a file, which it makes if it is missing.
func (a *app) keptRandom(name string) (string, error) {
	if text, err := os.ReadFile(name); err == nil && len(text) > 0 {
		return strings.TrimSpace(string(text)), nil
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return "", outputf("%w", err)
	}
	random := make([]byte, 16)
	if _, err := rand.Read(random); err != nil {
		return "", err
	}
	word := hex.EncodeToString(random)
	return word, a.keep(name, word)
}

// apart reports whether this machine does not have the command's folder of pictures.
func (s *filmSpec) apart() bool {
	text, err := os.ReadFile(filepath.Join(s.Pictures, officeName, tokenName))
	return err != nil || strings.TrimSpace(string(text)) != s.Token
}

// hasFiles reports whether the films' files are here as they are on the command's machine.
func (s *filmSpec) hasFiles(files []cluster.File) bool {
	for i, f := range s.Files {
		info, err := os.Stat(f.Path)
		if err != nil || info.ModTime().UnixNano() != f.Time || i < len(files) && info.Size() != files[i].Size {
			return false
		}
	}
	return true
}

// pollTime is between two looks whether something has come.
const pollTime = 300 * time.Millisecond

// sendFiles sends the files of a film when nodes ask for them, until ctx ends.
func (r *reel) sendFiles(ctx context.Context, job cluster.Job) {
	var spec filmSpec
	if err := json.Unmarshal(job.Spec, &spec); err != nil {
		return // it is this command's own
	}
	said := ""
	for len(job.Files) > 0 {
		if err := r.sendWanted(ctx, job, spec.Files); err != nil && ctx.Err() == nil && err.Error() != said {
			said = err.Error()
			r.app.warn("the film's files cannot be sent to nodes: %v", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pollTime):
		}
	}
}

// sendWanted uploads the mesh and its files when a node has asked for them, unless the server
// has them already.
func (r *reel) sendWanted(ctx context.Context, job cluster.Job, local []filmFile) error {
	try, cancel := context.WithTimeout(ctx, tryTime)
	defer cancel()
	wanted, err := r.cluster.Wanted(try, job)
	if err != nil || !wanted {
		return nil // the server may be on its way back
	}
	for i := range job.Files {
		f := &job.Files[i]
		if missing, err := r.cluster.Missing(try, f); err != nil || !missing {
			continue
		}
		in, err := os.Open(local[i].Path)
		if err != nil {
			return err
		}
		err = r.cluster.Upload(ctx, f, in)
		in.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// fetch writes the picture of a node that shares no folder with this command. One that is
// gone, as when an earlier command fetched it, is left to damaged.
func (r *reel) fetch(ctx context.Context, k int, d *cluster.Done) error {
	if have, err := os.ReadFile(r.names.name(k)); err == nil && cluster.Hash(have) == d.Hash {
		return nil
	}
	picture, err := r.cluster.Picture(ctx, r.job, k, d)
	if errors.Is(err, cluster.ErrMissing) {
		return nil
	}
	if err != nil {
		return err
	}
	if _, err := r.own.Keep(ctx, k, picture); err != nil {
		return err
	}
	try, cancel := context.WithTimeout(ctx, tryTime)
	defer cancel()
	_ = r.cluster.Fetched(try, r.job, k) // what stays is removed with the film
	return ctx.Err()
}

// recordFS is a folder that knows which of its files were opened.
type recordFS struct {
	fs.FS
	opened map[string]bool
}

// Open implements fs.FS.
func (r recordFS) Open(name string) (fs.File, error) {
	f, err := r.FS.Open(name)
	if err != nil {
		return nil, err
	}
	// Folders are opened to find names in other case.
	if info, err := f.Stat(); err == nil && !info.IsDir() {
		r.opened[name] = true
	}
	return f, nil
}
