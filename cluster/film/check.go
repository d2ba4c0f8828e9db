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

// checkEvery is how many pictures of each key of other machines there are to one that this process draws again and
// compares. The first picture is always compared. After a wrong picture there are fewer, by mistrust.
const (
	checkEvery = 100
	mistrust   = 4
)

// A trust is what this process knows of the records that were signed by one key.
type trust struct {
	// pictures counts the pictures that arrived, and every is how many there are to one that is compared.
	pictures, every int
	// failures counts the failures that arrived. One that was made up sets wrongFailure.
	failures     int
	wrongFailure bool
	// taken are the frames of which pictures were taken without a comparison.
	taken map[int]bool
	// suspect are the frames of these that are drawn again, because another picture was wrong.
	suspect map[int]bool
}

// trustOf returns what is known of an author. Names count only where the server has no keys.
func (s *Submission) trustOf(a cluster.Author) *trust {
	if s.trust == nil {
		s.trust = map[string]*trust{}
	}
	id := a.Key
	if id == "" {
		id = a.Node
	}
	if s.trust[id] == nil {
		s.trust[id] = &trust{every: checkEvery, taken: map[int]bool{}, suspect: map[int]bool{}}
	}
	return s.trust[id]
}

// compares counts a picture and reports whether it is to be compared.
func (t *trust) compares() bool {
	t.pictures++
	return (t.pictures-1)%t.every == 0
}

// firstFailures is how many failures of a key are tried here before only one of as many is. A failure that is made up
// does more harm than a wrong picture.
const firstFailures = 10

// comparesFailure counts a failure that would recur, and reports whether it is to be tried here.
func (t *trust) comparesFailure() bool {
	t.failures++
	return t.wrongFailure || t.failures <= firstFailures || t.failures%firstFailures == 0
}

// wrong notes that a picture was wrong.
func (t *trust) wrong() {
	t.every = max(1, t.every/mistrust)
	for k := range t.taken {
		t.suspect[k] = true
	}
	clear(t.taken)
}

// isOwn reports whether a record is of a node that this program has started.
func (s *Submission) isOwn(a cluster.Author) bool {
	return s.options.OwnKey != "" && a.Key == s.options.OwnKey
}

// knows reports whether the author of a record is known.
func (s *Submission) knows(a cluster.Author) bool {
	return a.Key != "" || a.Node != "" && (s.cluster == nil || s.cluster.Knows(a))
}

// needsCheck reports whether this process draws frame k itself to compare it with the record.
func (s *Submission) needsCheck(k int, d *cluster.Done) bool {
	if d.Node == SubmitterName {
		// The name is reserved for this process, but another one may have used it. Every record with it is checked that
		// this process did not write itself in this run.
		return s.redrawn[k] != d.Hash
	}
	author := d.Author(s.id, k)
	switch {
	case s.isOwn(author):
		return false
	case !s.knows(author):
		return true
	case s.blocked[author]: // others draw the frame again, or this process in the next round, for the node may go on for ever
		return s.distrusts > 0
	}
	t := s.trustOf(author)
	if t.compares() {
		return true
	}
	t.taken[k] = true
	return false
}

// Done implements cluster.Follower. It downloads pictures of other machines and compares some of them with a picture
// drawn here. If one is wrong, or is no picture at all, its node is blocked, and the frames of its key that were not
// compared are drawn again.
func (f follower) Done(k int, d *cluster.Done) error {
	wrong, err := f.isWrong(k, d)
	if err != nil {
		return err
	}
	if wrong {
		if err := f.Fault(&cluster.Fault{Frame: k, Done: *d}); err != nil {
			return err
		}
		f.settled(1)
		return nil
	}
	return f.noteDone(k, d)
}

// isWrong reports whether a picture is not the right one, as far as this process looks at it.
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
			err = f.keep(f.ctx, k, picture)
		}
		return false, err
	}
	author := d.Author(f.id, k)
	switch {
	case f.blocked[author]:
		return false, nil
	case !d.Stored: // a claim without a picture would cost one round of the film after the other
		return f.distrusts > 0 && !f.isOwn(author) && !f.intact(k, d), nil
	}
	err := f.downloadPicture(f.ctx, k, d)
	if errors.Is(err, errNoPicture) {
		return true, nil
	}
	return false, err
}

// Fault implements cluster.Follower. This process draws the frame itself and blocks the node that drew another picture.
func (f follower) Fault(x *cluster.Fault) error {
	if x.Node == "" {
		f.warn("frame %d: a node wrote a record that cannot be read, or removes those of others: the frame is drawn here", x.Frame)
	}
	return f.settle(x)
}

// settle draws a frame and records it, unless the same is recorded already, and blocks the nodes that drew another
// picture.
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
			f.warn("node %s drew frame %d differently from all others and is shut out: its machine computes wrongly%s", author.Node, x.Frame, signedBy(author))
		}
		f.trustOf(author).wrong()
		if f.blocked == nil {
			f.blocked = map[cluster.Author]bool{}
		}
		f.blocked[author] = true
	}
	if picture == nil {
		return nil // it was saved before
	}
	return f.keep(f.ctx, x.Frame, picture)
}

// rightPicture draws a frame and returns its record. The picture is nil if this process has drawn it before.
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

// signedBy returns a note of the key of a node, because other nodes may use its name.
func signedBy(a cluster.Author) string {
	if a.Key == "" {
		return ""
	}
	return fmt.Sprintf(" (it signs with the key %.8s...)", a.Key)
}

// keep saves a picture in the folder of the film. While it cannot be saved, for lack of room or permission, keep waits
// and warns once: a film that is under way goes on when it can.
func (s *Submission) keep(ctx context.Context, k int, picture []byte) error {
	for tries := 0; ; tries++ {
		_, err := s.local.Save(ctx, k, picture)
		if err == nil || ctx.Err() != nil {
			return err
		}
		if tries == 0 {
			s.warn("frame %d cannot be saved, which is tried again: %v", k, err)
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

// damagedFrames returns the frames that must be drawn again: their files do not match the records, or their node is
// blocked.
func (s *Submission) damagedFrames() (damaged []int) {
	frames := slices.Sorted(maps.Keys(s.done))
	isDamaged := make([]bool, len(frames))
	var next atomic.Int64
	var reading sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		reading.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(frames); i = int(next.Add(1)) - 1 {
				isDamaged[i] = !s.intact(frames[i], s.done[frames[i]])
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

// intact reports whether a frame's file matches its record. A file that this machine's nodes wrote need not be read if
// its fingerprint shows that nobody changed it.
func (s *Submission) intact(k int, d *cluster.Done) bool {
	name := s.names.Name(k)
	author := d.Author(s.id, k)
	switch {
	case s.blocked[author] || s.isSuspect(k):
		return false
	case d.FileState != "" && s.isOwn(author) && s.local.fileState(name) == d.FileState:
		return true
	}
	picture, err := smallfile.Read(name, smallfile.Picture)
	return err == nil && cluster.Hash(picture) == d.Hash && (s.isOwn(author) || checkPNG(picture, s.width, s.height) == nil)
}

// isSuspect reports whether frame k is to be drawn again, because another picture by the same key was wrong.
func (s *Submission) isSuspect(k int) bool {
	for _, t := range s.trust {
		if t.suspect[k] {
			return true
		}
	}
	return false
}

// forgiveSuspects forgets which frames are drawn again because another picture was wrong, and reports whether all of the
// damaged frames are of other machines, which may lie, and none is of this program's own.
func (s *Submission) forgiveSuspects(damaged []int) bool {
	for _, t := range s.trust {
		clear(t.suspect)
	}
	return !slices.ContainsFunc(damaged, func(k int) bool {
		d := s.done[k]
		return d.Node == SubmitterName && s.redrawn[k] == d.Hash || s.isOwn(d.Author(s.id, k))
	})
}
