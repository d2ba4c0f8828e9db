package film

import (
	"context"
	"path/filepath"

	"lockstep/cluster"
)

// replaceOthers takes films out of the queue of this folder whose pictures have the names of this
// one's: an earlier command of other flags was interrupted, and would be drawn first, into the
// same files.
func (s *Submission) cancelEarlier(ctx context.Context) error {
	own, err := filepath.Abs(s.names.Name(0))
	if err != nil {
		return err
	}
	return cluster.WithRetries(ctx, cluster.TryTimeout, func(ctx context.Context) error {
		jobs, err := s.cluster.Jobs(ctx)
		if err != nil {
			return err
		}
		for _, job := range jobs {
			if job.ID == s.job.ID || job.Cancelled || job.Finished != nil || firstPicture(job) != own {
				continue
			}
			status, err := s.cluster.Status(ctx, job.ID)
			if err != nil {
				return err
			}
			if err := s.cluster.Cancel(ctx, job.ID); err != nil {
				return err
			}
			if status.Left() > 0 {
				s.warn("%s: an earlier film with pictures of the same names is given up: %d of %d frames were drawn",
					s.names.Output, len(status.Done), job.Frames)
			}
		}
		return nil
	})
}

// firstPicture returns the file of a film's first picture, "" of one that cannot be read.
func firstPicture(job cluster.Job) string {
	names, _, err := PicturesOf(job)
	if err != nil {
		return ""
	}
	return names.Name(0)
}
