package main

import (
	"context"
	"encoding/json"
	"path/filepath"

	"lockstep/cluster"
	"lockstep/internal/cli"
	"lockstep/internal/framename"
)

// replaceOthers takes films out of the queue of this folder whose pictures have the names of this
// one's: an earlier command of other flags was interrupted, and would be drawn first, into the
// same files.
func (r *reel) replaceOthers(ctx context.Context) error {
	own, err := filepath.Abs(r.names.Name(0))
	if err != nil {
		return err
	}
	return cluster.Persist(ctx, cluster.TryTime, func(ctx context.Context) error {
		jobs, err := r.cluster.Jobs(ctx)
		if err != nil {
			return err
		}
		for _, job := range jobs {
			if job.ID == r.job.ID || job.Cancelled || job.Finished != nil || firstPicture(job) != own {
				continue
			}
			s, err := r.cluster.Status(ctx, job.ID)
			if err != nil {
				return err
			}
			if err := r.cluster.Cancel(ctx, job.ID); err != nil {
				return err
			}
			if s.Left() > 0 {
				r.app.Warn("%s: an earlier film with pictures of the same names is given up: %d of %s were drawn",
					r.names.Output, len(s.Done), cli.Plural(int64(job.Frames), "frame"))
			}
		}
		return nil
	})
}

// firstPicture returns the file of a film's first picture, "" of one that cannot be read.
func firstPicture(job cluster.Job) string {
	var spec filmSpec
	if json.Unmarshal(job.Spec, &spec) != nil {
		return ""
	}
	names, err := framename.New(spec.Output, job.Name, job.Frames)
	if err != nil {
		return ""
	}
	return names.Name(0)
}
