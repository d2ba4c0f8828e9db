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

// checkEvery is how many pictures of another machine there are to one that this process
// draws again, beginning with the machine's first.
const checkEvery = 100

// suspect reports whether a picture is to be drawn again.
func (s *Submission) needsCheck(k int, d *cluster.Done) bool {
	switch {
	case d.Node == SubmitterName:
		// Those of an earlier run are few, and who else uses the name is not known by it.
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

// Done implements cluster.Follower: pictures of other machines are fetched, and some are
// checked. A wrong one brings all of its node into doubt, which are drawn again.
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

// Fault implements cluster.Follower: this process draws the frame itself and shuts the
// node out that drew something else.
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
		if node == SubmitterName { // whoever it was: each of its pictures is drawn again
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

// damaged returns the frames whose files do not hold what was recorded, or were drawn by a
// node that was shut out.
func (s *Submission) damagedFrames() (bad []int) {
	frames := slices.Sorted(maps.Keys(s.done))
	lost := make([]bool, len(frames))
	var next atomic.Int64
	var reading sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		reading.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(frames); i = int(next.Add(1)) - 1 {
				lost[i] = !s.intact(frames[i], s.done[frames[i]])
			}
		})
	}
	reading.Wait()
	for i, k := range frames {
		if lost[i] {
			bad = append(bad, k)
		}
	}
	return bad
}

// intact reports whether a frame's file holds what was recorded. A file of this machine that nobody
// has written to since its node did need not be read.
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
