package film

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"lockstep/cluster"
	"lockstep/internal/smallfile"
)

// This process checks pictures of other machines by sampling. For each signing key it draws the first frame again, and
// then one frame in checkEvery. It compares each result with the picture that arrived. After a wrong picture, it checks
// moreChecks times as many pictures of the same key.
const (
	checkEvery = 100
	moreChecks = 4
)

// A trust holds the results of checks for one signing key.
type trust struct {
	// pictures counts the pictures that arrived. Counted from 0, pictures 0, every, 2*every and so on are compared with
	// pictures that this process draws.
	pictures, every int
	// failures counts the failures that arrived. wrongFailure is set once this process could draw a frame that failed
	// on a node, because the node may have invented the failure.
	failures     int
	wrongFailure bool
	// unchecked holds the frames whose pictures were accepted without comparison.
	unchecked map[int]bool
	// suspect holds frames that were unchecked and are drawn again, because another picture of the key was wrong.
	suspect map[int]bool
}

// trustOf returns the trust in an author. All nodes with the same key share one trust. If records have no keys, all
// nodes with the same name share one.
func (s *Submission) trustOf(a cluster.Author) *trust {
	if s.trust == nil {
		s.trust = map[string]*trust{}
	}
	id := a.Key
	if id == "" {
		id = a.Node
	}
	if s.trust[id] == nil {
		s.trust[id] = &trust{every: checkEvery, unchecked: map[int]bool{}, suspect: map[int]bool{}}
	}
	return s.trust[id]
}

// countPicture counts a picture that has arrived, and reports whether it has to be compared.
func (t *trust) countPicture() bool {
	t.pictures++
	return (t.pictures-1)%t.every == 0
}

// firstFailures is how many failures of a key are all checked, by drawing their frames here. Later, one failure in
// firstFailures is checked. Failures are checked more often than pictures, because an invented failure does more harm
// than a wrong picture.
const firstFailures = 10

// countFailure counts a failure that, according to its node, every node would meet. It reports whether this process
// has to check that by drawing the frame.
func (t *trust) countFailure() bool {
	t.failures++
	return t.wrongFailure || t.failures <= firstFailures || t.failures%firstFailures == 0
}

// noteWrong notes that a picture of the key was wrong. It makes all unchecked pictures of the key suspect.
func (t *trust) noteWrong() {
	t.every = max(1, t.every/moreChecks)
	for k := range t.unchecked {
		t.suspect[k] = true
	}
	clear(t.unchecked)
}

// isOwn reports whether the author of a record is a node that this program has started.
func (s *Submission) isOwn(a cluster.Author) bool {
	return s.options.OwnKey != "" && a.Key == s.options.OwnKey
}

// isCertain reports whether it is certain who wrote a record, see cluster.Queue.Knows.
func (s *Submission) isCertain(a cluster.Author) bool {
	return a.Key != "" || a.Node != "" && (s.cluster == nil || s.cluster.Knows(a))
}

// needsCheck reports whether this process must draw frame k itself and compare it with the record.
func (s *Submission) needsCheck(k int, d *cluster.Done) bool {
	if d.Node == SubmitterName {
		// Only this process should use SubmitterName, but another process may have used it. So every record with this
		// name is checked, unless this process itself has written it in this run.
		return s.redrawn[k] != d.Hash
	}
	author := d.Author(s.id, k)
	switch {
	case s.isOwn(author):
		return false
	case !s.isCertain(author):
		return true
	case s.blocked[author]: // In the first round the frame is queued for other nodes. Later it is drawn here.
		return s.distrusts > 0
	}
	t := s.trustOf(author)
	if t.countPicture() {
		return true
	}
	t.unchecked[k] = true
	return false
}

// Done implements cluster.Follower. It downloads pictures that other machines drew. It compares some of these pictures
// with pictures that this process draws. If a picture is wrong or malformed, its node is blocked, and all pictures with
// the same key are drawn again, except those that were compared.
func (f follower) Done(k int, d *cluster.Done) error {
	wrong, err := f.isWrong(k, d)
	if err != nil {
		return err
	}
	if wrong {
		if err := f.Fault(&cluster.Fault{Frame: k, Done: *d}); err != nil {
			return err
		}
		f.reportSettled(1)
		return nil
	}
	return f.noteDone(k, d)
}

// isWrong reports whether the picture of frame k is known to be wrong. It downloads the picture if necessary. It
// compares only some pictures.
func (f follower) isWrong(k int, d *cluster.Done) (bool, error) {
	if f.needsCheck(k, d) {
		picture, err := f.local.Draw(f.ctx, k)
		if err != nil {
			return false, err
		}
		if cluster.Hash(picture) != d.Hash {
			return true, nil
		}
		if d.Stored {
			err = f.keepPicture(f.ctx, k, d.Hash, picture)
		}
		return false, err
	}
	author := d.Author(f.id, k)
	switch {
	case f.blocked[author]:
		return false, nil
	case !d.Stored: // after a wrong picture, check the file now: a missing file would cost another round
		return f.distrusts > 0 && !f.isOwn(author) && !f.isIntact(k, d), nil
	}
	err := f.downloadPicture(f.ctx, k, d)
	if errors.Is(err, errNoPicture) {
		return true, nil
	}
	return false, err
}

// Fault implements cluster.Follower. A fault is a disagreement about a frame. This process draws the frame and blocks
// the nodes whose picture differs.
func (f follower) Fault(x *cluster.Fault) error {
	if x.Node == "" { // the node is unknown, see cluster.Follower.Fault
		f.warn("frame %d: a node wrote a record that cannot be read, or removes those of others: the frame is drawn here", x.Frame)
	}
	return f.settle(x)
}

// settle draws the frame of a fault and blocks the nodes whose picture differs. It records its own picture, unless the
// same picture is recorded already.
func (f follower) settle(x *cluster.Fault) error {
	right, picture, err := f.rightPicture(x.Frame)
	if err != nil {
		return err
	}
	var blocked []cluster.Author
	if err := cluster.WithRetries(f.ctx, cluster.TryTimeout, func(ctx context.Context) error {
		blocked, err = f.cluster.Settle(ctx, f.job, x, right)
		return err
	}); err != nil {
		return err
	}
	f.noteRedrawn(x.Frame, right)
	for _, author := range blocked {
		if author.Node != SubmitterName && !f.blocked[author] { // another process may have used the name of this one
			f.warn("node %s drew frame %d differently from all others and is shut out: its machine computes wrongly%s", author.Node, x.Frame, keySuffix(author))
		}
		f.trustOf(author).noteWrong()
		if f.blocked == nil {
			f.blocked = map[cluster.Author]bool{}
		}
		f.blocked[author] = true
	}
	if picture == nil {
		return nil // the picture is saved already
	}
	return f.keepPicture(f.ctx, x.Frame, right.Hash, picture)
}

// rightPicture draws a frame and returns its record and its picture. If this process has drawn the frame before, it
// returns the record alone.
func (f follower) rightPicture(k int) (right *cluster.Done, picture []byte, err error) {
	if d := f.done[k]; d != nil && d.Node == SubmitterName && f.redrawn[k] == d.Hash {
		return d, nil, nil
	}
	began := time.Now()
	if picture, err = f.local.Draw(f.ctx, k); err != nil {
		return nil, nil, err
	}
	return &cluster.Done{Hash: cluster.Hash(picture), Node: SubmitterName, Seconds: time.Since(began).Seconds(), Bytes: len(picture)}, picture, nil
}

// keySuffix returns the end of a message, which names the key of a node. The node's name alone is ambiguous, because
// other nodes may use the same name.
func keySuffix(a cluster.Author) string {
	if a.Key == "" {
		return ""
	}
	return fmt.Sprintf(" (it signs with the key %.8s...)", a.Key)
}

// A keptFile describes a picture that this process saved: the picture's hash, and the fingerprint of its file (see
// fileState).
type keptFile struct{ hash, state string }

// keepPicture saves a picture in the folder of the film. If saving fails, for example because the disk is full, it
// warns once. It then tries again until it succeeds or ctx ends.
func (s *Submission) keepPicture(ctx context.Context, k int, hash string, picture []byte) error {
	for tries := 0; ; tries++ {
		_, err := s.local.Save(ctx, k, picture)
		if err == nil {
			if s.kept == nil {
				s.kept = map[int]keptFile{}
			}
			s.kept[k] = keptFile{hash, s.local.FileState()}
		}
		if err == nil || ctx.Err() != nil {
			return err
		}
		if tries == 0 {
			s.warn("frame %d cannot be saved, and saving is tried again: %v", k, err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(keepPause):
		}
	}
}

// keepPause is the time between two attempts to save a picture.
const keepPause = 500 * time.Millisecond

// damagedFrames returns the frames that must be drawn again. These are frames whose file does not match the record,
// whose node is blocked, or that are suspect.
func (s *Submission) damagedFrames() (damaged []int) {
	frames := slices.Sorted(maps.Keys(s.done))
	isDamaged := make([]bool, len(frames))
	var next atomic.Int64
	var reading sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		reading.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(frames); i = int(next.Add(1)) - 1 {
				isDamaged[i] = !s.isIntact(frames[i], s.done[frames[i]])
			}
		})
	}
	reading.Wait()
	for i, k := range frames {
		if isDamaged[i] {
			damaged = append(damaged, k)
		}
	}
	return damaged
}

// isIntact reports whether a frame's file matches its record. It does not read a file that this process or its own
// nodes wrote, if the file's fingerprint shows that the file was not changed.
func (s *Submission) isIntact(k int, d *cluster.Done) bool {
	name := s.names.Name(k)
	author := d.Author(s.id, k)
	kept := s.kept[k]
	switch {
	case s.blocked[author] || s.isSuspect(k):
		return false
	case kept.state != "" && kept.hash == d.Hash && s.local.fileState(name) == kept.state:
		return true
	case d.FileState != "" && s.isOwn(author) && s.local.fileState(name) == d.FileState:
		return true
	}
	picture, err := smallfile.Read(name, smallfile.MaxPicture)
	return err == nil && cluster.Hash(picture) == d.Hash && (s.isOwn(author) || checkPNG(picture, s.width, s.height) == nil)
}

// isSuspect reports whether frame k has to be drawn again, because another picture with the same key was wrong.
func (s *Submission) isSuspect(k int) bool {
	for _, t := range s.trust {
		if t.suspect[k] {
			return true
		}
	}
	return false
}

// forgiveSuspects makes all frames unsuspected again. It reports whether all damaged frames were drawn by other
// machines. If so, the nodes of these machines may be faulty.
func (s *Submission) forgiveSuspects(damaged []int) bool {
	for _, t := range s.trust {
		clear(t.suspect)
	}
	return !slices.ContainsFunc(damaged, func(k int) bool {
		d := s.done[k]
		return d.Node == SubmitterName && s.redrawn[k] == d.Hash || s.isOwn(d.Author(s.id, k))
	})
}
