package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"lockstep/cluster"
	"lockstep/internal/cli"
	"lockstep/internal/smallfile"
)

// Nodes that share no folder with the command get the files of a film by way of the server,
// when they ask for them, and hand their pictures in there.

// A filmFile is where a file of a film is on the command's machine. A node that finds the
// same there, by size and time, takes it.
type filmFile struct {
	Path string `json:"path"`
	Time int64  `json:"time"` // of the last change, in nanoseconds since 1970
}

// mapConfig returns arguments in which the file of --config is where place says. The other files of flags are
// known once the command line is read, for a configuration may name them.
func mapConfig(args []string, place func(folder, name string) string) []string {
	const flag = "--" + configFolder
	args = slices.Clone(args)
	for i, arg := range args {
		if name, ok := strings.CutPrefix(arg, flag+"="); ok {
			args[i] = flag + "=" + place(configFolder, name)
		} else if arg == flag && i+1 < len(args) {
			args[i+1] = place(configFolder, args[i+1])
		}
	}
	return args
}

// mapFiles has a command read its other files where place says.
func (c *filmCommand) mapFiles(place func(folder, name string) string) {
	if !strings.HasPrefix(string(c.Mesh), sceneScheme) {
		c.Mesh = pathFlag(place(meshFolder, string(c.Mesh)))
	}
	for i := range c.Add {
		if a := &c.Add[i]; !strings.HasPrefix(a.File, sceneScheme) {
			a.File = place(addFolder(i), a.File)
		}
	}
	for folder, name := range map[string]*pathFlag{keyframesFolder: &c.Keyframes, cameraFolder: &c.Camera} {
		if *name != "" && !inlineKeys(string(*name)) {
			*name = pathFlag(place(folder, string(*name)))
		}
	}
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
	if text, err := smallfile.Read(name, smallfile.Words); err == nil && len(text) > 0 {
		return strings.TrimSpace(string(text)), nil
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return "", cli.Outputf("%w", err)
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
	text, err := smallfile.Read(filepath.Join(s.Pictures, officeName, tokenName), smallfile.Words)
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
			r.app.Warn("the film's files cannot be sent to nodes: %v", err)
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
	try, cancel := context.WithTimeout(ctx, cluster.TryTime)
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
	if have, err := smallfile.Read(r.names.Name(k), smallfile.Picture); err == nil && cluster.Hash(have) == d.Hash {
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
	try, cancel := context.WithTimeout(ctx, cluster.TryTime)
	defer cancel()
	_ = r.cluster.Fetched(try, r.job, k) // what stays is removed with the film
	return ctx.Err()
}
