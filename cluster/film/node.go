package film

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"lockstep/cluster"
	"lockstep/cluster/link"
	"lockstep/cluster/split"
	"lockstep/render/atomicfile"
	"lockstep/render/recipe"
)

// A Node draws frames of films for a server. It implements cluster.Painter and cluster.Sharer. The zero value of a field
// but the first two is its default.
type Node struct {
	Cluster *cluster.Cluster // the connection to the server
	Name    string           // one node at a time has it, see Name; the name of records

	Workers int   // threads; 0: one a core
	Cache   Cache // of files that come by the server
	// Memory returns what there is for a film that is opened; nil: nobody looks.
	Memory func() recipe.Memory
	// Begun, unless nil, is told of frames that are begun.
	Begun func(job cluster.Job, frame int)
	// Warn is told of what is amiss, a line each; nil: nobody is.
	Warn func(line string)
	// Files creates the pictures; nil: a set for each film.
	Files *atomicfile.Set

	fingerprintMu sync.Mutex
	fingerprints  map[string]string // fingerprints by instruction set
}

// Work draws frames until ctx ends, see cluster.Cluster.Work; a frame in hand is finished then, unless hard ends too.
// opened, unless nil, is a film that is ready, see OpenEarly. Without work for so long as idle says it ends; 0: never.
func (n *Node) Work(ctx, abort context.Context, idle time.Duration, opened *cluster.Opened) error {
	return n.Cluster.Work(ctx, abort, n, cluster.WorkOptions{
		Name: n.Name, Idle: idle, Opened: opened,
		Report: func(job cluster.Job, frame int, err error) {
			if frame < 0 {
				n.warn("%v", err)
			} else {
				n.warn("%s, frame %d: %v", job.Name, frame, err)
			}
		},
	})
}

func (n *Node) warn(format string, args ...any) {
	if n.Warn != nil {
		n.Warn(fmt.Sprintf(format, args...))
	}
}

// Open implements cluster.Painter.
func (n *Node) Open(ctx context.Context, job cluster.Job) (cluster.Frames, error) {
	return n.open(ctx, job, false)
}

// open gets ready for a job, whose frames are drawn whole or in parts.
func (n *Node) open(ctx context.Context, job cluster.Job, parts bool) (*frames, error) {
	s, err := readSpec(job)
	if err != nil {
		return nil, err
	}
	if err := n.checkFingerprint(ctx, job, s); err != nil {
		return nil, err
	}
	fetched, err := n.locate(ctx, job, s)
	if err != nil {
		return nil, err
	}
	f, err := n.openSpec(ctx, s, parts)
	if err != nil {
		return nil, err
	}
	if err := n.adopt(f, job, s, fetched); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// openSpec opens what a specification says.
func (n *Node) openSpec(ctx context.Context, s *spec, parts bool) (*frames, error) {
	if err := (&Film{Animation: s.Animation, Output: s.Output}).Validate(); err != nil {
		return nil, &recipe.Error{Kind: recipe.Unfit, Err: err}
	}
	if err := checkFiles(s.Animation.Picture.Meshes); err != nil {
		return nil, err
	}
	d, err := s.Drawing.drawer()
	if err != nil {
		return nil, err
	}
	if d.Workers = n.Workers; n.Memory != nil {
		d.Memory = n.Memory()
	}
	d.Warn = n.Warn
	return openFrames(ctx, d, s, n.Files, parts)
}

// checkPixels refuses a film of a build whose pictures are not this one's.
func (n *Node) checkFingerprint(ctx context.Context, job cluster.Job, s *spec) error {
	if s.Pixels == "" {
		return nil
	}
	n.fingerprintMu.Lock()
	defer n.fingerprintMu.Unlock()
	pixels, printed := n.fingerprints[s.Drawing.ISA]
	if !printed {
		var err error
		if pixels, err = Fingerprint(ctx, s.Drawing.ISA); err != nil {
			return err
		}
		if n.fingerprints == nil {
			n.fingerprints = map[string]string{}
		}
		n.fingerprints[s.Drawing.ISA] = pixels
	}
	if pixels != s.Pixels {
		return fmt.Errorf("film %s: this node would draw something else: its version (%s) has other pictures than the film's (%s)", job.Name, recipe.Program, s.Program)
	}
	return nil
}

// take prepares frames for a job. It returns an error if they would be other pictures. The files must be those
// that the submitter read, and the same number of them, unless they were fetched: then they are copies, which the
// job names by their contents.
func (n *Node) adopt(f *frames, job cluster.Job, s *spec, fetched bool) error {
	f.spec = s
	if job.Frames != len(f.cams) {
		return fmt.Errorf("film %s: malformed: a job of %d frames, and an animation of %d", job.Name, job.Frames, len(f.cams))
	}
	if folder, err := filepath.Abs(f.names.Folder()); err != nil || folder != s.Pictures {
		return fmt.Errorf("film %s: malformed: pictures in %s, and a film in %s", job.Name, folder, s.Pictures)
	}
	if f.text() != s.Text || !fetched && sourceState(f.sources) != s.State {
		return fmt.Errorf("film %s: this node would draw something else: its mesh or version differs", job.Name)
	}
	f.remote = s.isRemote()
	f.onBegin = func(k int) {
		if n.Begun != nil {
			n.Begun(job, k)
		}
	}
	return nil
}

// find has a specification name the files of a film where they are on this machine: as on the submitter's, or in a
// folder that they were fetched to.
func (n *Node) locate(ctx context.Context, job cluster.Job, s *spec) (fetched bool, err error) {
	if s.hasFiles(job.Files) {
		return false, nil
	}
	cached, err := n.Cache.fetch(ctx, n.Cluster, job)
	if err != nil {
		return false, fmt.Errorf("film %s: %w", job.Name, err)
	}
	return true, s.mapFiles(func(folder, name string) (string, error) {
		return filepath.Join(cached, folder, filepath.Base(name)), nil
	})
}

// Share implements cluster.Sharer.
func (n *Node) DrawShared(ctx context.Context, job cluster.Job, name string) error {
	f, err := n.open(ctx, job, true)
	if err != nil {
		return err
	}
	defer f.Close()
	p, err := newPartDrawer(f)
	if err != nil {
		return err
	}
	cert, err := link.NewCertificate(time.Now(), linkTime)
	if err != nil {
		return err
	}
	err = split.Node(ctx, p, split.NodeOptions{
		Roots: job.Shared.Addresses,
		Links: link.Options{Name: name, Secret: job.Shared.Secret, Limit: f.linkLimit(), TLS: cert, Report: func(err error) { n.warn("%v", err) }},
	})
	switch {
	case errors.Is(err, split.ErrNoRoot), errors.Is(err, split.ErrRootGone) && !errors.Is(err, link.ErrRefused):
		return nil // the film has ended, or its submitter begins again
	}
	return err
}

// linkTime is how long a certificate of a link is valid: longer than any film.
const linkTime = 365 * 24 * time.Hour
