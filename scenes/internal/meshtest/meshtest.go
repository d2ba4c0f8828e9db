// Package meshtest contains checks and inputs that the tests of several readers share.
package meshtest

import (
	"hash/fnv"
	"io"
	"math"
	"slices"
	"testing"

	"lockstep/scenes"
	"lockstep/scenes/internal/vector"
)

// Same fails the test unless got and want have the same coordinates and colours, bit for bit.
func Same(tb tester, got, want *scenes.Mesh) {
	tb.Helper()
	if got.Len() != want.Len() {
		tb.Fatalf("%d triangles, want %d", got.Len(), want.Len())
	}
	for k := range 3 {
		sameFloats(tb, "x", got.X[k], want.X[k])
		sameFloats(tb, "y", got.Y[k], want.Y[k])
		sameFloats(tb, "z", got.Z[k], want.Z[k])
	}
	if got.Origin != want.Origin {
		tb.Fatalf("origin %v, want %v", got.Origin, want.Origin)
	}
	if !slices.Equal(got.Colors, want.Colors) || (got.Colors == nil) != (want.Colors == nil) {
		tb.Fatalf("colours %v, want %v", short(got.Colors), short(want.Colors))
	}
}

func sameFloats(tb tester, axis string, got, want []float32) {
	tb.Helper()
	for t := range want {
		if math.Float32bits(got[t]) != math.Float32bits(want[t]) {
			tb.Fatalf("triangle %d: %s = %v, want %v", t, axis, got[t], want[t])
		}
	}
}

func short(c []uint32) []uint32 { return c[:min(len(c), 8)] }

// A Dribble is an io.Reader that delivers Data in pieces of at most Size bytes. After Data it returns the error End. If
// End is nil, it delivers zeros without end.
type Dribble struct {
	Data    []byte
	Size    int
	End     error
	Forever bool
	Given   int // number of bytes delivered so far
}

// Read implements io.Reader.
func (d *Dribble) Read(p []byte) (int, error) {
	p = p[:min(len(p), d.Size)]
	n := copy(p, d.Data)
	d.Data = d.Data[n:]
	if len(d.Data) == 0 && d.Forever {
		clear(p[n:])
		n = len(p)
	}
	d.Given += n
	switch {
	case n > 0 || d.Size == 0:
		return n, nil
	case d.End != nil:
		return 0, d.End
	}
	return 0, io.EOF
}

// Sum returns a hash of all coordinates and colours.
func Sum(m *scenes.Mesh) uint64 {
	h := fnv.New64a()
	word := func(v uint32) { h.Write([]byte{byte(v), byte(v >> 8), byte(v >> 16), byte(v >> 24)}) }
	for i := range m.Len() {
		for _, c := range m.Triangle(i) {
			for _, v := range c {
				word(math.Float32bits(v))
			}
		}
	}
	for _, c := range m.Colors {
		word(c)
	}
	return h.Sum64()
}

// edge is a directed edge between two points.
type edge struct{ from, to [3]float32 }

// Watertight fails the test unless the mesh is closed and all triangles face outwards. It checks that every edge occurs
// exactly once in each direction, bit for bit, and that the volume is positive.
func Watertight(t testing.TB, m *scenes.Mesh) {
	t.Helper()
	edges := make(map[edge]int)
	volume := 0.0
	for i := range m.Len() {
		c := m.Triangle(i)
		for k := range c {
			edges[edge{c[k], c[(k+1)%3]}]++
		}
		var d [3][3]float64
		for k := range c {
			for a := range 3 {
				d[k][a] = float64(c[k][a])
			}
		}
		volume += vector.Dot(d[0], vector.Cross(d[1], d[2])) / 6
	}
	for e, n := range edges {
		if n != 1 || edges[edge{e.to, e.from}] != 1 {
			t.Fatalf("edge %v: %d times, back %d times", e, n, edges[edge{e.to, e.from}])
		}
	}
	if !(volume > 0) {
		t.Errorf("volume %v", volume)
	}
}
