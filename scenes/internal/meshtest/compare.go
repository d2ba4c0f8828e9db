package meshtest

import (
	"bytes"
	"context"
	"slices"
	"strconv"
	"strings"
	"testing"

	"lockstep/scenes"
	"lockstep/scenes/format"

	"pgregory.net/rapid"
)

// A tester is the interface that *testing.T and *rapid.T have in common.
type tester interface {
	Helper()
	Fatalf(format string, args ...any)
}

// CompareReaders reads a file with two readers of the same format. It does so with four options: lenient, strict, with
// a limit on triangles, and flat. It fails if the meshes, warnings or errors differ.
func CompareReaders(t tester, a, b format.Format, file []byte) {
	t.Helper()
	for _, opts := range []scenes.ReadOptions{
		{Workers: 3}, {Strict: true, Workers: 1}, {MaxTriangles: 3, Workers: 2}, {Flat: true, Workers: 3},
	} {
		m, rep, err := format.Read(context.Background(), bytes.NewReader(file), opts, a)
		other, otherRep, otherErr := format.Read(context.Background(), bytes.NewReader(file), opts, b)
		if (err == nil) != (otherErr == nil) || err != nil && err.Error() != otherErr.Error() {
			t.Fatalf("%+v: %v; the other: %v", opts, err, otherErr)
		}
		if err != nil {
			continue
		}
		if !slices.Equal(rep.Warnings, otherRep.Warnings) || rep.BadTriangles != otherRep.BadTriangles || rep.Bounds != otherRep.Bounds || rep.Format != otherRep.Format {
			t.Fatalf("%+v: %+v; the other: %+v", opts, rep, otherRep)
		}
		Same(t, m, other)
		if one, other := describe(m), describe(other); one != other {
			t.Fatalf("%+v: %s; the other: %s", opts, one, other)
		}
		if !slices.Equal(m.Parts, other.Parts) {
			t.Fatalf("%+v: parts %v; the other: %v", opts, m.Parts, other.Parts)
		}
	}
}

// Chunks checks that a reader of a text gives the same result for every size of the chunks that it reads. It tests
// every case, and long random texts from the function `long`.
func Chunks(t *testing.T, plain format.Format, chunked func(size int) format.Format, cases []Case, long func(rt *rapid.T) string) {
	for _, c := range cases {
		for _, size := range []int{1, 7, 40, 1000} {
			CompareReaders(t, chunked(size), plain, []byte(c.File))
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		file := []byte(long(rt))
		CompareReaders(rt, chunked(rapid.SampledFrom([]int{1, 20, 100, 1000, 1 << 18}).Draw(rt, "size")), plain, file)
	})
}

// Lines generates up to n lines, most of them from `usual` and some from `odd`. The frequency of odd lines is random,
// too. "%d" in a line becomes a random number of at most n/3.
func Lines(rt *rapid.T, n int, usual, odd []string) []string {
	every := rapid.SampledFrom([]int{2, 10, 100}).Draw(rt, "oddity")
	lines := make([]string, 0, n)
	for range rapid.IntRange(0, n).Draw(rt, "lines") {
		from := usual
		if len(odd) > 0 && rapid.IntRange(1, every).Draw(rt, "odd") == 1 {
			from = odd
		}
		line := rapid.SampledFrom(from).Draw(rt, "line")
		for strings.Contains(line, "%d") {
			line = strings.Replace(line, "%d", strconv.Itoa(rapid.IntRange(0, n/3).Draw(rt, "number")), 1)
		}
		lines = append(lines, line)
	}
	return lines
}
