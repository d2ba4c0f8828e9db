package cluster_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/cluster"
)

// TestRepair damages a part in the store, in each of its values. A reader must report it, and then find it repaired. A
// part that is intact must not be stored again.
func TestRepair(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	admin, worker := h.dial(h.admin), h.dial(h.worker)
	h.prepare(admin)
	want := noise(3<<20 + 5)
	whole := describe(t, want)
	ranged, err := cluster.HashChunks(t.Context(), "mesh", bytes.NewReader(want))
	check(t, err)
	for name, f := range map[string]cluster.File{"whole": whole, "ranged": ranged} {
		p := f.Parts[0]
		check(t, admin.Upload(t.Context(), &f, bytes.NewReader(want)))
		repair := func(wanted bool) {
			t.Helper()
			requested, err := admin.RepairsRequested(t.Context())
			check(t, err)
			if !requested(p) {
				t.Errorf("%s: no repair is requested", name)
			}
			if repaired, err := admin.Repair(t.Context(), p, bytes.NewReader(want)); err != nil || repaired != wanted {
				t.Errorf("%s: repaired %v, %v", name, repaired, err)
			}
			if requested, err = admin.RepairsRequested(t.Context()); err != nil || requested(p) {
				t.Errorf("%s: the request stays, %v", name, err)
			}
		}
		check(t, worker.RequestPart(t.Context(), newJob(1), p))
		repair(false)
		for i, damage := range []func() error{
			func() error { return admin.Put(t.Context(), "blobs", cluster.ChunkKey(p, 1), "short") },
			func() error {
				return admin.PutBytes(t.Context(), "blobs", cluster.ChunkKey(p, 1), bytes.Repeat([]byte("x"), int(p.ChunkBytes())))
			},
			func() error { return admin.Purge(t.Context(), "blobs", cluster.ChunkKey(p, 2)) },
		} {
			check(t, damage())
			if err := worker.Download(t.Context(), &f, new(bytes.Buffer)); !errors.Is(err, cluster.ErrDamaged) || errors.Is(err, cluster.ErrMissing) {
				t.Errorf("%s, damage %d: %v", name, i, err)
			}
			repair(true)
			var got bytes.Buffer
			if err := worker.Download(t.Context(), &f, &got); err != nil || !bytes.Equal(got.Bytes(), want) {
				t.Errorf("%s, damage %d: not repaired: %v", name, i, err)
			}
		}
		if name == "ranged" {
			check(t, admin.Put(t.Context(), "blobs", p.Chunks+".sums", "wrong"))
			check(t, worker.RequestRepair(t.Context(), p))
			repair(true)
			if sums, err := worker.ChunkSums(t.Context(), p); err != nil || p.CheckSums(sums) != nil {
				t.Errorf("the sums are not repaired: %v", err)
			}
		}
	}
}

// A damagingReader damages the first chunk of a part in the store when its last chunk is read.
type damagingReader struct {
	*bytes.Reader
	damage func()
}

func (r damagingReader) ReadAt(b []byte, off int64) (int, error) {
	n, err := r.Reader.ReadAt(b, off)
	if off+int64(n) == r.Size() {
		r.damage()
	}
	return n, err
}

// TestRepairInVain checks that a store which damages a part again is an error.
func TestRepairInVain(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	admin := h.dial(h.admin)
	h.prepare(admin)
	want := noise(cluster.ChunkBytes + 9)
	f := describe(t, want)
	p := f.Parts[0]
	r := damagingReader{bytes.NewReader(want), func() {
		for { // the first chunk may not have arrived yet
			if b, err := admin.Chunk(t.Context(), p, 0); err == nil && len(b) == cluster.ChunkBytes {
				break
			}
		}
		check(t, admin.Put(t.Context(), "blobs", cluster.ChunkKey(p, 0), "damage"))
	}}
	if _, err := admin.Repair(t.Context(), p, r); !errors.Is(err, cluster.ErrDamaged) {
		t.Errorf("a store that damages a part again: %v", err)
	}
}

// TestRepairDamagedDisk flips a byte of a chunk in the files of a server. When the server is started again on them, the
// part can be repaired.
func TestRepairDamagedDisk(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	admin := h.dial(h.admin)
	h.prepare(admin)
	want := noise(5<<20 + 5)
	f := describe(t, want)
	check(t, admin.Upload(t.Context(), &f, bytes.NewReader(want)))
	h.s.Close()
	check(t, filepath.WalkDir(h.o.Dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !strings.Contains(name, "KV_blobs") || filepath.Ext(name) != ".blk" {
			return err
		}
		b, err := os.ReadFile(name)
		if err == nil && len(b) > 0 {
			b[len(b)/2] ^= 255
			err = os.WriteFile(name, b, 0o600)
		}
		return err
	}))
	h.start()
	admin = h.dial(h.admin)
	repaired, err := admin.Repair(t.Context(), f.Parts[0], bytes.NewReader(want))
	if err != nil || !repaired {
		t.Fatalf("repaired %v, %v", repaired, err)
	}
	var got bytes.Buffer
	if err := h.dial(h.worker).Download(t.Context(), &f, &got); err != nil || !bytes.Equal(got.Bytes(), want) {
		t.Errorf("not repaired: %v", err)
	}
}
