package ranged

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"lockstep/cluster"
)

// A store has the chunks of a file, and counts how often each chunk is fetched.
type store struct {
	file cluster.File
	data []byte

	mu      sync.Mutex
	fetched map[int64]int // number of fetches, by the number of the chunk in the file
	sums    int
	damaged []cluster.Part // the parts that arrived damaged
	moving  int            // chunks in transit
	most    int            // greatest number of chunks in transit
	// change, if not nil, changes an answer. chunk is -1 for the sums of a part.
	change func(ctx context.Context, chunk int64, b []byte) ([]byte, error)
}

func newStore(t *testing.T, size int) *store {
	t.Helper()
	s := &store{data: make([]byte, size), fetched: map[int64]int{}}
	rand.NewChaCha8([32]byte{7}).Read(s.data)
	var err error
	if s.file, err = cluster.HashChunks(t.Context(), "mesh/a.lkm", bytes.NewReader(s.data)); err != nil {
		t.Fatal(err)
	}
	return s
}

// part returns the number of a part and its bytes.
func (s *store) part(p cluster.Part) (int64, []byte) {
	at := int64(0)
	for i, q := range s.file.Parts {
		if q == p {
			return int64(i), s.data[at:][:q.Size]
		}
		at += q.Size
	}
	panic("no part of the file")
}

func chunkOf(data []byte, i int64) []byte {
	at := i * cluster.RangeBytes
	return data[at:min(at+cluster.RangeBytes, int64(len(data)))]
}

func (s *store) ChunkSums(ctx context.Context, p cluster.Part) (sums []byte, err error) {
	_, data := s.part(p)
	for i := range p.NumChunks() {
		sum := sha256.Sum256(chunkOf(data, i))
		sums = append(sums, sum[:]...)
	}
	s.mu.Lock()
	s.sums++
	change := s.change
	s.mu.Unlock()
	if change != nil {
		return change(ctx, -1, sums)
	}
	return sums, nil
}

func (s *store) Chunk(ctx context.Context, p cluster.Part, i int64) (b []byte, err error) {
	at, data := s.part(p)
	s.mu.Lock()
	s.fetched[at*chunksPerPart+i]++
	s.moving++
	s.most = max(s.most, s.moving)
	change := s.change
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.moving--
		s.mu.Unlock()
	}()
	b = bytes.Clone(chunkOf(data, i))
	if change != nil {
		return change(ctx, at*chunksPerPart+i, b)
	}
	return b, nil
}

func (s *store) Damaged(_ context.Context, p cluster.Part) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.damaged = append(s.damaged, p)
}

func (s *store) open(t *testing.T, path string, room func(int64) error) *File {
	t.Helper()
	f, err := Open(t.Context(), s.file, Options{Path: path, Fetch: s, Room: room})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// wantBytes reads n bytes at an offset.
func (s *store) wantBytes(t *testing.T, f *File, off, n int64) {
	t.Helper()
	b := make([]byte, n)
	k, err := f.ReadAt(b, off)
	want := s.data[min(off, int64(len(s.data))):min(off+n, int64(len(s.data)))]
	if !bytes.Equal(b[:k], want) || err != nil && (err != io.EOF || int64(k) == n) || err == nil && int64(k) < n {
		t.Errorf("%d bytes at %d: %d bytes, equal %v, %v", n, off, k, bytes.Equal(b[:k], want), err)
	}
}

const unit = cluster.RangeBytes

// TestReads reads single bytes, chunks and ends of a file of two parts. Only the chunks that are read may be fetched.
// No chunk may be fetched twice, even after the file is opened again.
func TestReads(t *testing.T) {
	s, path := newStore(t, cluster.PartBytes+3*unit+5), filepath.Join(t.TempDir(), "mesh", "a.lkm")
	size := s.file.Size
	f := s.open(t, path, nil)
	for range 2 {
		for _, at := range [][2]int64{{0, 10}, {5*unit - 1, 2}, {cluster.PartBytes - 3, 6}, {size - 2, 2}, {size - 2, 9}, {size, 1}, {size + 7, 2}, {20 * unit, 0}} {
			s.wantBytes(t, f, at[0], at[1])
		}
		if _, err := f.ReadAt(make([]byte, 1), -1); err == nil {
			t.Error("a byte before the first")
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := f.ReadAt(make([]byte, 1), 30*unit); err == nil {
			t.Error("a byte of a closed file")
		}
		f = s.open(t, path, nil)
	}
	want := map[int64]bool{0: true, 4: true, 5: true, 255: true, 256: true, 259: true}
	for i, n := range s.fetched {
		// After chunks that the file already has, the next chunk may be fetched ahead.
		if n != 1 || !want[i] && !want[i-1] && !want[i-2] {
			t.Errorf("chunk %d is fetched %d times", i, n)
		}
		delete(want, i)
	}
	if len(want) > 0 || s.sums != 2 {
		t.Errorf("chunks %v are not fetched; sums %d times", want, s.sums)
	}
	if info, err := os.Stat(path + Suffix); err != nil || Allocated(info) > size/2 || Allocated(info) < 5*unit {
		t.Errorf("the copy takes %d bytes, %v", Allocated(info), err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a copy with holes has the name of the file: %v", err)
	}
}

// TestReader reads a whole file through Reader from front to back.
func TestReader(t *testing.T) {
	s := newStore(t, 20*unit+1)
	f := s.open(t, filepath.Join(t.TempDir(), "a.lkm"), nil)
	r := f.Reader()
	info, err := r.Stat()
	if err != nil || info.Size() != s.file.Size || !info.Mode().IsRegular() || info.IsDir() || info.Name() != "a.lkm" {
		t.Errorf("%+v, %v", info, err)
	}
	if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, s.data) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	s.wantBytes(t, f, 3, 9) // the file is still open
	if n := f.Fetched(); n != s.file.Size {
		t.Errorf("%d bytes are fetched", n)
	}
}

// TestReadersTogether reads at random places with many goroutines. Equal requests are joined, and the number of chunks
// in transit is limited.
func TestReadersTogether(t *testing.T) {
	s, path := newStore(t, 40*unit+9), filepath.Join(t.TempDir(), "a.lkm")
	files := []*File{s.open(t, path, nil), s.open(t, path, nil)} // stands for the files of two processes
	var reading sync.WaitGroup
	for g := range 24 {
		random := rand.New(rand.NewPCG(uint64(g), 1))
		reading.Go(func() {
			for range 20 {
				s.wantBytes(t, files[g%2], random.Int64N(s.file.Size), random.Int64N(2*unit))
			}
		})
	}
	reading.Wait()
	if s.most > 2*atOnce {
		t.Errorf("%d chunks are in transit at a time", s.most)
	}
	for i, n := range s.fetched {
		if n > 2 {
			t.Errorf("chunk %d is fetched %d times for two files", i, n)
		}
	}
	for _, f := range files {
		if err := f.FetchAll(); err != nil || f.Failed() != nil {
			t.Errorf("%v, %v", err, f.Failed())
		}
	}
}

// TestChunksInTransit checks that a file has atOnce chunks in transit while many are missing.
func TestChunksInTransit(t *testing.T) {
	s := newStore(t, 40*unit)
	arrive := make(chan struct{})
	s.change = func(_ context.Context, i int64, b []byte) ([]byte, error) {
		if i >= 0 {
			<-arrive
		}
		return b, nil
	}
	f := s.open(t, filepath.Join(t.TempDir(), "a.lkm"), nil)
	held := make(chan error)
	go func() { held <- f.FetchAll() }()
	for moving := 0; moving < atOnce; time.Sleep(time.Millisecond) {
		s.mu.Lock()
		moving = s.moving
		s.mu.Unlock()
	}
	time.Sleep(20 * time.Millisecond) // without a limit there would be more by now
	close(arrive)
	if err := <-held; err != nil || s.most != atOnce {
		t.Errorf("%d chunks are in transit at a time, %v", s.most, err)
	}
}

// TestDamagedCopy checks that damaged chunks and sums on the disk are fetched again, and nothing else. A copy of
// another length must be repaired.
func TestDamagedCopy(t *testing.T) {
	s, path := newStore(t, cluster.PartBytes+2*unit), filepath.Join(t.TempDir(), "a.lkm")
	f := s.open(t, path, nil)
	if err := f.FetchAll(); err != nil {
		t.Fatal(err)
	}
	f.Close()
	clear(s.fetched)
	s.sums = 0
	damage := func(at int64) {
		t.Helper()
		c, err := os.OpenFile(path+Suffix, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err := c.WriteAt([]byte{^s.data[0], ^s.data[1], 1}, at); err != nil {
			t.Fatal(err)
		}
	}
	damage(3*unit + 99)
	damage(s.file.Size + 40) // sums of the first part
	f = s.open(t, path, nil)
	s.wantBytes(t, f, 0, s.file.Size)
	if len(s.fetched) != 1 || s.fetched[3] != 1 || s.sums != 1 {
		t.Errorf("chunks %v are fetched again, and sums of %d parts", s.fetched, s.sums)
	}
	f.Close()
	if err := os.Truncate(path+Suffix, 10*unit+5); err != nil {
		t.Fatal(err)
	}
	f = s.open(t, path, nil)
	s.wantBytes(t, f, 0, s.file.Size)
	if n := len(s.fetched); n != 258-10+1 {
		t.Errorf("%d chunks are fetched after the copy was cut off", n)
	}
	if err := os.Truncate(path+Suffix, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := f.ReadAt(make([]byte, 9), 5); err == nil || errors.Is(err, io.EOF) || f.Failed() == nil {
		t.Errorf("a copy that became shorter while it is open: %v", err)
	}
}

// TestWrongAnswers checks that wrong answers of a server are refused with an error of one line, before they are written
// to the disk.
func TestWrongAnswers(t *testing.T) {
	for says, change := range map[string]func(ctx context.Context, chunk int64, b []byte) ([]byte, error){
		"has 5 bytes, not 262144": func(_ context.Context, i int64, b []byte) ([]byte, error) {
			return pick(i == 2, b[:min(5, len(b))], b), nil
		},
		"has 524288 bytes": func(_ context.Context, i int64, b []byte) ([]byte, error) {
			return pick(i == 2, make([]byte, 2*unit), b), nil
		},
		"chunk 2 of part": func(_ context.Context, i int64, b []byte) ([]byte, error) {
			b[0] ^= pick[byte](i == 2, 1, 0)
			return b, nil
		},
		"have 32000000 bytes, not 128": func(_ context.Context, i int64, b []byte) ([]byte, error) {
			return pick(i < 0, make([]byte, 32e6), b), nil
		},
		"the sums of part": func(_ context.Context, i int64, b []byte) ([]byte, error) {
			b[9] ^= pick[byte](i < 0, 1, 0)
			return b, nil
		},
		"have 0 bytes":              func(_ context.Context, i int64, b []byte) ([]byte, error) { return pick(i < 0, nil, b), nil },
		"not in the server's store": func(_ context.Context, i int64, b []byte) ([]byte, error) { return nil, cluster.ErrMissing },
	} {
		s, path := newStore(t, 3*unit+5), filepath.Join(t.TempDir(), "a.lkm")
		s.change = change
		f := s.open(t, path, nil)
		b := make([]byte, 9)
		_, err := f.ReadAt(b, 2*unit)
		if err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), path+": byte 524288: ") {
			t.Errorf("%s: %v", says, err)
		}
		if x := f.Failed(); x == nil || x.Chunk != 2 || x.Err.Error() != err.Error() {
			t.Errorf("%s: %+v", says, x)
		}
		s.mu.Lock()
		if told := len(s.damaged) == 1 && s.damaged[0] == s.file.Parts[0]; told == strings.Contains(says, "not in") {
			t.Errorf("%s: the parts %v are told as damaged", says, s.damaged)
		}
		s.mu.Unlock()
		s.mu.Lock()
		s.change = nil
		s.mu.Unlock()
		s.wantBytes(t, f, 0, s.file.Size)
	}
}

func pick[T any](yes bool, a, b T) T {
	if yes {
		return a
	}
	return b
}

// TestReaderLeaves checks that a reader stops waiting when its context ends. The chunk must still arrive for other
// readers.
func TestReaderLeaves(t *testing.T) {
	s := newStore(t, 2*unit)
	arrive, asked := make(chan struct{}), make(chan struct{}, 1)
	s.change = func(ctx context.Context, i int64, b []byte) ([]byte, error) {
		if i >= 0 {
			asked <- struct{}{}
			select {
			case <-arrive:
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		return b, nil
	}
	f := s.open(t, filepath.Join(t.TempDir(), "a.lkm"), nil)
	ctx, cancel := context.WithCancel(t.Context())
	f.SetContext(ctx)
	left := make(chan error)
	go func() {
		_, err := f.ReadAt(make([]byte, 1), 0)
		left <- err
	}()
	<-asked
	cancel()
	if err := <-left; !errors.Is(err, context.Canceled) || f.Failed() == nil {
		t.Errorf("%v, %v", err, f.Failed())
	}
	f.SetContext(t.Context())
	close(arrive)
	s.wantBytes(t, f, 0, 1)
	if s.fetched[0] != 1 {
		t.Errorf("the chunk is fetched %d times", s.fetched[0])
	}
	// Closing the file ends a fetch that hangs.
	f.SetContext(ctx)
	s.change = func(ctx context.Context, _ int64, _ []byte) ([]byte, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	if _, err := f.ReadAt(make([]byte, 1), unit); err == nil {
		t.Error("a chunk that does not arrive is read")
	}
	f.Close()
}

// TestRoom checks that nothing is written if there is no space left. If there is space, it must be requested in large
// steps.
func TestRoom(t *testing.T) {
	s, path := newStore(t, 10*unit), filepath.Join(t.TempDir(), "a.lkm")
	left, asked := int64(3*unit), 0
	full := errors.New("full")
	f := s.open(t, path, func(n int64) error {
		asked++
		if n > left {
			return full
		}
		left -= n
		return nil
	})
	for i := range 5 {
		_, err := f.ReadAt(make([]byte, 1), int64(2*i)*unit)
		if (i < 3) != (err == nil) || err != nil && !errors.Is(err, full) {
			t.Errorf("chunk %d: %v", 2*i, err)
		}
	}
	if info, err := os.Stat(path + Suffix); err != nil || Allocated(info) > 3*unit+64<<10 {
		t.Errorf("the copy takes %d bytes, %v", Allocated(info), err)
	}
	left, asked = 100*unit, 0
	if err := f.FetchAll(); err != nil || asked != 1 {
		t.Errorf("asked %d times, %v", asked, err)
	}
}

// TestOpenRefuses checks that malformed files and files without hashes of chunks are refused before anything is
// created.
func TestOpenRefuses(t *testing.T) {
	s := newStore(t, 2*unit)
	path := filepath.Join(t.TempDir(), "a.lkm")
	for i, change := range []func(f *cluster.File){
		func(f *cluster.File) { f.Parts[0].Chunks = "" },
		func(f *cluster.File) { f.Parts[0].Chunks = "x" },
		func(f *cluster.File) { f.Size = 1 << 60 },
		func(f *cluster.File) { f.Size, f.Parts[0].Size = -1, -1 },
		func(f *cluster.File) { f.Parts = append(f.Parts, cluster.Part{Hash: f.Parts[0].Hash, Size: 5}) },
		func(f *cluster.File) { f.Parts = nil },
	} {
		bad := s.file
		bad.Parts = append([]cluster.Part(nil), s.file.Parts...)
		change(&bad)
		if _, err := Open(t.Context(), bad, Options{Path: path, Fetch: s}); err == nil {
			t.Errorf("change %d is taken: %+v", i, bad)
		}
	}
	if _, err := os.Stat(path + Suffix); err == nil {
		t.Error("a copy is created")
	}
}
