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

// A Node draws frames of films that a server queues. It implements cluster.Drawer and cluster.SharedDrawer. Cluster and
// Name are required. A zero value in another field means its default.
type Node struct {
	Cluster *cluster.Cluster
	// Name is the node's name in records. Two running nodes must not have the same name.
	Name string
	// Seed is the private key with which the node signs its records, see cluster.WorkOptions. If it is nil, the node
	// uses the key of Cluster.
	Seed []byte

	Workers int   // Number of threads. 0 means one for each core.
	Cache   Cache // holds files that are downloaded from the server
	// Memory returns the memory budget for the next film. If it is nil, memory is not limited.
	Memory func() recipe.Memory
	// Begun, if not nil, is called before a frame is drawn.
	Begun func(job cluster.Job, frame int)
	// Warn, if not nil, receives warnings of one line each.
	Warn func(line string)
	// Files creates the picture files. If it is nil, each film makes its own atomicfile.Set.
	Files *atomicfile.Set

	// If a program on the same machine started this node, own is the ID of that program's job. See Early.Take.
	own string

	// cached is the set of downloaded files that was opened last. It may be closed, or nil.
	cached *fileSet

	// fetcher is nil except in tests, where it wraps the source of chunks.
	fetcher func(ranged.Fetcher) ranged.Fetcher

	fingerprintMu sync.Mutex
	// fingerprints caches Fingerprint by instruction set.
	fingerprints map[string]string
}

// Work draws frames until ctx ends. It then finishes the current frame, unless abort ends too. It also ends if it finds
// nothing to draw for the duration idle, unless idle is 0. opened is a film that OpenEarly has opened, or nil. See
// cluster.Participants.Work.
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

// open prepares for drawing a job. If parts is true, this node draws parts of frames together with other nodes.
func (n *Node) open(ctx context.Context, job cluster.Job, parts bool) (*frames, error) {
	s, err := readSpec(job)
	if err != nil {
		return nil, err
	}
	if err := n.checkFingerprint(ctx, job, s); err != nil {
		return nil, err
	}
	cached, err := n.locateFiles(ctx, job, s, parts)
	if err != nil {
		return nil, err
	}
	f, err := n.openSpec(ctx, s, cached, parts)
	if err != nil {
		cached.close()
		return nil, err
	}
	f.cached = cached
	if err = cached.readError(); err == nil {
		err = n.assignToJob(ctx, f, job, s)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// openSpec opens a film by its specification. cached holds its files if they were downloaded, or is nil.
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

// checkFingerprint returns an error if this build would draw other pictures than the submitter's build, see
// Fingerprint.
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

// assignToJob assigns the film f to a job. It returns an error if the film's files differ from those that the submitter
// read. It compares the sizes and times of the files, and the contents of files of another time. It need not compare
// files that were downloaded, because downloading has compared their hashes.
func (n *Node) assignToJob(ctx context.Context, f *frames, job cluster.Job, s *spec) error {
	if f.spec, f.contents = s, job.Files; len(job.Files) == 0 {
		f.contents = s.Sources
	}
	if job.Frames != len(f.cams) {
		return fmt.Errorf("film %s: malformed: a job of %d frames, and an animation of %d", job.Name, job.Frames, len(f.cams))
	}
	if folder, err := filepath.Abs(f.names.Folder()); err != nil || folder != s.Pictures {
		return fmt.Errorf("film %s: malformed: pictures in %s, and a film in %s", job.Name, folder, s.Pictures)
	}
	if f.description() != s.Text || f.cached == nil && sourceState(f.sources) != s.State && !f.haveContents(ctx) {
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

// locateFiles finds the film's files on this machine, and writes their paths into the specification. If the same files
// are at the submitter's paths, it uses these. Otherwise it downloads the files to the cache. Of a ranged file (see
// cluster.File.Ranged) only the chunks that are read are downloaded.
//
// If parts is true, ranged files are downloaded whole, because a node that could not read its part of a frame would be
// excluded from the film.
func (n *Node) locateFiles(ctx context.Context, job cluster.Job, s *spec, parts bool) (cached *fileSet, err error) {
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
		err = cached.fetchAll()
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
		return nil // the film has ended, or its submitter will start it again
	}
	return err
}

// certificateTime is how long the certificate for connections between nodes is valid. It is longer than any film takes.
const certificateTime = 365 * 24 * time.Hour

// A program that draws a film with its own nodes starts them before it has read the mesh. Each node then reads the mesh
// at the same time as the program. The program sends a node two lines: first the part of the specification that it
// knows already, later the job.

// An Early is a film that is being opened before its job is known.
type Early struct{ opening chan *frames }

// OpenEarly starts to open a film in another goroutine. The argument `line` is the result of Film.Describe. It is empty
// for a shared film, which cannot be opened early. In that case OpenEarly opens nothing.
func (n *Node) OpenEarly(ctx context.Context, line []byte) *Early {
	e := &Early{make(chan *frames, 1)}
	go func() { e.opening <- n.openEarly(ctx, line) }()
	return e
}

// openEarly opens a film. It returns nil on an error: the submitter opens the same files, so it meets and reports the
// same error. It also returns nil for a clip, because only the job holds the bounds of a mesh that moves.
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

// Take waits until the film is open. It returns nil if the film could not be opened, or if it is not the film of the
// job that `line` holds as JSON. Work then opens the job itself and reports errors. Call Take before Work.
//
// The submitter must be of the same build as this node and on the same machine, because Take does not compare the
// contents of the files.
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
		if s, err := readSpec(job); err == nil && n.assignToJob(context.Background(), f, job, s) == nil {
			return &cluster.Opened{Job: job, Frames: f}
		}
	}
	f.Close()
	return nil
}
