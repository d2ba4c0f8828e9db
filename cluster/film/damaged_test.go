package film

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"lockstep/cluster"
	"lockstep/internal/clitest"
)

// TestDamagedInStore damages a mesh in the store of the server, or removes a part of it. A node refuses it, and draws
// the film when the submitter has stored the mesh again.
func TestDamagedInStore(t *testing.T) {
	t.Parallel()
	for _, ranged := range []bool{false, true} {
		for _, lost := range []bool{false, true} {
			t.Run(fmt.Sprintf("ranged %v, lost %v", ranged, lost), func(t *testing.T) {
				t.Parallel()
				farm := startKeyedServer(t)
				f, mesh := zoomed(t, smallMesh, 6)
				if !ranged {
					var dir string
					dir, mesh = clitest.CubeFile(t)
					f.Animation.Picture.Meshes[0].File, f.Output.File = mesh, dir
				}
				f.Tries = 1
				s := openZoomed(t, f, mesh)
				conn := farm.dial(farm.submit)
				upload(t, conn, s.Job(), mesh)
				damageChunks(t, newRogue(t, farm.url, farm.submit, s, nil), s.Job(), lost)
				startNode(t, &Node{Cluster: farm.dial(farm.honest), Name: "far", Workers: 1, Cache: Cache{Dir: t.TempDir()}, Warn: func(line string) {
					if strings.Contains(line, "\n") {
						t.Errorf("the node says %q", line)
					}
				}})
				ctx, cancel := context.WithTimeout(t.Context(), patience)
				defer cancel()
				if err := s.Draw(ctx, conn); err != nil {
					t.Fatal(err)
				}
				wantAnimation(t, s)
			})
		}
	}
}

// damageChunks damages all chunks of the first file of a job in the store, or removes them.
func damageChunks(t *testing.T, admin *rogue, job cluster.Job, remove bool) {
	t.Helper()
	f := job.Files[0]
	for _, p := range f.Parts {
		key, size := p.Hash, int64(1<<20)
		if f.Ranged() {
			key, size = p.Chunks, cluster.RangeBytes
		}
		for i := int64(0); i*size < p.Size; i++ {
			m := message(fmt.Sprintf("$KV.blobs.%s.%d", key, i), strings.Repeat("x", int(min(size, p.Size-i*size))))
			if remove {
				m = message("$JS.API.STREAM.PURGE.KV_blobs", map[string]string{"filter": m.Subject})
			}
			if answer, err := admin.RequestMsg(m, patience); err != nil || bytes.Contains(answer.Data, []byte(`"error"`)) {
				t.Fatalf("chunk %d: %v, %s", i, err, answer.Data)
			}
		}
	}
}

// TestStoreThatDamagesAgain checks that a film ends with an error if its files cannot be repaired.
func TestStoreThatDamagesAgain(t *testing.T) {
	t.Parallel()
	conn := startServer(t)()
	dir, mesh := clitest.CubeFile(t)
	s, err := Open(t.Context(), cubes(mesh, dir), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	err = s.draw(ctx, conn, func(context.Context, cluster.Job) error { return damagedError("%s: %w", mesh, cluster.ErrDamaged) })
	if !errors.Is(err, cluster.ErrDamaged) {
		t.Errorf("the film ends with %v", err)
	}
}

// TestRepairsAreRare checks that a node which requests the repair of an intact part again and again does not keep the
// submitter busy.
func TestRepairsAreRare(t *testing.T) {
	t.Parallel()
	conn := startServer(t)()
	f, mesh := zoomed(t, smallMesh, 3)
	s := openZoomed(t, f, mesh)
	upload(t, conn, s.Job(), mesh)
	s.cluster = conn
	spec, err := readSpec(s.job)
	if err != nil {
		t.Fatal(err)
	}
	part, checked := s.job.Files[0].Parts[0], map[string]time.Time{}
	for i := range 2 {
		if err := conn.RequestRepair(t.Context(), part); err != nil {
			t.Fatal(err)
		}
		if err := s.repairRequested(t.Context(), s.job, spec.Files, checked); err != nil {
			t.Fatal(err)
		}
		requested, err := conn.RepairsRequested(t.Context())
		if err != nil || requested(part) != (i == 1) {
			t.Errorf("request %d is still there: %v, %v", i, requested(part), err)
		}
	}
}
