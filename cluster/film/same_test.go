package film

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"lockstep/cluster"
	"lockstep/cluster/server"
	"lockstep/internal/framename"
	"lockstep/render/recipe"
	"lockstep/render/recipe/recipetest"
)

var long = flag.Bool("long", false, "draw as many random films as rapid checks, not a few")

// Without -long the test stops after fewFilms films that have pictures. It also stops after trying someFilms films, if
// at least one film had pictures.
const fewFilms, someFilms = 4, 25

// startServer starts a server in this process, without nodes. dial connects to it.
func startServer(t *testing.T) (dial func() *cluster.Cluster) {
	t.Helper()
	s, err := server.Start(server.Options{Dir: t.TempDir(), SyncLater: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	dial = func() *cluster.Cluster {
		conn, err := cluster.Dial(t.Context(), cluster.Address{URL: "nats://" + s.Addr().String()})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(conn.Close)
		return conn
	}
	if err := dial().Prepare(t.Context(), cluster.Limits{}); err != nil {
		t.Fatal(err)
	}
	return dial
}

// startNode runs a node until the test ends.
func startNode(t *testing.T, node *Node) {
	t.Helper()
	ctx, end := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- node.Work(ctx, ctx, 0, nil) }()
	t.Cleanup(func() {
		end()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("node %s: %v", node.Name, err)
		}
	})
}

// A keyPair is a seed with its public key.
type keyPair struct {
	seed   []byte
	public string
}

// farmKeys returns the keys with which the nodes of startFarm sign.
var farmKeys = sync.OnceValue(func() keyPair {
	seed, public, err := server.NewKey()
	if err != nil {
		panic(err)
	}
	return keyPair{seed, public}
})

// startFarm starts a server and two nodes in this process, and returns a connection to the server.
func startFarm(t *testing.T) *cluster.Cluster {
	t.Helper()
	dial := startServer(t)
	for i := range 2 {
		startNode(t, &Node{Cluster: dial(), Name: fmt.Sprint("node-", i), Workers: 1 + i, Seed: farmKeys().seed})
	}
	return dial()
}

// TestFilmsHaveSameBytes checks that the frames that two nodes draw, separately or together, have the same bytes as
// the frames that one process draws. If drawing fails in one process, the film must also fail.
func TestFilmsHaveSameBytes(t *testing.T) {
	t.Parallel()
	conn, dir := startFarm(t), t.TempDir()
	tried, drawn := 0, 0
	rapid.Check(t, func(r *rapid.T) {
		if !*long && (drawn >= fewFilms || drawn > 0 && tried >= someFilms) { // most recipes draw nothing
			return
		}
		tried++
		a := recipetest.Moving([]string{"scene:gear?triangles=500", "scene:knot?triangles=600", "scene:cube"}, []string{"t"}).Draw(r, "animation")
		var want [][]byte
		alone := new(recipe.Drawer).Frames(t.Context(), a, recipe.Output{}, func(_ int, file []byte) error {
			want = append(want, bytes.Clone(file))
			return nil
		})
		f := Film{Animation: a, Output: recipe.Output{File: filepath.Join(dir, fmt.Sprint(tried), "f_##.png")}}
		f.Shared = a.Picture.Crop == (recipe.Rect{}) && rapid.Bool().Draw(r, "shared")
		f.Open = rapid.Bool().Draw(r, "open")
		err := drawFilm(t, conn, f)
		switch {
		case alone != nil && err == nil:
			r.Fatalf("the film is drawn, and one process says %v", alone)
		case alone != nil:
			return
		case err != nil:
			r.Fatalf("the film says %v", err)
		}
		drawn++
		names, err := framename.New(f.Output.File, "", len(want))
		if err != nil {
			r.Fatal(err)
		}
		for k := range want {
			if got, err := os.ReadFile(names.Name(k)); err != nil || !bytes.Equal(got, want[k]) {
				r.Fatalf("frame %d of %s differs: %v", k, a, err)
			}
		}
	})
	t.Logf("%d of %d films had pictures", drawn, tried)
	if drawn == 0 {
		t.Error("no film had pictures")
	}
}

// drawFilm draws a film by the nodes of a farm.
func drawFilm(t *testing.T, conn *cluster.Cluster, f Film) error {
	s, err := Open(t.Context(), f, Options{Drawer: recipe.Drawer{Workers: 1}, OwnKey: farmKeys().public})
	if err != nil {
		return err
	}
	defer s.Close()
	if err := s.Draw(t.Context(), conn); err != nil {
		return errors.Join(err, s.Abandon(t.Context()))
	}
	return s.Finish(t.Context())
}
