package film

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"time"

	"lockstep/cluster"
	"lockstep/render/recipe"
)

// Open reads the files of a film once, as a node would. So mistakes are found before nodes get the film. It computes
// the film's ID from the files and from the metadata of the pictures. The caller must close the submission.
func Open(ctx context.Context, f Film, o Options) (*Submission, error) {
	if err := f.Validate(); err != nil {
		return nil, &recipe.Error{Kind: recipe.Unfit, Err: err}
	}
	if err := checkFiles(f.Animation.Picture.Meshes); err != nil {
		return nil, err
	}
	s := &Submission{Film: f, options: o}
	spec, err := f.newSpec(&o.Drawer)
	if err != nil {
		return nil, err
	}
	if s.names, err = f.names(); err != nil {
		return nil, err
	}
	as := *spec
	as.Animation = f.Animation // messages show file names as the user wrote them
	fingerprinted := make(chan error, 1)
	go func() {
		var err error
		if f.Open { // if the film is not open, all nodes are of this build
			spec.Pixels, err = Fingerprint(ctx, o.Drawer.ISA)
		}
		fingerprinted <- err
	}()
	d := o.Drawer
	d.LateNormals = true // this process rarely draws a picture itself
	s.local, err = openFrames(ctx, d, &as, o.Files, f.Shared)
	fingerprintErr := <-fingerprinted
	if err != nil {
		return nil, err
	}
	s.width, s.height = s.local.Width, s.local.Height
	if err = fingerprintErr; err == nil {
		err = s.describeJob(ctx, spec)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// describeJob completes the specification and creates the job.
func (s *Submission) describeJob(ctx context.Context, spec *spec) (err error) {
	s.local.spec = spec
	spec.Text, spec.Contents = s.local.description(), s.local.Input.Contents
	if p := s.local.player; p != nil {
		spec.Moving = &p.moving
	}
	if spec.Token, err = folderToken(spec.Pictures); err != nil {
		return err
	}
	spec.State = sourceState(s.local.sources)
	contents, err := describeSources(ctx, s.local.sources)
	if err != nil {
		return err
	}
	s.job = s.Film.newJob()
	s.job.ID = spec.id(contents, len(s.local.cams))
	s.id = s.job.ID
	s.local.contents = contents
	if s.Film.Open {
		s.job.Files = contents
		for _, f := range s.local.sources {
			spec.Files = append(spec.Files, f.fileLocation)
		}
	} else {
		spec.Sources = contents
	}
	s.job.Spec, err = json.Marshal(spec)
	return err
}

// Draw submits the film to a server. It waits until all pictures are in the folder and have been checked. The error is
// an *Incomplete if some frames failed, and a *Refused if no frame can be drawn.
func (s *Submission) Draw(ctx context.Context, conn *cluster.Cluster) error {
	return s.draw(ctx, conn, s.uploadFiles)
}

// draw implements Draw. If the function upload returns an error, the film ends with that error.
func (s *Submission) draw(ctx context.Context, conn *cluster.Cluster, upload func(context.Context, cluster.Job) error) (err error) {
	s.cluster = conn
	ctx, end := context.WithCancelCause(ctx)
	var sending sync.WaitGroup
	defer sending.Wait()
	defer end(nil)
	if s.options.ReplaceEarlier {
		if err := s.cancelEarlier(ctx); err != nil {
			return err
		}
	}
	var uploading error
	start := func() {
		job := s.job
		sending.Go(func() {
			if uploading = upload(ctx, job); uploading != nil {
				end(uploading)
			}
		})
	}
	if s.Film.Shared {
		err = s.drawShared(ctx, start)
	} else if err = s.submit(ctx); err == nil {
		start()
		err = s.follow(ctx)
	}
	switch end(nil); {
	case err == nil:
		return s.incompleteError()
	case errors.Is(err, context.Canceled):
		sending.Wait()
		return cmp.Or(uploading, err)
	}
	return err
}

// submit puts the job into the server's queue.
func (s *Submission) submit(ctx context.Context) error {
	err := cluster.WithRetries(ctx, cluster.SubmitTimeout, func(ctx context.Context) error {
		job, err := s.cluster.Submit(ctx, s.job)
		if err == nil {
			s.job = job
		}
		return err
	})
	if err == nil && s.options.Submitted != nil {
		s.options.Submitted()
		s.options.Submitted = nil
	}
	return err
}

// follow waits until every frame is drawn or has failed, and checks all files.
func (s *Submission) follow(ctx context.Context) error {
	if s.options.Begin != nil {
		s.options.Begin(s.job.Frames)
	}
	for unstable := 0; unstable < rounds; {
		s.done, s.failed = map[int]*cluster.Done{}, map[int]*cluster.Failure{}
		if err := s.cluster.Follow(ctx, s.job.ID, follower{ctx, s}); err != nil {
			return err
		}
		damaged := s.damagedFrames()
		if len(damaged) == 0 {
			return nil
		}
		if s.forgiveSuspects(damaged) {
			s.distrusts++
		} else {
			unstable++
		}
		if len(s.blocked) > 0 {
			// A blocked node continues to take frames until it learns that it is blocked.
			select {
			case <-time.After(cluster.Turn + time.Second):
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		for _, k := range damaged {
			again := func(ctx context.Context) error { return s.cluster.Requeue(ctx, s.job, k) }
			if err := cluster.WithRetries(ctx, cluster.TryTimeout, again); err != nil {
				return err
			}
		}
	}
	return s.unstableError()
}

// rounds limits how many times frames are drawn again because their files were lost or changed.
const rounds = 3

// Finish removes the film's hidden folder, and its data on the server. Call it when all pictures are complete.
func (s *Submission) Finish(ctx context.Context) error {
	_ = os.Remove(filepath.Join(s.names.Folder(), Folder, tokenName))
	_ = os.Remove(filepath.Join(s.names.Folder(), Folder)) // fails if the folder contains other files, which stay
	return cluster.WithRetries(ctx, cluster.SubmitTimeout, func(ctx context.Context) error { return s.cluster.Finish(ctx, s.job.ID) })
}

// Abandon cancels a film that cannot be drawn.
func (s *Submission) Abandon(ctx context.Context) error {
	return cluster.WithRetries(ctx, cluster.SubmitTimeout, func(ctx context.Context) error { return s.cluster.Cancel(ctx, s.job.ID) })
}

// cancelEarlier cancels jobs whose pictures have the same file names as the pictures of this film. Such a job stays in
// the queue if an earlier command with other flags was interrupted. That job would be drawn first, and would overwrite
// files of this film.
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

// firstPicture returns the name of a film's first picture, or "" if the job cannot be decoded.
func firstPicture(job cluster.Job) string {
	names, _, err := PicturesOf(job)
	if err != nil {
		return ""
	}
	return names.Name(0)
}
