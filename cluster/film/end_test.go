package film

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"lockstep/cluster"
	"lockstep/internal/clitest"
	"lockstep/internal/framename"
	"lockstep/render/recipe"
)

// TestCancelledFilm checks that the error of a cancelled film is Incomplete, and that Submitted is called once. A frame
// that was not drawn must not be reported.
func TestCancelledFilm(t *testing.T) {
	t.Parallel()
	dial := startServer(t)
	conn := dial()
	dir, mesh := clitest.CubeFile(t)
	submitted, frames, settled := make(chan bool, 9), 0, 0
	s, err := Open(t.Context(), cubes(mesh, dir), Options{
		Submitted: func() { submitted <- true }, Begin: func(n int) { frames = n }, Settled: func(n int) { settled += n },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	drawn := make(chan error, 1)
	go func() { drawn <- s.Draw(t.Context(), conn) }()
	<-submitted
	if err := dial().Cancel(t.Context(), s.Job().ID); err != nil {
		t.Fatal(err)
	}
	var lacks *Incomplete
	if err := <-drawn; !errors.As(err, &lacks) || !lacks.Cancelled || lacks.Drawn != 0 || lacks.Frames != 3 || len(lacks.Failed) != 0 {
		t.Errorf("it ends with %v", err)
	}
	if frames != 3 || settled != 0 || len(submitted) != 0 {
		t.Errorf("%d frames, %d settled, submitted %d times more", frames, settled, len(submitted))
	}
}

// TestFilmsThatFail checks two kinds of films. A film on which nothing is visible is refused after its first frames.
// The error of a film with failed frames names these frames.
func TestFilmsThatFail(t *testing.T) {
	t.Parallel()
	conn := startFarm(t)
	dir := t.TempDir()
	two := append(clitest.Cube([3]float32{-10, 0, 0}, 1), clitest.Cube([3]float32{10, 0, 0}, 1)...)
	clitest.Write(t, filepath.Join(dir, "two.stl"), clitest.STL(two))
	f := Film{Output: recipe.Output{File: filepath.Join(dir, "some")}, Animation: recipe.Animation{Frames: 4, Picture: recipe.Picture{
		Meshes: []recipe.Mesh{{File: filepath.Join(dir, "two.stl")}}, Size: recipe.Size{Width: 60, Height: 60}, Camera: recipe.Camera{Zoom: 8, View: &recipe.View{}, Fit: "box"},
	}}}
	var lacks *Incomplete
	if err := drawFilm(t, conn, f); !errors.As(err, &lacks) || lacks.Drawn != 2 || lacks.Failed[0] == nil || lacks.Failed[2] == nil || len(lacks.Failed) != 2 || lacks.Cancelled {
		t.Errorf("a film of blank frames among others: %v", err)
	}
	f.Animation.Motion, f.Output.File = "still", filepath.Join(dir, "none")
	var refused *Refused
	if err := drawFilm(t, conn, f); !errors.As(err, &refused) || !recipe.IsBlank(err) {
		t.Errorf("a film of blank frames alone: %v", err)
	}
}

// TestDamagedFrames checks that a picture is drawn again if it was changed, is missing, or was drawn by a blocked node.
// No other picture may be drawn again.
func TestDamagedFrames(t *testing.T) {
	dir := t.TempDir()
	names, err := framename.New(filepath.Join(dir, "f#.png"), "", 6)
	if err != nil {
		t.Fatal(err)
	}
	own, ownKey := newKey(t)
	s := &Submission{names: names, local: &frames{}, done: map[int]*cluster.Done{}, options: Options{OwnKey: ownKey},
		blocked: map[cluster.Author]bool{{Key: ownKey, Node: "forger"}: true}}
	done := func(k int, node string) *cluster.Done {
		return signedDone(t, own, k, cluster.Done{Hash: cluster.Hash([]byte("picture")), Node: node})
	}
	for k := range 6 {
		clitest.Write(t, names.Name(k), "picture")
		s.done[k] = done(k, "node")
	}
	if bad := s.damagedFrames(); len(bad) != 0 {
		t.Errorf("of whole pictures %v are damaged", bad)
	}
	clitest.Write(t, names.Name(1), "changed")
	if err := os.Remove(names.Name(3)); err != nil {
		t.Fatal(err)
	}
	s.done[4] = done(4, "forger")
	if bad := s.damagedFrames(); !slices.Equal(bad, []int{1, 3, 4}) {
		t.Errorf("damaged: %v", bad)
	}
	s.done[0].Sig = s.done[2].Sig // the file is not a PNG; only files of nodes in other programs are checked
	if bad := s.damagedFrames(); !slices.Equal(bad, []int{0, 1, 3, 4}) {
		t.Errorf("damaged: %v", bad)
	}
}
