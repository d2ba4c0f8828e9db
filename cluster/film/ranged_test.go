package film

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"lockstep/cluster"
	"lockstep/cluster/film/internal/ranged"
	"lockstep/internal/clitest"
	"lockstep/render"
	"lockstep/render/recipe"
	"lockstep/scenes/prepared"
	"lockstep/scenes/procedural"
)

// preparedMesh returns a prepared mesh. It has 53 bytes a triangle.
func preparedMesh(triangles string) ([]byte, error) {
	scene, err := procedural.Parse("scene:bumpy?triangles=" + triangles)
	if err != nil {
		return nil, err
	}
	temporary, err := os.CreateTemp("", "mesh")
	if err != nil {
		return nil, err
	}
	defer os.Remove(temporary.Name())
	defer temporary.Close()
	var out bytes.Buffer
	err = render.WritePreparedFlat(context.Background(), &out, scene, prepared.SourceOptions{Temporary: temporary})
	return out.Bytes(), err
}

// smallMesh returns a mesh of one part (16 MB).
var smallMesh = sync.OnceValues(func() ([]byte, error) { return preparedMesh("300k") })

// largeMesh returns a mesh of two parts (69 MB).
func largeMesh() ([]byte, error) { return preparedMesh("1300k") }

// zoomed returns a film that shows a small part of a prepared mesh.
func zoomed(t *testing.T, make func() ([]byte, error), frames int) (f Film, mesh string) {
	t.Helper()
	dir := t.TempDir()
	mesh = filepath.Join(dir, "large.lkm")
	data, err := make()
	if err != nil {
		t.Fatal(err)
	}
	clitest.Write(t, mesh, string(data))
	f = cubes(mesh, filepath.Join(dir, "out"))
	p := &f.Animation.Picture
	p.Size, p.Look = recipe.Size{Width: 160, Height: 90}, recipe.Look{Shading: "flat", Occlusion: "off"}
	p.Camera.Fit, p.Camera.Zoom, p.Lines.Ground = "box", 12, new(bool)
	f.Animation.Frames, f.Open = frames, true
	f.Animation.Keyframes = []recipe.Keyframe{{Eye: &recipe.Point{4, 0.5, 1}}, {Frame: float64(frames - 1), Eye: &recipe.Point{4, 0.6, 1.1}}}
	return f, mesh
}

// openZoomed opens a film. It then changes the time of the mesh file, so that nodes do not accept the file at that path
// as the film's mesh.
func openZoomed(t *testing.T, f Film, mesh string) *Submission {
	t.Helper()
	s, err := Open(t.Context(), f, Options{Drawer: recipe.Drawer{Workers: 1}, Warn: func(line string) { t.Log(line) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	if err := os.Chtimes(mesh, time.Time{}, time.Unix(1e9, 0)); err != nil {
		t.Fatal(err)
	}
	return s
}

// upload stores the mesh of a film at the server.
func upload(t *testing.T, conn *cluster.Cluster, job cluster.Job, mesh string) {
	t.Helper()
	in, err := os.Open(mesh)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if err := conn.Upload(t.Context(), &job.Files[0], in); err != nil {
		t.Fatal(err)
	}
}

// TestRangedFilm draws a film that shows a small part of a mesh, on nodes that do not have the mesh. Each node must
// fetch less than half of the mesh. The pictures must equal the pictures of one process.
func TestRangedFilm(t *testing.T) {
	t.Parallel()
	dial := startServer(t)
	f, mesh := zoomed(t, largeMesh, 6)
	s := openZoomed(t, f, mesh)
	file := s.Job().Files[0]
	if !file.Ranged() || len(file.Parts) < 2 {
		t.Fatalf("the mesh is described as %+v", file)
	}
	caches := []string{t.TempDir(), t.TempDir()}
	for i, dir := range caches {
		startNode(t, &Node{Cluster: dial(), Name: "node-" + string(rune('a'+i)), Workers: 1 + i, Cache: Cache{Dir: dir}})
	}
	if err := s.Draw(t.Context(), dial()); err != nil {
		t.Fatal(err)
	}
	wantAnimation(t, s)
	fetched := 0
	for _, dir := range caches {
		n := folderBytes(dir)
		if 2*n >= file.Size {
			t.Errorf("a node has %d of %d bytes", n, file.Size)
		}
		if n > 1<<20 {
			fetched++
		}
	}
	if fetched == 0 {
		t.Error("no node has fetched anything")
	}
}

// TestRangedNodeStartsAgain opens a film with a cache that an earlier node has filled in part. The node fetches nothing
// twice, except bytes that were damaged on its disk.
func TestRangedNodeStartsAgain(t *testing.T) {
	t.Parallel()
	conn := startServer(t)()
	f, mesh := zoomed(t, smallMesh, 3)
	s := openZoomed(t, f, mesh)
	upload(t, conn, s.Job(), mesh)
	dir := t.TempDir()
	draw := func() (path string, fetched int64) {
		t.Helper()
		opened := openJob(t, &Node{Cluster: conn, Workers: 2, Cache: Cache{Dir: dir}}, s.Job())
		for k := range 3 {
			want, err := s.local.Draw(t.Context(), k)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := opened.Draw(t.Context(), k); err != nil || !bytes.Equal(got, want) {
				t.Errorf("frame %d differs: %v", k, err)
			}
		}
		for at, file := range opened.cached.ranged {
			path, fetched = at+ranged.Suffix, fetched+file.Fetched()
		}
		opened.Close()
		return path, fetched
	}
	path, first := draw()
	if size := s.Job().Files[0].Size; first < size/50 || first > size/2 {
		t.Errorf("%d of %d bytes are fetched", first, size)
	}
	if _, again := draw(); again > first/4 { // chunks that were fetched ahead of the end of the film may have come too late
		t.Errorf("%d bytes are fetched again of %d", again, first)
	}
	_, settled := draw()
	c, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.WriteAt([]byte("damage"), 1000); err != nil { // in the header's chunk
		t.Fatal(err)
	}
	c.Close()
	if _, again := draw(); again < cluster.RangeBytes || again > settled+4*cluster.RangeBytes {
		t.Errorf("%d bytes are fetched after a chunk was damaged", again)
	}
}

// TestRangedFailures draws frames while the server answers requests for chunks wrongly or not at all. No picture may
// have holes, and the failure must not count against the frame. The node must not open the film again before it can
// read the missing chunks.
func TestRangedFailures(t *testing.T) {
	t.Parallel()
	for name, bad := range map[string]func(b []byte) ([]byte, error){
		"lost":    func([]byte) ([]byte, error) { return nil, cluster.ErrLost },
		"damaged": func(b []byte) ([]byte, error) { b[len(b)/2] ^= 1; return b, nil },
		"short":   func(b []byte) ([]byte, error) { return b[:len(b)-1], nil },
	} {
		t.Run(name, func(t *testing.T) {
			conn := startServer(t)()
			f, mesh := zoomed(t, smallMesh, 3)
			s := openZoomed(t, f, mesh)
			upload(t, conn, s.Job(), mesh)
			node := &Node{Cluster: conn, Workers: 2, Cache: Cache{Dir: t.TempDir()}}
			var broken atomic.Bool
			node.fetcher = func(of ranged.Fetcher) ranged.Fetcher { return weakFetcher{of, &broken, bad} }
			opened := openJob(t, node, s.Job())
			broken.Store(true)
			for range 2 { // the second time without reading anything
				if picture, err := opened.Draw(t.Context(), 1); picture != nil || !errors.Is(err, cluster.ErrStale) || recurring(err) || strings.Contains(err.Error(), "\n") {
					t.Errorf("a frame whose chunks are %s: %d bytes, %v", name, len(picture), err)
				}
			}
			opened.Close()
			if again, err := node.Open(t.Context(), s.Job()); err == nil {
				again.Close()
				t.Error("the film is opened although what failed cannot be read")
			}
			broken.Store(false)
			opened = openJob(t, node, s.Job())
			defer opened.Close()
			want, err := s.local.Draw(t.Context(), 1)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := opened.Draw(t.Context(), 1); err != nil || !bytes.Equal(got, want) {
				t.Errorf("the frame differs: %v", err)
			}
		})
	}
}

// TestRangedCacheLimit checks a cache whose limit is reached. A growing set removes sets that were used longer ago. A
// node without space leaves frames to other nodes and does not open the film again.
func TestRangedCacheLimit(t *testing.T) {
	t.Parallel()
	conn := startServer(t)()
	f, mesh := zoomed(t, smallMesh, 3)
	s := openZoomed(t, f, mesh)
	upload(t, conn, s.Job(), mesh)
	dir := t.TempDir()
	old := filepath.Join(dir, strings.Repeat("a", 32))
	if err := os.Mkdir(old, 0o700); err != nil {
		t.Fatal(err)
	}
	clitest.Write(t, filepath.Join(old, "mesh"), strings.Repeat("x", 1<<20))
	past := time.Now().Add(-time.Hour)
	if err := os.Chtimes(old, past, past); err != nil {
		t.Fatal(err)
	}
	node := &Node{Cluster: conn, Workers: 1, Cache: Cache{Dir: dir, Limit: 3 << 20}} // opening the mesh takes 2 MB
	opened := openJob(t, node, s.Job())
	var err error
	for k := 0; k < 3 && err == nil; k++ {
		_, err = opened.Draw(t.Context(), k)
	}
	opened.Close()
	if !errors.Is(err, cluster.ErrStale) || recurring(err) || !strings.Contains(err.Error(), "more than 3145728 bytes") {
		t.Errorf("without room: %v", err)
	}
	if _, err := os.Stat(old); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the set that was used longest ago stays: %v", err)
	}
	if n := folderBytes(dir); n > 3<<20+64<<10 {
		t.Errorf("%d bytes are kept", n)
	}
	if _, err := node.Open(t.Context(), s.Job()); err == nil || errors.Is(err, cluster.ErrStale) || !strings.Contains(err.Error(), "more than 3145728 bytes") {
		t.Errorf("opened again without room: %v", err)
	}
	node.Cache.Limit = 0
	opened = openJob(t, node, s.Job())
	defer opened.Close()
	want, err := s.local.Draw(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := opened.Draw(t.Context(), 1); err != nil || !bytes.Equal(got, want) {
		t.Errorf("with room: %v", err)
	}
}

// TestRangedTogether checks that a node that draws parts of frames fetches the whole mesh before it begins. A failure
// while it draws would exclude it from the film.
func TestRangedTogether(t *testing.T) {
	t.Parallel()
	conn := startServer(t)()
	f, mesh := zoomed(t, smallMesh, 3)
	s := openZoomed(t, f, mesh)
	upload(t, conn, s.Job(), mesh)
	opened, err := (&Node{Cluster: conn, Workers: 1, Cache: Cache{Dir: t.TempDir()}}).open(t.Context(), s.Job(), true)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	for path, file := range opened.cached.ranged {
		if n := file.Fetched(); n != s.Job().Files[0].Size {
			t.Errorf("%s: %d bytes are fetched", path, n)
		}
	}
	if len(opened.cached.ranged) != 1 {
		t.Errorf("%d files are fetched by ranges", len(opened.cached.ranged))
	}
}

// TestRangedMeshInMemory draws a picture that needs all of a prepared mesh in memory.
func TestRangedMeshInMemory(t *testing.T) {
	t.Parallel()
	conn := startServer(t)()
	f, mesh := zoomed(t, smallMesh, 3)
	f.Animation.Picture.Meshes[0].Scale = 2
	s := openZoomed(t, f, mesh)
	upload(t, conn, s.Job(), mesh)
	opened := openJob(t, &Node{Cluster: conn, Workers: 1, Cache: Cache{Dir: t.TempDir()}}, s.Job())
	defer opened.Close()
	want, err := s.local.Draw(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := opened.Draw(t.Context(), 1); err != nil || !bytes.Equal(got, want) {
		t.Errorf("another picture: %v", err)
	}
}

// A weakFetcher changes chunks while it is broken.
type weakFetcher struct {
	ranged.Fetcher
	broken *atomic.Bool
	bad    func(b []byte) ([]byte, error)
}

func (w weakFetcher) Chunk(ctx context.Context, p cluster.Part, i int64) ([]byte, error) {
	b, err := w.Fetcher.Chunk(ctx, p, i)
	if err == nil && w.broken.Load() {
		return w.bad(b)
	}
	return b, err
}

// TestCancelledRangedFrame checks a frame that is cancelled while it waits for a chunk. It must end at once with the
// error of its context. The film must be opened again for the next frame.
func TestCancelledRangedFrame(t *testing.T) {
	t.Parallel()
	conn := startServer(t)()
	f, mesh := zoomed(t, smallMesh, 3)
	s := openZoomed(t, f, mesh)
	upload(t, conn, s.Job(), mesh)
	node := &Node{Cluster: conn, Workers: 2, Cache: Cache{Dir: t.TempDir()}}
	ctx, cancel := context.WithCancel(t.Context())
	var broken atomic.Bool
	node.fetcher = func(of ranged.Fetcher) ranged.Fetcher {
		return weakFetcher{of, &broken, func(b []byte) ([]byte, error) {
			cancel()
			time.Sleep(10 * time.Millisecond)
			return b, nil
		}}
	}
	opened := openJob(t, node, s.Job())
	defer opened.Close()
	broken.Store(true)
	if _, err := opened.Draw(ctx, 1); !errors.Is(err, context.Canceled) || recurring(err) {
		t.Errorf("a cancelled frame: %v", err)
	}
	if opened.cached.readError() == nil {
		return // the frame was cancelled before or after it waited
	}
	if _, err := opened.Draw(t.Context(), 1); !errors.Is(err, cluster.ErrStale) {
		t.Errorf("the frame after it: %v", err)
	}
}

// TestConnectionCutWhileChunksArrive draws a film while the server ends the connections of the node again and again.
// All frames must be drawn with the right pictures, and no frame may be given up.
func TestConnectionCutWhileChunksArrive(t *testing.T) {
	t.Parallel()
	farm := startKeyedServer(t)
	f, mesh := zoomed(t, smallMesh, 6)
	f.Tries = 1
	s := openZoomed(t, f, mesh)
	conn := farm.dial(farm.submit)
	upload(t, conn, s.Job(), mesh)
	proxy := newCuttingProxy(t, strings.TrimPrefix(farm.url, "nats://"), 1<<20)
	far, err := cluster.Dial(t.Context(), cluster.Address{URL: "nats://" + proxy.Addr().String(), Seed: farm.honest})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(far.Close)
	startNode(t, &Node{Cluster: far, Name: "honest", Workers: 2, Cache: Cache{Dir: t.TempDir()}})
	if err := s.Draw(t.Context(), conn); err != nil {
		t.Fatal(err)
	}
	wantAnimation(t, s)
	if n := proxy.cuts.Load(); n < 2 {
		t.Errorf("the connection was cut %d times", n)
	}
}

// A cuttingProxy forwards connections. It ends each connection after a number of bytes from the server.
type cuttingProxy struct {
	net.Listener
	cuts atomic.Int64
}

func newCuttingProxy(t *testing.T, to string, after int64) *cuttingProxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &cuttingProxy{Listener: listener}
	t.Cleanup(func() { p.Close() })
	go func() {
		for {
			near, err := p.Accept()
			if err != nil {
				return
			}
			go p.forward(near, to, after)
		}
	}()
	return p
}

func (p *cuttingProxy) forward(near net.Conn, to string, after int64) {
	defer near.Close()
	far, err := net.Dial("tcp", to)
	if err != nil {
		return
	}
	defer far.Close()
	go io.Copy(far, near)
	if n, _ := io.CopyN(near, far, after); n == after {
		p.cuts.Add(1)
	}
}
