package film

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"lockstep/cluster"
	"lockstep/internal/smallfile"
	"lockstep/render/atomicfile"
)

// Nodes that share no folder with the command get the files of a film by way of the server,
// when they ask for them, and hand their pictures in there.

// A place is where a file of a film is on the command's machine. A node that finds the
// same there, by size and time, takes it.
type place struct {
	Path string `json:"path"`
	Time int64  `json:"time"` // of the last change, in nanoseconds since 1970
}

// tokenName is the file, in a film's folder of its own, by which nodes find out that they
// share the folder with the command.
const tokenName = "shared"

// keptToken returns the random word in the folder of a film.
func keptToken(folder string) (string, error) {
	return KeptRandom(filepath.Join(folder, Folder, tokenName))
}

// KeptRandom returns the random word in a file, which it makes if it is missing.
func KeptRandom(name string) (string, error) {
	if text, err := smallfile.Read(name, smallfile.Words); err == nil && len(text) > 0 {
		return strings.TrimSpace(string(text)), nil
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return "", atomicfile.Failure(err)
	}
	random := make([]byte, 16)
	if _, err := rand.Read(random); err != nil {
		return "", err
	}
	word := hex.EncodeToString(random)
	return word, keep(name, word)
}

// apart reports whether this machine does not have the command's folder of pictures.
func (s *spec) apart() bool {
	text, err := smallfile.Read(filepath.Join(s.Pictures, Folder, tokenName), smallfile.Words)
	return err != nil || strings.TrimSpace(string(text)) != s.Token
}

// hasFiles reports whether the films' files are here as they are on the command's machine.
func (s *spec) hasFiles(files []cluster.File) bool {
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
func (s *Submission) sendFiles(ctx context.Context, job cluster.Job) {
	spec, err := readSpec(job)
	if err != nil {
		return // it is this program's own
	}
	said := ""
	for len(job.Files) > 0 {
		if err := s.sendWanted(ctx, job, spec.Files); err != nil && ctx.Err() == nil && err.Error() != said {
			said = err.Error()
			s.warn("the film's files cannot be sent to nodes: %v", err)
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
func (s *Submission) sendWanted(ctx context.Context, job cluster.Job, local []place) error {
	try, cancel := context.WithTimeout(ctx, cluster.TryTime)
	defer cancel()
	wanted, err := s.cluster.Wanted(try, job)
	if err != nil || !wanted {
		return nil // the server may be on its way back
	}
	for i := range job.Files {
		f := &job.Files[i]
		if missing, err := s.cluster.Missing(try, f); err != nil || !missing {
			continue
		}
		in, err := os.Open(local[i].Path)
		if err != nil {
			return err
		}
		err = s.cluster.Upload(ctx, f, in)
		in.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// fetch writes the picture of a node that shares no folder with this command. One that is
// gone, as when an earlier command fetched it, is left to damaged.
func (s *Submission) fetch(ctx context.Context, k int, d *cluster.Done) error {
	if have, err := smallfile.Read(s.names.Name(k), smallfile.Picture); err == nil && cluster.Hash(have) == d.Hash {
		return nil
	}
	picture, err := s.cluster.Picture(ctx, s.job, k, d)
	if errors.Is(err, cluster.ErrMissing) {
		return nil
	}
	if err != nil {
		return err
	}
	if _, err := s.own.Keep(ctx, k, picture); err != nil {
		return err
	}
	try, cancel := context.WithTimeout(ctx, cluster.TryTime)
	defer cancel()
	_ = s.cluster.Fetched(try, s.job, k) // what stays is removed with the film
	return ctx.Err()
}

// Folder is the folder, inside that of the pictures, in which what a film needs is kept until all pictures are there.
const Folder = ".film"

// keep writes a small file that only this user can read.
func keep(name, text string) error {
	if err := os.WriteFile(name+".new", []byte(text+"\n"), 0o600); err != nil {
		return atomicfile.Failure(err)
	}
	return atomicfile.Failure(os.Rename(name+".new", name))
}
