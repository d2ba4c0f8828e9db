package film

import (
	"context"
	"errors"
	"os"
	"time"

	"lockstep/cluster"
	"lockstep/internal/smallfile"
)

// sendFiles sends the files of a film when nodes ask for them, until ctx ends.
func (s *Submission) uploadFiles(ctx context.Context, job cluster.Job) {
	spec, err := readSpec(job)
	if err != nil {
		return // it is this program's own
	}
	said := ""
	for len(job.Files) > 0 {
		if err := s.uploadRequested(ctx, job, spec.Files); err != nil && ctx.Err() == nil && err.Error() != said {
			said = err.Error()
			s.warn("the film's files cannot be sent to nodes: %v", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pollInterval):
		}
	}
}

// sendWanted uploads the mesh and its files when a node has asked for them, unless the server
// has them already.
func (s *Submission) uploadRequested(ctx context.Context, job cluster.Job, local []fileLocation) error {
	try, cancel := context.WithTimeout(ctx, cluster.TryTimeout)
	defer cancel()
	wanted, err := s.cluster.FilesRequested(try, job)
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
func (s *Submission) downloadPicture(ctx context.Context, k int, d *cluster.Done) error {
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
	if _, err := s.local.Save(ctx, k, picture); err != nil {
		return err
	}
	try, cancel := context.WithTimeout(ctx, cluster.TryTimeout)
	defer cancel()
	_ = s.cluster.RemovePicture(try, s.job, k) // what stays is removed with the film
	return ctx.Err()
}

// pollTime is between two looks whether something has come.
const pollInterval = 300 * time.Millisecond
