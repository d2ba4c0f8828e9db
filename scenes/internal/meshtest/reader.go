package meshtest

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lockstep/scenes"
	"lockstep/scenes/format"
)

// A Case is an input of a reader and the expected result of a lenient read.
type Case struct {
	Name      string
	File      string
	Triangles int
	Bad       int    // number of triangles that are not finite
	Warning   string // part of the only warning; empty: there must be none
	Damage    string // part of the *scenes.DamageError; empty: there must be none
}

// Check reads every case from a file, as a stream, and byte by byte. All results must be equal. A strict read must fail
// if and only if the lenient read gives a warning or an error.
func Check(t *testing.T, reader format.Format, cases []Case) {
	t.Helper()
	ctx := context.Background()
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "mesh")
			if err := os.WriteFile(path, []byte(c.File), 0o600); err != nil {
				t.Fatal(err)
			}
			want, rep, err := format.ReadFile(ctx, path, scenes.ReadOptions{}, reader)
			c.check(t, path, want, rep, err)
			for _, size := range []int{1 << 30, 1} {
				r := &Dribble{Data: []byte(c.File), Size: size}
				m, other, streamErr := format.Read(ctx, r, scenes.ReadOptions{Name: path}, reader)
				if (err == nil) != (streamErr == nil) || err != nil && err.Error() != streamErr.Error() {
					t.Fatalf("by path: %v; front to back: %v", err, streamErr)
				}
				if err != nil {
					continue
				}
				Same(t, m, want)
				sameAttributes(t, m, want)
				if !slices.Equal(other.Warnings, rep.Warnings) || other.Format != rep.Format || other.Bytes != rep.Bytes {
					t.Errorf("by path: %+v; front to back: %+v", rep, other)
				}
			}
			_, _, err = format.ReadFile(ctx, path, scenes.ReadOptions{Strict: true}, reader)
			var damage *scenes.DamageError
			if fine := c.Warning == "" && c.Damage == ""; fine != (err == nil) || !fine && (!errors.As(err, &damage) || strings.Contains(err.Error(), "\n")) {
				t.Errorf("strict: %v", err)
			}
		})
	}
}

func (c *Case) check(t *testing.T, path string, m *scenes.Mesh, rep *scenes.Report, err error) {
	t.Helper()
	var damage *scenes.DamageError
	if c.Damage != "" {
		if !errors.As(err, &damage) || !strings.Contains(err.Error(), c.Damage) || damage.File != path {
			t.Fatalf("error %v, want damage with %q", err, c.Damage)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	Attributes(t, m)
	if m.Len() != c.Triangles || rep.Triangles != c.Triangles || rep.BadTriangles != c.Bad {
		t.Errorf("%d triangles, report %+v, want %+v", m.Len(), rep, c)
	}
	if got := strings.Join(rep.Warnings, "\n"); (c.Warning == "") != (got == "") || len(rep.Warnings) > 1 || !strings.Contains(got, c.Warning) {
		t.Errorf("warnings %q, want one with %q", rep.Warnings, c.Warning)
	}
	if got := m.Bounds(); got != rep.Bounds && !(got.Empty() && rep.Bounds.Empty()) {
		t.Errorf("report has bounds %v, the mesh %v", rep.Bounds, got)
	}
}

// Fuzz is the body of the fuzz target of a reader. It reads a file whole and in pieces, leniently, strictly, and with
// limits. It checks that
//   - reading whole and in pieces gives the same result;
//   - a strict read succeeds if and only if a lenient read gives no warnings;
//   - the mesh has at most four triangles for each byte of the file. A number of two bytes may add a line, and a line
//     is drawn as eight triangles.
func Fuzz(t *testing.T, reader format.Format, file []byte, piece int) {
	fuzz(t, "", file, piece, 4*len(file), reader)
}

// FuzzInstances is like Fuzz, for a format that may draw the same triangles repeatedly.
func FuzzInstances(t *testing.T, reader format.Format, file []byte, piece int) {
	fuzz(t, "", file, piece, 1<<24, reader)
}

// FuzzAny is like FuzzInstances, but for several formats or packings. It uses the most likely format. If forced is
// not empty, it uses the format of that name instead.
func FuzzAny(t *testing.T, forced string, file []byte, piece int, formats ...format.Format) {
	fuzz(t, forced, file, piece, 1<<24, formats...)
}

func fuzz(t *testing.T, forced string, file []byte, piece, most int, formats ...format.Format) {
	ctx := context.Background()
	m, rep, err := format.Read(ctx, bytes.NewReader(file), scenes.ReadOptions{Format: forced}, formats...)
	pieces := &Dribble{Data: file, Size: 1 + (piece&math.MaxInt32)%(len(file)+1)}
	split, splitRep, splitErr := format.Read(ctx, pieces, scenes.ReadOptions{Format: forced}, formats...)
	if (err == nil) != (splitErr == nil) || err != nil && err.Error() != splitErr.Error() {
		t.Fatalf("whole: %v; in pieces: %v", err, splitErr)
	}
	_, _, strictErr := format.Read(ctx, bytes.NewReader(file), scenes.ReadOptions{Format: forced, Strict: true}, formats...)
	if err != nil {
		var damage *scenes.DamageError
		var limit *scenes.LimitError
		bounded := most > len(file) && errors.As(err, &limit) && limit.Fixed // the limit on repeated drawing
		if !errors.Is(err, scenes.ErrUnknownFormat) && !errors.As(err, &damage) && !bounded {
			t.Fatalf("error without a type: %v", err)
		}
		if strictErr == nil {
			t.Fatalf("lenient: %v; strict: no error", err)
		}
		return
	}
	Attributes(t, m)
	Same(t, split, m)
	sameAttributes(t, split, m)
	if (strictErr == nil) != (len(rep.Warnings) == 0) || !slices.Equal(rep.Warnings, splitRep.Warnings) {
		t.Fatalf("warnings %q, in pieces %q, strict: %v", rep.Warnings, splitRep.Warnings, strictErr)
	}
	if m.Len() > most || rep.Triangles != m.Len() || rep.Bytes > int64(len(file)) {
		t.Fatalf("%d triangles of %d bytes, report %+v", m.Len(), len(file), rep)
	}
	if got := m.Bounds(); got != rep.Bounds {
		t.Fatalf("bounds %v, report %v", got, rep.Bounds)
	}
	fuzzParts(t, m)
	var limit *scenes.LimitError
	if _, _, err := format.Read(ctx, bytes.NewReader(file), scenes.ReadOptions{Format: forced, MaxTriangles: 1, MaxMemory: 100}, formats...); m.Len() > 2 && !errors.As(err, &limit) {
		t.Fatalf("%d triangles beyond the limits: %v", m.Len(), err)
	}
}

func sameAttributes(t *testing.T, got, want *scenes.Mesh) {
	t.Helper()
	if got, want := describe(got), describe(want); got != want {
		t.Fatalf("attributes %s, want %s", got, want)
	}
}

func fuzzParts(t *testing.T, m *scenes.Mesh) {
	t.Helper()
	last := 0
	for _, p := range m.Parts {
		if p.First < last || p.Count <= 0 || p.First+p.Count > m.Len() {
			t.Fatalf("part %+v of %d triangles", p, m.Len())
		}
		last = p.First + p.Count
	}
}
