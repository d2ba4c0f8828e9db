package film

import (
	"bytes"
	"context"
	"crypto/rand"
	"maps"
	"net"
	"slices"
	"strconv"
	"time"

	"lockstep/cluster"
	"lockstep/cluster/link"
	"lockstep/cluster/split"
	"lockstep/render"
)

// drawShared draws a shared film: all nodes draw each frame together, and this process is the root (see package split).
// It calls start when the server knows the job.
func (s *Submission) drawShared(ctx context.Context, start func()) error {
	if s.options.Begin != nil {
		s.options.Begin(s.job.Frames)
	}
	s.done, s.failed = map[int]*cluster.Done{}, map[int]*cluster.Failure{}
	if err := s.loadRecords(ctx); err != nil {
		return err
	}
	for range rounds {
		missing := s.missingFrames()
		if len(missing) == 0 {
			return nil
		}
		root, err := s.openRoot(ctx, missing)
		if err != nil {
			return err
		}
		if err = s.submit(ctx); err == nil && start != nil {
			start()
			start = nil
		}
		if err == nil {
			err = s.runRoot(ctx, root)
		}
		root.Close()
		if err != nil {
			return err
		}
	}
	if len(s.missingFrames()) > 0 {
		return s.unstableError()
	}
	return nil
}

// loadRecords reads the records that an earlier command wrote. It drops records that another program may have invented.
func (s *Submission) loadRecords(ctx context.Context) error {
	if err := cluster.WithRetries(ctx, cluster.TryTimeout, func(ctx context.Context) error {
		status, err := s.cluster.Status(ctx, s.job.ID)
		if err == nil {
			s.done, s.failed = status.Done, status.Failed
		}
		return err
	}); err != nil {
		return err
	}
	maps.DeleteFunc(s.failed, func(k int, x *cluster.Failure) bool { return !s.cluster.Wrote(x.Author(s.id, k)) })
	if err := s.dropUnproved(ctx); err != nil {
		return err
	}
	s.reportSettled(len(s.done) + len(s.failed))
	return nil
}

// dropUnproved drops records whose pictures may be wrong:
//   - Records of earlier commands on this machine are kept.
//   - Records without a valid signature are dropped.
//   - Records with other keys may be right: nodes may have drawn whole frames for an earlier command. For each key, one
//     frame in checkEvery is drawn again here. If one picture is wrong, all records of that key are dropped.
func (s *Submission) dropUnproved(ctx context.Context) error {
	frames := map[string][]int{} // by key
	for _, k := range slices.Sorted(maps.Keys(s.done)) {
		switch author := s.done[k].Author(s.id, k); {
		case s.cluster.Wrote(author):
		case author.Key == "":
			delete(s.done, k)
		default:
			frames[author.Key] = append(frames[author.Key], k)
		}
	}
	for key, drawn := range frames {
		right, err := s.areRecordsRight(ctx, drawn)
		if err != nil {
			return err
		}
		if !right {
			s.warn("a node drew frames of this film wrongly before, and they are drawn again (it signs with the key %.8s...)", key)
			for _, k := range drawn {
				delete(s.done, k)
			}
		}
	}
	return nil
}

// areRecordsRight reports whether the records of the given frames are right. It draws one frame in checkEvery again,
// beginning with the first.
func (s *Submission) areRecordsRight(ctx context.Context, drawn []int) (bool, error) {
	for i := 0; i < len(drawn); i += checkEvery {
		picture, err := s.local.Draw(ctx, drawn[i])
		if err != nil {
			return false, err
		}
		if cluster.Hash(picture) != s.done[drawn[i]].Hash {
			return false, nil
		}
	}
	return true, nil
}

// missingFrames returns the frames that must be drawn, in increasing order. In this order the camera moves steadily, so
// blocks seldom change their owners.
func (s *Submission) missingFrames() (frames []int) {
	damaged := map[int]bool{}
	for _, k := range s.damagedFrames() {
		damaged[k] = true
		delete(s.done, k)
	}
	for k := range s.job.Frames {
		if damaged[k] || s.done[k] == nil && s.failed[k] == nil {
			frames = append(frames, k)
		}
	}
	return frames
}

// SecretBytes is the length of the secret that the nodes of a film share.
const SecretBytes = 32

// openRoot starts to listen for nodes. It stores the addresses in the job.
func (s *Submission) openRoot(ctx context.Context, frames []int) (*split.Root, error) {
	shape, err := s.local.splitShape()
	if err != nil {
		return nil, err
	}
	owners, err := s.newOwners(ctx, shape.Blocks)
	if err != nil {
		return nil, err
	}
	secret := make([]byte, SecretBytes)
	if _, err := rand.Read(secret); err != nil {
		return nil, err
	}
	cert, err := link.NewCertificate(time.Now(), certificateTime)
	if err != nil {
		return nil, err
	}
	host := "127.0.0.1"
	if s.Film.Open {
		host = ""
	}
	root, err := split.Listen(split.RootOptions{
		Address: net.JoinHostPort(host, "0"), Shape: shape, Frames: frames, Owners: owners, Lease: max(s.job.Lease, 4*split.HeartbeatInterval), MinNodes: max(1, s.options.Processes), Check: s.local.checkPart,
		Links: link.Options{Secret: secret, Limit: s.local.linkLimit(), TLS: cert, Report: func(err error) { s.warn("%v", err) }},
	})
	if err != nil {
		return nil, err
	}
	s.job.Shared = &cluster.Shared{Secret: secret, Addresses: rootAddresses(root.Addr(), host != "")}
	return root, nil
}

// rootAddresses returns the addresses under which nodes can reach the root of a shared film. If loopback is true, the
// root listens on the loopback interface only. Otherwise it listens on all interfaces.
func rootAddresses(listening string, loopback bool) (addresses []string) {
	_, port, err := net.SplitHostPort(listening)
	if err != nil || loopback {
		return []string{listening}
	}
	all, err := net.InterfaceAddrs()
	if err != nil {
		return []string{listening}
	}
	for _, a := range all {
		if n, ok := a.(*net.IPNet); ok && !n.IP.IsLoopback() && !n.IP.IsLinkLocalUnicast() {
			addresses = append(addresses, net.JoinHostPort(n.IP.String(), port))
		}
	}
	if len(addresses) == 0 { // this machine has no network
		addresses = append(addresses, net.JoinHostPort("127.0.0.1", port))
	}
	return addresses
}

// runRoot draws frames. Files are written in the background, while the next frames are drawn.
func (s *Submission) runRoot(ctx context.Context, root *split.Root) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	w := &sharedWriter{Submission: s, work: make(chan *sharedPicture, 1), free: make(chan *sharedPicture, sharedPictures), ended: make(chan error, 1)}
	for range sharedPictures {
		w.free <- new(sharedPicture)
	}
	go func() {
		err := w.run(ctx)
		if err != nil {
			cancel(err)
		}
		w.ended <- err
	}()
	go s.watchCancel(ctx, cancel)
	err := root.Run(ctx, func(p *split.Picture) error {
		s.owners.update(p, time.Now())
		return w.queuePicture(ctx, p)
	})
	close(w.work)
	written := <-w.ended
	if cause := context.Cause(ctx); cause == errFilmCancelled {
		return nil // s.result reports the cancellation
	}
	if written != nil {
		return written
	}
	return err
}

// sharedPictures is the largest number of pictures that are being written or wait to be written at a time.
const sharedPictures = 2

// A sharedPicture is a complete frame that is to be written.
type sharedPicture struct {
	pic     render.Picture // the pixels; unused if nodes send encoded rows
	file    bytes.Buffer
	frame   int
	covered int
	nodes   int
	elapsed time.Duration
}

// A sharedWriter writes the files of a shared film in the background.
type sharedWriter struct {
	*Submission
	work, free chan *sharedPicture
	ended      chan error
}

// queuePicture queues a complete picture for writing. It copies the pixels. If nodes sent encoded rows instead, it
// joins the rows to a file.
func (w *sharedWriter) queuePicture(ctx context.Context, p *split.Picture) error {
	var s *sharedPicture
	select {
	case s = <-w.free:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	s.frame, s.covered, s.nodes, s.elapsed = p.Frame, p.Covered, p.Nodes, p.Elapsed
	s.file.Reset()
	if w.local.slabs != nil {
		if err := w.local.slabs.Assemble(&s.file, p.Parts, w.local.pngOptions(ctx, w.local.metadata(p.Frame))); err != nil {
			return err
		}
	} else {
		s.pic.Width, s.pic.Height = w.local.Width, w.local.Height
		s.pic.Pix = append(s.pic.Pix[:0], p.Pixels...)
	}
	select {
	case w.work <- s:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// run writes the queued pictures that arrive in the channel `work`, until the channel is closed.
func (w *sharedWriter) run(ctx context.Context) error {
	for s := range w.work {
		if err := w.write(ctx, s); err != nil {
			return err
		}
		w.free <- s
	}
	return nil
}

// write writes and records one picture.
func (w *sharedWriter) write(ctx context.Context, s *sharedPicture) error {
	if s.covered == 0 {
		x := &cluster.Failure{Node: "root", Tries: 1, Round: w.job.Round, Error: w.local.blankError().Error()}
		if err := x.Sign(w.cluster.Seed(), w.id, s.frame); err != nil {
			return err
		}
		if err := cluster.WithRetries(ctx, cluster.TryTimeout, func(ctx context.Context) error { return w.cluster.Fail(ctx, w.job, s.frame, x) }); err != nil {
			return err
		}
		return w.noteFailed(s.frame, x)
	}
	if w.local.slabs == nil {
		if err := w.local.encode(ctx, &s.file, &s.pic, s.frame); err != nil {
			return err
		}
	}
	picture := s.file.Bytes()
	if _, err := w.local.Save(ctx, s.frame, picture); err != nil {
		return err
	}
	d := &cluster.Done{Hash: cluster.Hash(picture), Node: strconv.Itoa(s.nodes) + "-nodes", Seconds: s.elapsed.Seconds(), Bytes: len(picture)}
	if err := d.Sign(w.cluster.Seed(), w.id, s.frame); err != nil {
		return err
	}
	if err := cluster.WithRetries(ctx, cluster.TryTimeout, func(ctx context.Context) error { return w.cluster.Record(ctx, w.job, s.frame, d) }); err != nil {
		return err
	}
	return w.noteDone(s.frame, d)
}

// cancelPause is the time between two checks whether a film was cancelled.
const cancelPause = 2 * time.Second

// watchCancel calls the function cancel when another process has cancelled the film.
func (s *Submission) watchCancel(ctx context.Context, cancel context.CancelCauseFunc) {
	t := time.NewTicker(cancelPause)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			if job, err := s.cluster.Job(ctx, s.job.ID); err == nil && job.Cancelled {
				cancel(errFilmCancelled)
				return
			}
		}
	}
}
