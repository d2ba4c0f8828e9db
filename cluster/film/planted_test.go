package film

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"lockstep/cluster"
	"lockstep/internal/clitest"
	"lockstep/render/recipe"
)

// TestPlantedRecords checks a shared film that is started again. It must ignore records that a node has invented. It
// must use its own records, and records of nodes that drew whole frames before.
func TestPlantedRecords(t *testing.T) {
	t.Parallel()
	farm := startKeyedServer(t)
	dir, mesh := clitest.CubeFile(t)
	f := cubes(mesh, dir+"/out")
	f.Animation.Frames, f.Shared = 8, true
	startNode(t, &Node{Cluster: farm.dial(farm.honest), Name: "honest", Workers: 1})
	kept := 0
	draw := func(before func(s *Submission)) *Submission {
		conn := farm.dial(farm.submit)
		first := true
		s, err := Open(t.Context(), f, Options{Drawer: recipe.Drawer{Workers: 1}, Warn: func(line string) { t.Log(line) }, Settled: func(n int) {
			if first {
				kept, first = n, false
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		if before != nil {
			before(s)
		}
		if err := s.Draw(t.Context(), conn); err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := draw(nil)
	name := s.names.Name
	forget := func(k int) {
		if err := os.Remove(name(k)); err != nil {
			t.Fatal(err)
		}
	}
	record := func(k int, seed []byte) {
		r := newRogue(t, farm.url, farm.bad, s, rand.New(rand.NewPCG(1, 1)))
		d := &cluster.Done{Hash: cluster.Hash(clitest.Read(t, name(k))), Node: "n"}
		if err := d.Sign(seed, s.id, k); err != nil {
			t.Fatal(err)
		}
		// The test waits for the answer, which the server sends after it has stored the record. After a flush alone the
		// record might not be stored yet.
		if err := r.request(fmt.Sprintf("$KV.done.%s.%d", s.id, k), d); err != nil {
			t.Fatal(err)
		}
	}
	want := map[int][]byte{}
	for k := range 8 {
		want[k] = clitest.Read(t, name(k))
	}
	draw(func(s *Submission) {
		clitest.Write(t, name(1), string(want[0])) // a picture of an earlier film whose hash somebody knows
		record(1, nil)
		clitest.Write(t, name(2), string(want[0]))
		record(2, farm.bad)
		record(5, farm.bad) // a correct record, but signed with the same key
		record(6, farm.honest)
		r := newRogue(t, farm.url, farm.bad, s, rand.New(rand.NewPCG(1, 1)))
		forget(3)
		if err := r.request("$KV.done."+s.id+".3", "", "KV-Operation", "DEL"); err != nil {
			t.Fatal(err)
		}
		if err := r.request("$KV.failures."+s.id+".3", &cluster.Failure{Node: "root", Error: "no"}); err != nil {
			t.Fatal(err)
		}
	})
	if kept != 4 { // frames 0, 4, 6 and 7
		t.Errorf("%d pictures were kept, want 4", kept)
	}
	for k := range 8 {
		if !bytes.Equal(clitest.Read(t, name(k)), want[k]) {
			t.Errorf("frame %d is another one", k)
		}
	}
}
