package film

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"time"

	"lockstep/cluster"
	"lockstep/render/recipe"
)

// Open reads the mesh of a film once, as a node would, which finds mistakes before anything is distributed, and names the
// film by what its pictures say of themselves. The caller closes the submission.
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
	print := make(chan error, 1)
	go func() {
		var err error
		if f.Open { // else nodes are of this build
			spec.Pixels, err = Fingerprint(ctx, o.Drawer.ISA)
		}
		print <- err
	}()
	d := o.Drawer
	d.LateNormals = true // most films never want a picture of this process
	as := *spec
	as.Animation = f.Animation // messages name files as the user does
	s.local, err = openFrames(ctx, d, &as, o.Files, f.Shared)
	printed := <-print
	if err != nil {
		return nil, err
	}
	if err = printed; err == nil {
		err = s.describeJob(ctx, spec)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// describe makes the job.
func (s *Submission) describeJob(ctx context.Context, spec *spec) (err error) {
	s.local.spec = spec
	spec.Text, spec.Contents = s.local.text(), s.local.Input.Contents
	if spec.Token, err = folderToken(spec.Pictures); err != nil {
		return err
	}
	spec.State = sourceState(s.local.sources)
	contents, err := describeSources(ctx, s.local.sources)
	if err != nil {
		return err
	}
	s.job = s.Film.job()
	s.job.ID = spec.id(contents, len(s.local.cams))
	s.id = s.job.ID
	if s.Film.Open {
		s.job.Files = contents
		for _, f := range s.local.sources {
			spec.Files = append(spec.Files, f.fileLocation)
		}
	}
	s.job.Spec, err = json.Marshal(spec)
	return err
}

// Draw hands the film in at a server and has what is missing of it drawn: it returns when all pictures are in the folder
// and were checked. Frames that failed are an *Incomplete; a film of which no frame can be drawn is a *Refused.
func (s *Submission) Draw(ctx context.Context, conn *cluster.Cluster) (err error) {
	s.cluster = conn
	send, cancel := context.WithCancel(ctx)
	var sending sync.WaitGroup
	defer sending.Wait()
	defer cancel()
	if s.options.ReplaceEarlier {
		if err := s.cancelEarlier(ctx); err != nil {
			return err
		}
	}
	start := func() { sending.Go(func() { s.uploadFiles(send, s.job) }) }
	if s.Film.Shared {
		err = s.drawShared(ctx, start)
	} else if err = s.submit(ctx); err == nil {
		start()
		err = s.follow(ctx)
	}
	if err != nil {
		return err
	}
	return s.result()
}

// submit hands the film in.
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

// follow waits until every frame is drawn or given up, and checks all files.
func (s *Submission) follow(ctx context.Context) error {
	if s.options.Begin != nil {
		s.options.Begin(s.job.Frames)
	}
	for range rounds {
		s.done, s.failed = map[int]*cluster.Done{}, map[int]*cluster.Failure{}
		if err := s.cluster.Follow(ctx, s.job.ID, follower{ctx, s}); err != nil {
			return err
		}
		bad := s.damagedFrames()
		if len(bad) == 0 {
			return nil
		}
		if len(s.blocked) > 0 {
			// Until a node that was shut out has noticed, it takes frames.
			select {
			case <-time.After(cluster.Turn + time.Second):
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		for _, k := range bad {
			again := func(ctx context.Context) error { return s.cluster.Requeue(ctx, s.job, k) }
			if err := cluster.WithRetries(ctx, cluster.TryTimeout, again); err != nil {
				return err
			}
		}
	}
	return s.unstable()
}

// rounds bounds how often frames are asked for again whose files were lost or changed
// after they were recorded.
const rounds = 3

// Finish removes what the film keeps beside its pictures and at the server, when they are complete.
func (s *Submission) Finish(ctx context.Context) error {
	_ = os.Remove(filepath.Join(s.names.Folder(), Folder, tokenName))
	_ = os.Remove(filepath.Join(s.names.Folder(), Folder)) // unless there is more in it
	return cluster.WithRetries(ctx, cluster.SubmitTimeout, func(ctx context.Context) error { return s.cluster.Finish(ctx, s.job.ID) })
}

// Abandon takes the film back that cannot be drawn.
func (s *Submission) Abandon(ctx context.Context) error {
	return cluster.WithRetries(ctx, cluster.SubmitTimeout, func(ctx context.Context) error { return s.cluster.Cancel(ctx, s.job.ID) })
}
