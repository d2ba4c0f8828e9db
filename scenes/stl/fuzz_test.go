package stl

import (
	"bytes"
	"context"
	"errors"
	"lockstep/scenes"
	"lockstep/scenes/internal/meshtest"
	"testing"
)

// TestMutants reads malformed files after further changes of their structure.
func TestMutants(t *testing.T) {
	var files []string
	for _, c := range append(malformedBinary(t), malformedASCII(t)...) {
		files = append(files, string(c.file))
	}
	meshtest.MutantsOf(t, Format, files...)
}

// FuzzReadSTL reads arbitrary files, whole and in pieces of a random size. Both reads must give the same result. The
// number of bytes must limit the number of triangles, and a strict read must succeed exactly if a lenient read gives no
// warnings.
func FuzzReadSTL(f *testing.F) {
	for _, c := range append(malformedBinary(f), malformedASCII(f)...) {
		f.Add(c.file, 1+len(c.file)/3)
	}
	f.Fuzz(func(t *testing.T, file []byte, piece int) {
		ctx := context.Background()
		m, rep, err := Read(ctx, bytes.NewReader(file), scenes.ReadOptions{})
		split, splitRep, splitErr := Read(ctx, &meshtest.Dribble{Data: file, Size: 1 + (piece&0x7fffffff)%(len(file)+1)}, scenes.ReadOptions{})
		if (err == nil) != (splitErr == nil) || err != nil && err.Error() != splitErr.Error() {
			t.Fatalf("whole: %v; in pieces: %v", err, splitErr)
		}
		_, _, strictErr := Read(ctx, bytes.NewReader(file), scenes.ReadOptions{Strict: true})
		if err != nil {
			var damage *scenes.DamageError
			if !errors.Is(err, scenes.ErrUnknownFormat) && !errors.As(err, &damage) {
				t.Fatalf("error without a type: %v", err)
			}
			if strictErr == nil {
				t.Fatalf("lenient: %v; strict: no error", err)
			}
			return
		}
		meshtest.Same(t, split, m)
		if (strictErr == nil) != (len(rep.Warnings) == 0) || len(rep.Warnings) != len(splitRep.Warnings) {
			t.Fatalf("warnings %q, strict: %v", rep.Warnings, strictErr)
		}
		checkReport(t, file, m, rep)
	})
}

func checkReport(t *testing.T, file []byte, m *scenes.Mesh, rep *scenes.Report) {
	t.Helper()
	// In a text, a polygon has one more triangle for each further corner. So a triangle has at least the bytes of one
	// vertex.
	least := len("vertex 0 0 0 ")
	if rep.Format == FormatBinary {
		least = recordSize
	}
	if m.Len()*least > len(file) || rep.Triangles != m.Len() || rep.Bytes > int64(len(file)) {
		t.Fatalf("%d triangles of %d bytes, report %+v", m.Len(), len(file), rep)
	}
	if got := m.Bounds(); got != rep.Bounds {
		t.Fatalf("bounds %v, report %v", got, rep.Bounds)
	}
	last := 0
	for _, p := range m.Parts {
		if p.First < last || p.Count <= 0 || p.First+p.Count > m.Len() {
			t.Fatalf("part %+v of %d triangles", p, m.Len())
		}
		last = p.First + p.Count
	}
}
