package film

import (
	"math/rand/v2"
	"testing"

	"lockstep/cluster"
	"lockstep/internal/clitest"
	"lockstep/render/recipe"
)

// TestWrongWithoutComparison checks which pictures of other nodes are drawn again here without a comparison. One kind
// is an upload that is not a picture. The other kind is a picture that is missing from the folder in spite of its
// record, if a wrong picture was found before.
func TestWrongWithoutComparison(t *testing.T) {
	_, mesh := clitest.CubeFile(t)
	ownSeed, own := newKey(t)
	seed, _ := newKey(t)
	s, err := Open(t.Context(), cubes(mesh, t.TempDir()), Options{Drawer: recipe.Drawer{Workers: 1}, OwnKey: own})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	right, err := s.local.Draw(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	clitest.Write(t, s.names.Name(1), string(right))
	hash := cluster.Hash(right)
	for _, c := range []struct {
		what      string
		seed      []byte
		frame     int
		d         cluster.Done
		distrusts int
		wrong     bool
	}{
		{"an upload that is too long", seed, 0, cluster.Done{Hash: hash, Stored: true, Bytes: s.maxPictureBytes() + 1}, 0, true},
		{"an upload that is there already", seed, 1, cluster.Done{Hash: hash, Stored: true}, 0, false},
		{"no file", seed, 0, cluster.Done{Hash: hash}, 0, false},
		{"no file, after a wrong picture", seed, 0, cluster.Done{Hash: hash}, 1, true},
		{"no file of an own node, after a wrong picture", ownSeed, 0, cluster.Done{Hash: hash}, 1, false},
		{"the right file, after a wrong picture", seed, 1, cluster.Done{Hash: hash}, 1, false},
	} {
		c.d.Node = "n"
		d := signedDone(t, c.seed, c.frame, c.d)
		if err := d.Sign(c.seed, s.id, c.frame); err != nil {
			t.Fatal(err)
		}
		s.distrusts = c.distrusts
		s.trustOf(d.Author(s.id, c.frame)).pictures = 1 // the first picture is always compared
		if wrong, err := (follower{t.Context(), s}).isWrong(c.frame, d); wrong != c.wrong || err != nil {
			t.Errorf("%s: wrong %v, %v", c.what, wrong, err)
		}
	}
}

// TestWrongPicturesAreSettled checks that a frame counts as settled only once if its picture was wrong and it is drawn
// again here.
func TestWrongPicturesAreSettled(t *testing.T) {
	t.Parallel()
	farm := startKeyedServer(t)
	dir, mesh := clitest.CubeFile(t)
	f := cubes(mesh, dir+"/out")
	settled := 0
	s, err := Open(t.Context(), f, Options{Drawer: recipe.Drawer{Workers: 1}, Settled: func(n int) { settled += n }})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	d := &cluster.Done{Hash: cluster.Hash([]byte("another picture")), Node: "bad"}
	if err := d.Sign(farm.bad, s.id, 0); err != nil {
		t.Fatal(err)
	}
	r := newRogue(t, farm.url, farm.bad, s, rand.New(rand.NewPCG(1, 1)))
	if err := r.request("$KV.done."+s.id+".0", d); err != nil {
		t.Fatal(err)
	}
	startNode(t, &Node{Cluster: farm.dial(farm.honest), Name: "honest", Workers: 1})
	if err := s.Draw(t.Context(), farm.dial(farm.submit)); err != nil {
		t.Fatal(err)
	}
	if len(s.blocked) != 1 || settled != f.Animation.Frames {
		t.Errorf("%d nodes are shut out, %d frames are settled, want 1 and %d", len(s.blocked), settled, f.Animation.Frames)
	}
}
