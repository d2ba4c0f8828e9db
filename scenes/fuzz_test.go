package scenes

import (
	"bytes"
	"context"
	"errors"
	"testing"
)

// FuzzReadSTL reads anything, whole and in pieces of a random size. Either
// way must give the same, every triangle must be paid for by bytes, and a
// strict read must agree with a lenient one without warnings.
func FuzzReadSTL(f *testing.F) {
	for _, c := range append(malformedBinary(f), malformedASCII(f)...) {
		f.Add(c.file, 1+len(c.file)/3)
	}
	f.Fuzz(func(t *testing.T, file []byte, piece int) {
		ctx := context.Background()
		m, rep, err := Read(ctx, bytes.NewReader(file), ReadOptions{})
		split, splitRep, splitErr := Read(ctx, &dribble{data: file, size: 1 + (piece&0x7fffffff)%(len(file)+1)}, ReadOptions{})
		if (err == nil) != (splitErr == nil) || err != nil && err.Error() != splitErr.Error() {
			t.Fatalf("whole: %v; in pieces: %v", err, splitErr)
		}
		_, _, strictErr := Read(ctx, bytes.NewReader(file), ReadOptions{Strict: true})
		if err != nil {
			var damage *DamageError
			if !errors.Is(err, ErrUnknownFormat) && !errors.As(err, &damage) {
				t.Fatalf("error without a type: %v", err)
			}
			if strictErr == nil {
				t.Fatalf("lenient: %v; strict: no error", err)
			}
			return
		}
		checkSameMesh(t, split, m)
		if (strictErr == nil) != (len(rep.Warnings) == 0) || len(rep.Warnings) != len(splitRep.Warnings) {
			t.Fatalf("warnings %q, strict: %v", rep.Warnings, strictErr)
		}
		checkReport(t, file, m, rep)
	})
}

func checkReport(t *testing.T, file []byte, m *Mesh, rep *Report) {
	t.Helper()
	// The shortest triangle of a text is one more corner of a polygon.
	least := len("vertex 0 0 0 ")
	if rep.Format == FormatSTLBinary {
		least = stlRecordSize
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

// FuzzParseScene parses anything and computes the ends of what it names.
func FuzzParseScene(f *testing.F) {
	for _, n := range SceneNames() {
		f.Add("scene:" + n.Name + "?triangles=1000")
	}
	f.Add("scene:slivers?slivers=5&wide=7&seed=9&size=0.5")
	f.Add("scene:plate?triangles=2M&jitter=0.5")
	f.Fuzz(func(t *testing.T, arg string) {
		s, err := ParseScene(arg)
		if err != nil {
			var usage *UsageError
			if !errors.As(err, &usage) {
				t.Fatalf("error without a type: %v", err)
			}
			return
		}
		var b Block
		for _, i := range []int{0, NumBlocks(s) - 1} {
			if err := s.ReadBlock(i, &b); err != nil {
				t.Fatal(err)
			}
			tally := newTally()
			for k := range 3 {
				for v := range b.X[k] {
					if !tally.addVertex(b.X[k][v], b.Y[k][v], b.Z[k][v]) {
						t.Fatalf("%s: vertex %d of block %d is not finite", arg, v, i)
					}
				}
			}
		}
	})
}
