package stl

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"lockstep/scenes"
	"lockstep/scenes/internal/meshtest"
	"lockstep/vp/isa"
)

// TestInstructionSetsAgree reads a file with every instruction set and with several numbers of workers. The mesh, the
// report and the streamed blocks must be the same. The file has several blocks with colours, bad triangles, and zeros
// of both signs at the ends of its box.
func TestInstructionSetsAgree(t *testing.T) {
	m := benchMesh(t, 3*scenes.BlockSize+777)
	m.Colors = make([]uint32, m.Len())
	for i := range m.Colors {
		m.Colors[i] = uint32(i) & 0xFFFFFF
	}
	var file bytes.Buffer
	if err := Write(&file, m, WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	raw := file.Bytes()
	for i := range m.Len() {
		at := headerSize + i*recordSize + verticesAt
		for c := 2; c < 9; c += 3 { // z is 0 or -0 in a flat mesh
			binary.LittleEndian.PutUint32(raw[at+4*c:], uint32(i)<<31)
		}
		if i%4000 == 97 {
			binary.LittleEndian.PutUint32(raw[at:], math.Float32bits(float32(math.NaN())))
		}
	}
	path := filepath.Join(t.TempDir(), "file.stl")
	if err := os.WriteFile(path, raw, 0o666); err != nil {
		t.Fatal(err)
	}
	want, wantReport := readWith(t, isa.Generic, 1, path)
	if wantReport.BadTriangles != 4 || want.Colors == nil {
		t.Fatalf("%+v", wantReport)
	}
	for _, level := range isa.Available() {
		for workers := 1; workers <= 3; workers++ {
			got, report := readWith(t, level, workers, path)
			meshtest.Same(t, got, want)
			if !reflect.DeepEqual(report, wantReport) {
				t.Errorf("%v: %+v, want %+v", level, report, wantReport)
			}
		}
	}
}

// readWith reads a file into memory and compares the mesh with the streamed blocks.
func readWith(t *testing.T, level isa.Level, workers int, path string) (*scenes.Mesh, *scenes.Report) {
	t.Helper()
	t.Setenv(isa.Env, level.String())
	ctx := context.Background()
	options := scenes.ReadOptions{Workers: workers}
	m, rep, err := readFile(ctx, path, options)
	if err != nil {
		t.Fatal(err)
	}
	if math.Signbit(rep.Bounds.Min[2]) || math.Signbit(rep.Bounds.Max[2]) {
		t.Errorf("%v: %d workers: the box ends at -0", level, workers)
	}
	s, streamed, err := Open(ctx, path, options)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if !reflect.DeepEqual(streamed, rep) {
		t.Errorf("%v: streamed %+v, read %+v", level, streamed, rep)
	}
	loaded, err := scenes.Load(ctx, s, scenes.ReadOptions{Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	meshtest.Same(t, loaded, m)
	return m, rep
}
