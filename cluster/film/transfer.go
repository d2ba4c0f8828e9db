package film

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"lockstep/cluster"
	"lockstep/internal/smallfile"
	"lockstep/render/atomicfile"
)

// A node that has no access to the submitter's folder requests the files of the film from the submitter, and uploads
// its pictures to the server.

// A fileLocation is the path and the time of a film's file on the submitter's machine. A node that has a file of the
// same size, time and contents at that path uses its own file.
type fileLocation struct {
	Path string `json:"path"`
	// Time is when the file was last changed, in nanoseconds since 1970.
	Time int64 `json:"time"`
}

// tokenName is the name of a file in the film's hidden folder that contains a random word. A node that finds the
// submitter's word there has access to the submitter's folder.
const tokenName = "shared"

// folderToken returns the random word of a film's folder.
func folderToken(folder string) (string, error) {
	return RandomWord(filepath.Join(folder, Folder, tokenName))
}

// RandomWord returns the random word in a file. It creates the file if it is missing.
func RandomWord(name string) (string, error) {
	if text, err := smallfile.Read(name, smallfile.MaxText); err == nil && len(text) > 0 {
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
	return word, writePrivate(name, word)
}

// isRemote reports whether this machine has no access to the submitter's folder of pictures.
func (s *spec) isRemote() bool {
	text, err := smallfile.Read(filepath.Join(s.Pictures, Folder, tokenName), smallfile.MaxText)
	return err != nil || strings.TrimSpace(string(text)) != s.Token
}

// hasFiles reports whether this machine has all files of the film at the submitter's paths, with the same sizes and
// times. If compare is true, it also compares contents, because another machine may have a different file of the same
// size and time.
func (s *spec) hasFiles(ctx context.Context, files []cluster.File, compare bool) (bool, error) {
	if len(s.Files) != len(files) {
		return false, nil
	}
	for i, f := range s.Files {
		info, err := os.Stat(f.Path)
		if err != nil || info.ModTime().UnixNano() != f.Time || info.Size() != files[i].Size {
			return false, nil
		}
	}
	for i := range files {
		if !compare {
			break
		}
		here, err := describeSource(ctx, source{files[i].Name, s.Files[i], files[i].Size})
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		// A file that cannot be read here will be downloaded too.
		if err != nil || !slices.EqualFunc(here.Parts, files[i].Parts, samePart) {
			return false, nil
		}
	}
	return true, nil
}

// samePart reports whether two parts have the same contents. It does not compare the hashes of chunks, because programs
// of other versions do not have them.
func samePart(a, b cluster.Part) bool { return a.Hash == b.Hash && a.Size == b.Size }

// Folder is the name of a hidden folder inside the folder of pictures. It holds auxiliary files until all pictures are
// complete.
const Folder = ".film"

// writePrivate writes a small file that only this user can read.
func writePrivate(name, text string) error {
	if err := os.WriteFile(name+".new", []byte(text+"\n"), 0o600); err != nil {
		return atomicfile.Failure(err)
	}
	return atomicfile.Failure(os.Rename(name+".new", name))
}

// uploadFiles uploads and repairs the files of a film when nodes request it, until ctx ends. It returns an error if the
// server's store damages a file again after it was repaired, so that nodes cannot get it.
func (s *Submission) uploadFiles(ctx context.Context, job cluster.Job) error {
	spec, err := readSpec(job)
	if err != nil {
		return err // cannot happen, because this program wrote the specification
	}
	lastWarning := ""
	checked := map[string]time.Time{}
	for len(job.Files) > 0 {
		err := s.uploadRequested(ctx, job, spec.Files)
		if err == nil {
			err = s.repairRequested(ctx, job, spec.Files, checked)
		}
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, cluster.ErrDamaged):
			return err
		case err != nil && err.Error() != lastWarning:
			lastWarning = err.Error()
			s.warn("the film's files cannot be sent to nodes: %v", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pollInterval):
		}
	}
	return nil
}

// checkPause is the time between two checks of the same part in the server's store. A faulty node could otherwise keep
// the submitter busy by requesting repairs.
const checkPause = time.Minute

// repairRequested repairs the parts of files that arrived damaged at a node. checked holds the times when parts were
// found intact, by hash.
func (s *Submission) repairRequested(ctx context.Context, job cluster.Job, local []fileLocation, checked map[string]time.Time) error {
	try, cancel := context.WithTimeout(ctx, cluster.TryTimeout)
	defer cancel()
	requested, err := s.cluster.RepairsRequested(try)
	if err != nil {
		return nil // the server may be restarting
	}
	for i, f := range job.Files {
		offset := int64(0)
		for _, p := range f.Parts {
			if requested(p) && time.Since(checked[p.Hash]) > checkPause {
				repaired, err := s.repair(ctx, p, local[i].Path, offset)
				switch {
				case errors.Is(err, cluster.ErrDamaged):
					return damagedError("%s: nodes cannot get it: it is stored again, and arrives damaged: %w", local[i].Path, err)
				case err != nil:
					return fmt.Errorf("%s: %w", local[i].Path, err)
				case repaired:
					s.warn("%s: it was damaged in the server's store, and is stored again", local[i].Path)
				default:
					checked[p.Hash] = time.Now()
				}
			}
			offset += p.Size
		}
	}
	return nil
}

// repair repairs a part of a file, which begins at an offset.
func (s *Submission) repair(ctx context.Context, p cluster.Part, path string, offset int64) (repaired bool, err error) {
	in, err := openRegular(path)
	if err != nil {
		return false, err
	}
	defer in.Close()
	return s.cluster.Repair(ctx, p, io.NewSectionReader(in, offset, p.Size))
}

// uploadRequested uploads the files of a film if a node has requested them. It skips files that the server has already.
func (s *Submission) uploadRequested(ctx context.Context, job cluster.Job, local []fileLocation) error {
	try, cancel := context.WithTimeout(ctx, cluster.TryTimeout)
	defer cancel()
	wanted, err := s.cluster.FilesRequested(try, job)
	if err != nil || !wanted {
		return nil // the server may be restarting
	}
	for i := range job.Files {
		f := &job.Files[i]
		if missing, err := s.cluster.Missing(try, f); err != nil || !missing {
			continue
		}
		in, err := openRegular(local[i].Path)
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

// downloadPicture downloads a picture that a node uploaded, and saves it. A picture that the server lacks is an error
// only after some node has sent a wrong picture. Before that, an earlier command may have downloaded the picture, and
// damagedFrames will check its file.
func (s *Submission) downloadPicture(ctx context.Context, k int, d *cluster.Done) error {
	if saved, err := smallfile.Read(s.names.Name(k), smallfile.MaxPicture); err == nil && cluster.Hash(saved) == d.Hash {
		return nil
	}
	if d.Bytes > s.maxPictureBytes() {
		s.warn("frame %d, of node %s: a picture of %d bytes: the frame is drawn here", k, d.Node, d.Bytes)
		return errNoPicture
	}
	picture, err := s.cluster.Picture(ctx, s.job, k, d)
	if errors.Is(err, cluster.ErrMissing) {
		if s.distrusts == 0 {
			return nil
		}
		return errNoPicture // draw the frame at once, because each missing picture would cost another round
	}
	if err != nil {
		return err
	}
	if err := checkPNG(picture, s.width, s.height); err != nil {
		s.warn("frame %d, of node %s: %v: the frame is drawn here", k, d.Node, err)
		return errNoPicture
	}
	if err := s.keepPicture(ctx, k, d.Hash, picture); err != nil {
		return err
	}
	try, cancel := context.WithTimeout(ctx, cluster.TryTimeout)
	defer cancel()
	_ = s.cluster.RemovePicture(try, s.job, k) // if this fails, the picture is removed with the film
	return ctx.Err()
}

// maxPictureBytes returns an upper bound of the size of a picture's file: the uncompressed pixels and the text.
func (s *Submission) maxPictureBytes() int {
	const text = 4 << 20
	return 5*s.width*s.height + text
}

// pollInterval is the time between two checks whether nodes have requested files.
const pollInterval = 300 * time.Millisecond
