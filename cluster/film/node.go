package film

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"lockstep/cluster"
	"lockstep/cluster/film/internal/ranged"
	"lockstep/cluster/link"
	"lockstep/cluster/split"
	"lockstep/render/atomicfile"
	"lockstep/render/recipe"
)

// A Node draws frames of films for a server. It implements cluster.Drawer and cluster.SharedDrawer. Cluster and Name
// are required; zero values of other fields mean the defaults.
type Node struct {
	Cluster *cluster.Cluster
	// Name is the node's name in records. No two running nodes may have the same.
	Name string
	// Seed is the private key with which the node signs its records, see cluster.WorkOptions; nil: the key of Cluster.
	Seed []byte

	Workers int   // number of threads; 0: one for each core
	Cache   Cache // for files that are downloaded from the server
	// Memory returns the memory budget for the next film; nil: memory is not limited.
	Memory func() recipe.Memory
	// Begun, if not nil, is called before a frame is drawn.
	Begun func(job cluster.Job, frame int)
	// Warn, if not nil, receives warnings of one line each.
	Warn func(line string)
	// Files creates the picture files; nil: each film has a Set of its own.
	Files *atomicfile.Set

	// own is the ID of the job of the program that started this node on its own machine, see Early.Take.
	own string

	// cached is the set of downloaded files that was opened last, which may be closed; nil: none.
	cached *fileSet

	// fetcher, if not nil, takes the place of what fetches chunks of files; set by tests.
	fetcher func(ranged.Fetcher) ranged.Fetcher

	fingerprintMu sync.Mutex
	// fingerprints caches Fingerprint by instruction set.
	fingerprints map[string]string
}

// Work draws frames until ctx ends, see cluster.Participants.Work; it then finishes the current frame unless abort
// ends, too. opened, if not nil, is a film that OpenEarly has opened. Work also ends if it has found nothing to draw
// for the duration `idle`. If idle is 0, it never ends for this reason.
func (n *Node) Work(ctx, abort context.Context, idle time.Duration, opened *cluster.Opened) error {
	return n.Cluster.Work(ctx, abort, n, cluster.WorkOptions{
		Name: n.Name, Idle: idle, Opened: opened, Seed: n.Seed,
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

// Open implements cluster.Drawer.
func (n *Node) Open(ctx context.Context, job cluster.Job) (cluster.Frames, error) {
	return n.open(ctx, job, false)
}

// open prepares for drawing a job. If parts is true, each frame is drawn together with other nodes.
func (n *Node) open(ctx context.Context, job cluster.Job, parts bool) (*frames, error) {
	s, err := readSpec(job)
	if err != nil {
		return nil, err
	}
	if err := n.checkFingerprint(ctx, job, s); err != nil {
		return nil, err
	}
	cached, err := n.locate(ctx, job, s, parts)
	if err != nil {
		return nil, err
	}
	f, err := n.openSpec(ctx, s, cached, parts)
	if err != nil {
		cached.close()
		return nil, err
	}
	f.cached = cached
	if err = cached.failure(); err == nil {
		err = n.adopt(f, job, s, cached != nil)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// openSpec opens a film by its specification. cached are its downloaded files, or nil.
func (n *Node) openSpec(ctx context.Context, s *spec, cached *fileSet, parts bool) (*frames, error) {
	if err := (&Film{Animation: s.Animation, Output: s.Output}).Validate(); err != nil {
		return nil, &recipe.Error{Kind: recipe.Unfit, Err: err}
	}
	if err := checkFiles(s.Animation.Picture.Meshes); err != nil {
		return nil, err
	}
	if s.Animation.Clip != "" {
		if err := s.Moving.check(); err != nil {
			return nil, err
		}
	}
	d, err := s.Drawing.drawer()
	if err != nil {
		return nil, err
	}
	if d.Workers = n.Workers; n.Memory != nil {
		d.Memory = n.Memory()
	}
	if d.Warn = n.Warn; cached != nil {
		d.Read.Open = cached.open
	}
	return openFrames(ctx, d, s, n.Files, parts)
}

// checkFingerprint returns an error if this build would draw other pictures than the submitter's build.
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

// adopt checks that f belongs to a job and prepares f for it. Its files must be those that the submitter read, with the
// same sizes and times. If the files were fetched, this is not checked, because downloading has compared their hashes.
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

// locate sets the names of the film's files on this machine in the specification. They are the submitter's paths if
// the same files are there. Otherwise the result is a set of the cache. Chunks of a prepared mesh are then fetched
// when they are first read. If parts is true, the whole mesh is fetched at once, because a node that fails to read
// while it draws parts of a frame would be shut out.
func (n *Node) locate(ctx context.Context, job cluster.Job, s *spec, parts bool) (cached *fileSet, err error) {
	if same, err := s.hasFiles(ctx, job.Files, job.ID != n.own); same || err != nil {
		return nil, err
	}
	fetch := ranged.Fetcher(chunkFetcher{n.Cluster, job})
	if n.fetcher != nil {
		fetch = n.fetcher(fetch)
	}
	if cached, err = n.Cache.openSet(ctx, n.Cluster, job, fetch, n.cached); err != nil {
		return nil, fmt.Errorf("film %s: %w", job.Name, err)
	}
	n.cached = cached
	if parts {
		err = cached.holdAll()
	}
	if err == nil {
		err = s.mapFiles(func(folder, name string) (string, error) {
			return filepath.Join(cached.folder, folder, filepath.Base(name)), nil
		})
	}
	if err != nil {
		cached.close()
		return nil, fmt.Errorf("film %s: %w", job.Name, err)
	}
	return cached, nil
}

// DrawShared implements cluster.SharedDrawer.
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
	cert, err := link.NewCertificate(time.Now(), certificateTime)
	if err != nil {
		return err
	}
	err = split.Node(ctx, p, split.NodeOptions{
		Roots: job.Shared.Addresses,
		Links: link.Options{Name: name, Secret: job.Shared.Secret, Limit: f.linkLimit(), TLS: cert, Report: func(err error) { n.warn("%v", err) }},
	})
	switch {
	case errors.Is(err, split.ErrNoRoot), errors.Is(err, split.ErrRootGone) && !errors.Is(err, link.ErrRefused):
		return nil // the film has ended, or its submitter will restart it
	}
	return err
}

// certificateTime is how long the certificate of a link is valid, which is longer than any film takes.
const certificateTime = 365 * 24 * time.Hour

// A program that draws a film with nodes of its own starts these nodes before it has read the mesh itself. It sends
// them two lines: first the part of the specification that is known already, so that they can read the mesh at the same
// time, and later the job.

// An Early is a film that is being opened before its job is known.
type Early struct{ opening chan *frames }

// OpenEarly starts to open a film from the line that Film.Describe returns. An empty line opens nothing; it is sent for
// shared films.
func (n *Node) OpenEarly(ctx context.Context, line []byte) *Early {
	e := &Early{make(chan *frames, 1)}
	go func() { e.opening <- n.openEarly(ctx, line) }()
	return e
}

// openEarly opens a film. It returns nil if there is an error, because the submitter meets the same error and reports
// it, and if the film is of a clip, because only the job says how far its mesh moves.
func (n *Node) openEarly(ctx context.Context, line []byte) *frames {
	s := new(spec)
	if len(bytes.TrimSpace(line)) == 0 || json.Unmarshal(line, s) != nil || len(s.Animation.Picture.Meshes) == 0 {
		return nil
	}
	f, err := n.openSpec(ctx, s, nil, false)
	if err != nil {
		return nil
	}
	return f
}

// Take waits until the film is open, and checks that it is the film of the job in `line`, which is JSON. If it is not,
// or if it could not be opened, Take returns nil; Work then opens the job itself and reports errors. The submitter must
// be of the same build as this node and on the same machine, because the contents of the job's files are not compared.
// Call Take before Work.
func (e *Early) Take(n *Node, line []byte) *cluster.Opened {
	f := <-e.opening
	var job cluster.Job
	known := json.Unmarshal(line, &job) == nil
	if known {
		n.own = job.ID
	}
	if f == nil {
		return nil
	}
	if known {
		if s, err := readSpec(job); err == nil && n.adopt(f, job, s, false) == nil {
			return &cluster.Opened{Job: job, Frames: f}
		}
	}
	f.Close()
	return nil
}
