package film

import (
	"context"
	"maps"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"lockstep/cluster"
	"lockstep/internal/smallfile"
)

// checkEvery is how many pictures of each node on another machine there are to one that this process draws again and
// compares. The first picture of each node is always compared.
const checkEvery = 100

// needsCheck reports whether this process draws frame k itself to compare it with the record.
func (s *Submission) needsCheck(k int, d *cluster.Done) bool {
	switch {
	case d.Node == SubmitterName:
		// The name is reserved for this process, but another one may have used it. Every record with it is checked that
		// this process did not write itself in this run.
		return s.redrawn[k] != d.Hash
	case s.isOwnNode(d.Node):
		return false
	}
	if s.checked == nil {
		s.checked = map[string]int{}
	}
	n := s.checked[d.Node]
	s.checked[d.Node]++
	return n%checkEvery == 0
}

// Done implements cluster.Follower. It downloads pictures of other machines and compares some of them with a picture
// drawn here. If one is wrong, its node is blocked, and all frames of that node are drawn again.
func (f follower) Done(k int, d *cluster.Done) error {
	if f.needsCheck(k, d) {
		picture, err := f.local.Draw(f.ctx, k)
		if err != nil {
			return err
		}
		if cluster.Hash(picture) != d.Hash {
			if err := f.Fault(&cluster.Fault{Frame: k, Hash: d.Hash, Node: d.Node}); err != nil {
				return err
			}
			f.settled(1)
			return nil
		}
	}
	if d.Stored {
		if err := f.downloadPicture(f.ctx, k, d); err != nil {
			return err
		}
	}
	return f.noteDone(k, d)
}

// Fault implements cluster.Follower. This process draws the frame itself and blocks the node that drew another picture.
func (f follower) Fault(x *cluster.Fault) error {
	if x.Node == "" {
		f.warn("frame %d: a node wrote a record that cannot be read: the frame is drawn here", x.Frame)
	}
	began := time.Now()
	picture, err := f.local.Draw(f.ctx, x.Frame)
	if err != nil {
		return err
	}
	right := &cluster.Done{Hash: cluster.Hash(picture), Node: SubmitterName, Seconds: time.Since(began).Seconds(), Bytes: len(picture)}
	var blocked []string
	if err := cluster.WithRetries(f.ctx, cluster.TryTimeout, func(ctx context.Context) error {
		blocked, err = f.cluster.Settle(ctx, f.job, x, right)
		return err
	}); err != nil {
		return err
	}
	f.noteRedrawn(x.Frame, right)
	for _, node := range blocked {
		if node == SubmitterName { // another process used this name; all its pictures are checked
			continue
		}
		if f.blocked == nil {
			f.blocked = map[string]bool{}
		}
		f.blocked[node] = true
		f.warn("node %s drew frame %d differently from all others and is shut out: its machine computes wrongly", node, x.Frame)
	}
	_, err = f.local.Save(f.ctx, x.Frame, picture)
	return err
}

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
	switch {
	case s.blocked[d.Node]:
		return false
	case d.FileState != "" && s.isOwnNode(d.Node) && s.local.fileState(name) == d.FileState:
		return true
	}
	picture, err := smallfile.Read(name, smallfile.Picture)
	return err == nil && cluster.Hash(picture) == d.Hash
}

func (s *Submission) isOwnNode(node string) bool {
	return s.options.IsOwnNode != nil && s.options.IsOwnNode(node)
}
