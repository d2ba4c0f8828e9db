package film

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"lockstep/cluster"
	"lockstep/internal/clitest"
	"lockstep/render/recipe"
)

// TestCancelEarlier checks that a film cancels an earlier film whose pictures have the same names. It must cancel no
// other film. The test also checks that nodes report the frames that they begin.
func TestCancelEarlier(t *testing.T) {
	t.Parallel()
	dial := startServer(t)
	conn, dir := dial(), t.TempDir()
	_, mesh := clitest.CubeFile(t)
	submit := func(out string, frames int, o Options) *Submission {
		f := cubes(mesh, out)
		f.Animation.Frames = frames
		s, err := Open(t.Context(), f, o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		s.cluster = conn
		return s
	}
	earlier, other := submit(dir+"/a", 5, Options{}), submit(dir+"/b", 5, Options{})
	given, finished := submit(dir+"/a", 6, Options{}), submit(dir+"/a", 7, Options{})
	for _, s := range []*Submission{earlier, other, given, finished} {
		if err := s.submit(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := given.Abandon(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := finished.Finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	var said []string
	var begun atomic.Int64
	var film *Submission
	// No node runs before the earlier film is cancelled, because a node could draw all of its few frames before that.
	warn := func(line string) {
		said = append(said, line)
		id := film.job.ID
		startNode(t, &Node{Cluster: dial(), Name: "node", Workers: 1, Begun: func(job cluster.Job, _ int) {
			if job.ID == id {
				begun.Add(1)
			}
		}})
	}
	film = submit(dir+"/a", 3, Options{ReplaceEarlier: true, Warn: warn, Drawer: recipe.Drawer{Workers: 1}})
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := film.Draw(ctx, conn); err != nil {
		t.Fatal(err)
	}
	if len(said) != 1 || !strings.Contains(said[0], dir+"/a: an earlier film with pictures of the same names is given up: ") {
		t.Errorf("%q", said)
	}
	if n := begun.Load(); n < 3 {
		t.Errorf("%d frames were begun", n)
	}
	for s, cancelled := range map[*Submission]bool{earlier: true, other: false, given: true, finished: false, film: false} {
		if job, err := conn.Job(t.Context(), s.job.ID); err != nil || job.Cancelled != cancelled {
			t.Errorf("%s of %d frames: cancelled %v, %v", s.names.Output, s.job.Frames, job.Cancelled, err)
		}
	}
}
