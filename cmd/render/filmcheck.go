package main

import (
	"context"
	"maps"
	"os"
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
func (r *reel) suspect(k int, d *cluster.Done) bool {
	switch {
	case d.Node == referee:
		// Those of an earlier run are few, and who else uses the name is not known by it.
		return r.refereed[k] != d.Hash
	case isLocal(d.Node, r.mark):
		return false
	}
	if r.checked == nil {
		r.checked = map[string]int{}
	}
	n := r.checked[d.Node]
	r.checked[d.Node]++
	return n%checkEvery == 0
}

// Done implements cluster.Follower: pictures of other machines are fetched, and some are
// checked. A wrong one brings all of its node into doubt, which are drawn again.
func (f ctxFollower) Done(k int, d *cluster.Done) error {
	if f.suspect(k, d) {
		picture, err := f.own.Draw(f.ctx, k)
		if err != nil {
			return err
		}
		if cluster.Hash(picture) != d.Hash {
			if err := f.Fault(&cluster.Fault{Frame: k, Hash: d.Hash, Node: d.Node}); err != nil {
				return err
			}
			f.app.Progress.Add(1)
			return nil
		}
	}
	if d.Stored {
		if err := f.fetch(f.ctx, k, d); err != nil {
			return err
		}
	}
	return f.reel.Done(k, d)
}

// Fault implements cluster.Follower: this process draws the frame itself and shuts the
// node out that drew something else.
func (f ctxFollower) Fault(x *cluster.Fault) error {
	if x.Node == "" {
		f.app.Warn("frame %d: a node wrote a record that cannot be read: the frame is drawn here", x.Frame)
	}
	began := time.Now()
	picture, err := f.own.Draw(f.ctx, x.Frame)
	if err != nil {
		return err
	}
	right := &cluster.Done{Hash: cluster.Hash(picture), Node: referee, Seconds: time.Since(began).Seconds(), Bytes: len(picture)}
	var blocked []string
	if err := cluster.Persist(f.ctx, cluster.TryTime, func(ctx context.Context) error {
		blocked, err = f.cluster.Settle(ctx, f.job, x, right)
		return err
	}); err != nil {
		return err
	}
	f.note(x.Frame, right)
	for _, node := range blocked {
		if node == referee { // whoever it was: each of its pictures is drawn again
			continue
		}
		if f.forgers == nil {
			f.forgers = map[string]bool{}
		}
		f.forgers[node] = true
		f.app.Warn("node %s drew frame %d differently from all others and is shut out: its machine computes wrongly", node, x.Frame)
	}
	_, err = f.own.Keep(f.ctx, x.Frame, picture)
	return err
}

// note notes a frame that this process drew.
func (r *reel) note(k int, d *cluster.Done) {
	if r.refereed == nil {
		r.refereed = map[int]string{}
	}
	r.refereed[k], r.done[k] = d.Hash, d
}

// damaged returns the frames whose files do not hold what was recorded, or were drawn by a
// node that was shut out.
func (r *reel) damaged() (bad []int) {
	frames := slices.Sorted(maps.Keys(r.done))
	lost := make([]bool, len(frames))
	var next atomic.Int64
	var reading sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		reading.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(frames); i = int(next.Add(1)) - 1 {
				lost[i] = !r.intact(frames[i], r.done[frames[i]])
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
func (r *reel) intact(k int, d *cluster.Done) bool {
	name := r.names.Name(k)
	switch {
	case r.forgers[d.Node]:
		return false
	case d.File != "" && isLocal(d.Node, r.mark) && r.own.fileState(name) == d.File:
		return true
	}
	picture, err := smallfile.Read(name, smallfile.Picture)
	return err == nil && cluster.Hash(picture) == d.Hash
}

// stateAsWritten returns the state of a picture's file after it was renamed. written describes
// the file before that. If another program has changed it in between, the result is "", so
// that the change is not recorded as the node's own picture.
func (f *filmFrames) stateAsWritten(name string, written os.FileInfo) string {
	state := f.fileState(name)
	now, err := os.Stat(name)
	if err != nil || !os.SameFile(now, written) || now.Size() != written.Size() || !now.ModTime().Equal(written.ModTime()) {
		return ""
	}
	return state
}
