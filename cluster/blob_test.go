package cluster_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"lockstep/cluster"
)

// noise returns n random bytes.
func noise(n int) []byte {
	b := make([]byte, n)
	r := rand.NewChaCha8([32]byte{1})
	r.Read(b)
	return b
}

func describe(t *testing.T, b []byte) cluster.File {
	t.Helper()
	f, err := cluster.HashFile(t.Context(), "mesh", bytes.NewReader(b))
	check(t, err)
	return f
}

// TestTransfer uploads and downloads a file of several parts and odd length, twice.
func TestTransfer(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	admin := h.dial(h.admin)
	h.prepare(admin)
	want := noise(cluster.PartBytes + 3<<20 + 5)
	f := describe(t, want)
	if len(f.Parts) != 2 || f.Parts[0].Size != cluster.PartBytes || f.Size != int64(len(want)) {
		t.Fatalf("described as %+v", f)
	}
	worker := h.dial(h.worker)
	if missing, err := worker.Missing(t.Context(), &f); err != nil || !missing {
		t.Errorf("missing before it is sent: %v, %v", missing, err)
	}
	for range 2 { // the second upload has nothing to do
		check(t, admin.Upload(t.Context(), &f, bytes.NewReader(want)))
	}
	var got bytes.Buffer
	check(t, worker.Download(t.Context(), &f, &got))
	if !bytes.Equal(got.Bytes(), want) {
		t.Fatal("another file arrives")
	}
	if missing, err := worker.Missing(t.Context(), &f); err != nil || missing {
		t.Errorf("missing after it was sent: %v, %v", missing, err)
	}
	// Nodes must not upload files.
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	other := describe(t, []byte("other"))
	h.worker.Report = nil
	if err := h.dial(h.worker).Upload(ctx, &other, strings.NewReader("other")); err == nil {
		t.Error("a node sent a file")
	}
}

// TestTransferChecks checks that a file which changes during the upload and a damaged part are refused.
func TestTransferChecks(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	c := h.dial(h.admin)
	h.prepare(c)
	f := describe(t, []byte("right"))
	if err := c.Upload(t.Context(), &f, strings.NewReader("wrong")); err == nil || !strings.Contains(err.Error(), "changed") {
		t.Errorf("a file that changed: %v", err)
	}
	if missing, err := c.Missing(t.Context(), &f); err != nil || !missing {
		t.Errorf("a part that was cut off counts as there: %v, %v", missing, err)
	}
	// Another process marks the part as complete although it is damaged.
	check(t, c.Put(t.Context(), "blobs", f.Parts[0].Hash+".whole", f.Size))
	if err := c.Download(t.Context(), &f, new(bytes.Buffer)); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("a part with another hash: %v", err)
	}
	for _, bad := range []func(f *cluster.File){
		func(f *cluster.File) { f.Size++ },
		func(f *cluster.File) { f.Parts[0].Hash = f.Parts[0].Hash[1:] },
		func(f *cluster.File) { f.Parts[0].Hash = strings.Repeat("*", 64) },
		func(f *cluster.File) { f.Parts[0].Size, f.Size = cluster.PartBytes+1, cluster.PartBytes+1 },
		func(f *cluster.File) { f.Parts[0].Size, f.Size = 0, 0 },
	} {
		g := describe(t, []byte("right"))
		bad(&g)
		job := newJob(1)
		job.Files = []cluster.File{g}
		if _, err := c.Submit(t.Context(), job); err == nil {
			t.Errorf("a job with a file %+v is taken", g)
		}
	}
}

// TestRangedTransfer uploads a file whose chunks may be fetched one by one. It is stored beside the same file in larger
// chunks, and removed with its job.
func TestRangedTransfer(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	admin := h.dial(h.admin)
	h.prepare(admin)
	want := noise(3*cluster.RangeBytes + 5)
	f, err := cluster.HashChunks(t.Context(), "mesh", bytes.NewReader(want))
	check(t, err)
	whole := describe(t, want)
	if !f.Ranged() || whole.Ranged() || f.Parts[0].Hash != whole.Parts[0].Hash {
		t.Fatalf("described as %+v and %+v", f, whole)
	}
	check(t, admin.Upload(t.Context(), &whole, bytes.NewReader(want)))
	worker := h.dial(h.worker)
	if missing, err := worker.Missing(t.Context(), &f); err != nil || !missing {
		t.Errorf("missing before it is sent: %v, %v", missing, err)
	}
	if _, err := worker.Chunk(t.Context(), f.Parts[0], 1); !errors.Is(err, cluster.ErrMissing) {
		t.Errorf("a chunk before it is sent: %v", err)
	}
	check(t, admin.Upload(t.Context(), &f, bytes.NewReader(want)))
	if missing, err := worker.Missing(t.Context(), &f); err != nil || missing {
		t.Errorf("missing after it was sent: %v, %v", missing, err)
	}
	p := f.Parts[0]
	sums, err := worker.ChunkSums(t.Context(), p)
	check(t, err)
	check(t, p.CheckSums(sums))
	for i := range p.NumChunks() {
		b, err := worker.Chunk(t.Context(), p, i)
		check(t, err)
		check(t, p.CheckChunk(sums, i, b))
		if !bytes.Equal(b, want[i*cluster.RangeBytes:min((i+1)*cluster.RangeBytes, p.Size)]) {
			t.Errorf("chunk %d differs", i)
		}
		if p.CheckChunk(sums, (i+1)%p.NumChunks(), b) == nil || p.CheckChunk(sums, i, b[1:]) == nil {
			t.Errorf("chunk %d is taken for another", i)
		}
	}
	for _, file := range []*cluster.File{&f, &whole} {
		var got bytes.Buffer
		check(t, worker.Download(t.Context(), file, &got))
		if !bytes.Equal(got.Bytes(), want) {
			t.Error("another file arrives")
		}
	}
	job := newJob(1)
	job.Files = []cluster.File{f}
	job, err = admin.Submit(t.Context(), job)
	check(t, err)
	check(t, admin.Sweep(t.Context()))
	if missing, err := worker.Missing(t.Context(), &f); err != nil || missing {
		t.Errorf("a file of a job is removed: %v, %v", missing, err)
	}
	if _, err := worker.Chunk(t.Context(), p, 0); err != nil {
		t.Error(err)
	}
	check(t, admin.Finish(t.Context(), job.ID))
	if missing, err := worker.Missing(t.Context(), &f); err != nil || !missing {
		t.Errorf("a file of a job that is finished stays: %v, %v", missing, err)
	}
	for _, bad := range []func(p *cluster.Part){
		func(p *cluster.Part) { p.Chunks = p.Chunks[1:] },
		func(p *cluster.Part) { p.Chunks = strings.Repeat("*", 64) },
		func(p *cluster.Part) { p.Size++ },
	} {
		g := f
		g.Parts = slices.Clone(f.Parts)
		bad(&g.Parts[0])
		job := newJob(1)
		job.Files = []cluster.File{g}
		if _, err := admin.Submit(t.Context(), job); err == nil || g.Ranged() {
			t.Errorf("a job with a file %+v is taken", g)
		}
	}
	wrong := bytes.Clone(want)
	wrong[7]++
	if err := admin.Upload(t.Context(), &f, bytes.NewReader(wrong)); err == nil || !strings.Contains(err.Error(), "changed") {
		t.Errorf("a file that changed: %v", err)
	}
}

// TestFullStoreAndSweep checks the error of a full store, and that Sweep frees space.
func TestFullStoreAndSweep(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	c := h.dial(h.admin)
	const limit = 4 << 20 // bytes that the store of files may hold
	check(t, c.Prepare(t.Context(), cluster.Limits{Bytes: 2 * limit}))
	orphan, mine := noise(3<<20), noise(2<<20)
	f, g := describe(t, orphan), describe(t, mine)
	check(t, c.Upload(t.Context(), &f, bytes.NewReader(orphan)))
	if err := c.Upload(t.Context(), &g, bytes.NewReader(mine)); !errors.Is(err, cluster.ErrFull) {
		t.Fatalf("a full store: %v", err)
	}
	if full, err := c.Full(t.Context()); err != nil || !slices.Equal(full, []string{"blobs"}) {
		t.Errorf("full are %v, %v", full, err)
	}
	job := newJob(1)
	job.Files = []cluster.File{g}
	job, err := c.Submit(t.Context(), job)
	check(t, err)
	check(t, c.Sweep(t.Context()))
	if full, err := c.Full(t.Context()); err != nil || len(full) > 0 {
		t.Errorf("full are %v, %v", full, err)
	}
	if missing, err := c.Missing(t.Context(), &f); err != nil || !missing {
		t.Errorf("a file of no job stays: %v, %v", missing, err)
	}
	check(t, c.Upload(t.Context(), &g, bytes.NewReader(mine)))
	check(t, c.Sweep(t.Context()))
	if missing, err := c.Missing(t.Context(), &g); err != nil || missing {
		t.Errorf("a file of a job is removed: %v, %v", missing, err)
	}
	check(t, c.Finish(t.Context(), job.ID))
	if missing, err := c.Missing(t.Context(), &g); err != nil || !missing {
		t.Errorf("a file of a job that is finished stays: %v, %v", missing, err)
	}
}

// TestPicturesByTheServer checks that pictures of a remote node pass through the server, and that only the recorded
// picture is accepted.
func TestPicturesByTheServer(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	c := h.dial(h.admin)
	h.prepare(c)
	job, err := c.Submit(t.Context(), newJob(5))
	check(t, err)
	s := fakeDrawer{remote: true}
	h.work(h.dial(h.worker), "far", &s)
	l := newRecordingFollower()
	check(t, c.Follow(t.Context(), job.ID, l))
	for k := range 5 {
		d := l.done[k]
		if d == nil || !d.Stored {
			t.Fatalf("frame %d: %+v", k, d)
		}
		got, err := c.Picture(t.Context(), job, k, d)
		if err != nil || !bytes.Equal(got, picture(k)) {
			t.Errorf("frame %d: %q, %v", k, got, err)
		}
		wrong := *d
		wrong.Hash = cluster.Hash([]byte("smudge"))
		if _, err := c.Picture(t.Context(), job, k, &wrong); !errors.Is(err, cluster.ErrMissing) {
			t.Errorf("frame %d: a picture of another hash: %v", k, err)
		}
	}
	check(t, c.RemovePicture(t.Context(), job, 3))
	for k, d := range l.done {
		if _, err := c.Picture(t.Context(), job, k, d); errors.Is(err, cluster.ErrMissing) != (k == 3) {
			t.Errorf("frame %d after 3 was fetched: %v", k, err)
		}
	}
	check(t, c.Finish(t.Context(), job.ID))
	if _, err := c.Picture(t.Context(), job, 1, l.done[1]); !errors.Is(err, cluster.ErrMissing) {
		t.Errorf("a picture of a finished job stays: %v", err)
	}
	if s, err := c.Status(t.Context(), job.ID); err != nil || len(s.Done) != 5 {
		t.Errorf("records of a finished job: %+v, %v", s, err)
	}
}

// TestNodeThatCannotOpen checks that a node which cannot open a job does not use up the tries of its frames.
func TestNodeThatCannotOpen(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	c := h.dial(h.admin)
	h.prepare(c)
	job, err := c.Submit(t.Context(), newJob(20))
	check(t, err)
	h.work(h.dial(h.worker), "broken", closedStudio{})
	s := fakeDrawer{draw: func(_ context.Context, k int) ([]byte, error) {
		time.Sleep(10 * time.Millisecond)
		return picture(k), nil
	}}
	time.Sleep(100 * time.Millisecond)
	h.work(h.dial(h.worker), "whole", &s)
	l := newRecordingFollower()
	check(t, c.Follow(t.Context(), job.ID, l))
	wantAll(t, &s, l, job)
	if n := s.drawn.Load(); n != 20 {
		t.Errorf("20 frames drawn %d times", n)
	}
}

type closedStudio struct{}

func (closedStudio) Open(context.Context, cluster.Job) (cluster.Frames, error) {
	return nil, errors.New("no mesh here")
}

// A countedReader counts the chunks that are read while no upload is confirmed.
type countedReader struct {
	r    io.ReaderAt
	line *pausableProxy
	read atomic.Int64
}

func (r *countedReader) ReadAt(b []byte, at int64) (int, error) {
	if r.read.Add(1) == 1 {
		r.line.hold()
	}
	return r.r.ReadAt(b, at)
}

// A pausableProxy forwards connections to a server and can hold back the answers.
type pausableProxy struct {
	net.Listener
	answers sync.RWMutex // read-locked while an answer is forwarded
	// seen, if not nil, is called with all bytes that clients send, before they are forwarded.
	seen func(b []byte)
}

func (l *pausableProxy) hold()    { l.answers.Lock() }
func (l *pausableProxy) release() { l.answers.Unlock() }

// newPausableProxy forwards connections until the test ends.
func newPausableProxy(t *testing.T, to string) *pausableProxy {
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	l := &pausableProxy{Listener: inner}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			from, err := l.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", to)
			if err != nil {
				from.Close()
				continue
			}
			go func() { io.Copy(watchedWriter{l, server}, from); server.Close() }()
			go func() { io.Copy(pausableWriter{l, from}, server); from.Close() }()
		}
	}()
	return l
}

// A watchedWriter passes the bytes that it writes to pausableProxy.seen.
type watchedWriter struct {
	line *pausableProxy
	w    io.Writer
}

func (w watchedWriter) Write(b []byte) (int, error) {
	if w.line.seen != nil {
		w.line.seen(b)
	}
	return w.w.Write(b)
}

// A pausableWriter writes unless the proxy is paused.
type pausableWriter struct {
	line *pausableProxy
	w    io.Writer
}

func (w pausableWriter) Write(b []byte) (int, error) {
	w.line.answers.RLock()
	defer w.line.answers.RUnlock()
	return w.w.Write(b)
}

// TestUploadIsBounded checks that an upload reads and sends at most ChunksAtOnce chunks before one is confirmed.
func TestUploadIsBounded(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	c := h.dial(h.admin)
	h.prepare(c)
	line := newPausableProxy(t, h.s.Addr().String())
	slow := h.admin
	slow.URL = "nats://" + line.Addr().String()
	data := noise(2*cluster.ChunksAtOnce*cluster.ChunkBytes + 7)
	f := describe(t, data)
	r := &countedReader{r: bytes.NewReader(data), line: line}
	sent := make(chan error, 1)
	through := h.dial(slow)
	go func() { sent <- through.Upload(t.Context(), &f, r) }()
	for stored := 0; stored < cluster.ChunksAtOnce; {
		keys, err := c.Keys(t.Context(), "blobs", f.Parts[0].Hash+".*")
		check(t, err)
		stored = len(keys)
	}
	if n := r.read.Load(); n != cluster.ChunksAtOnce {
		t.Errorf("%d chunks are read before one is answered, want %d", n, cluster.ChunksAtOnce)
	}
	line.release()
	check(t, <-sent)
}
