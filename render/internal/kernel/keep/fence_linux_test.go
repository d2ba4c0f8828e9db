package keep

import (
	"math/rand/v2"
	"slices"
	"syscall"
	"testing"
	"unsafe"

	"lockstep/render/internal/kernel/array"
	"lockstep/vp/isa"
)

// TestMergeStaysInside merges chunks into keys between pages that must not be accessed. After their last record, the
// chunks have records of an earlier frame with larger tile rows.
func TestMergeStaysInside(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 1))
	for _, level := range isa.Available() {
		loops := Select(level)
		for n := 1; n <= 3*array.Lanes; n++ {
			size := 8 * (1 + random.IntN(40))
			got := betweenFences(t, size)
			want := make([]uint64, size)
			spans, scratch := spansOf(random, n, min(size, 12), size), array.MakeSpans(ChunkSpans)
			b := rowsFor(1, size, n)
			b.Keep(spans)
			records := slices.Repeat([]Record{{MaxRowKeys - 1 - uint32(n), 7, 0x3f000000, 0}}, ChunkSpans)
			copy(records, b.Records[ChunkSpans:][:n])
			loops.Merge(got, records, n, scratch)
			Select(isa.Generic).Merge(want, records, n, scratch)
			if !slices.Equal(got, want) {
				t.Fatalf("%s: %d spans of %d keys: other keys", level, n, size)
			}
		}
	}
}

// betweenFences returns keys. The memory after them must not be accessed, for as many keys as a record can name.
func betweenFences(t *testing.T, n int) []uint64 {
	page := syscall.Getpagesize()
	whole := (8*n + page - 1) / page * page
	m, err := syscall.Mmap(-1, 0, whole+8*MaxRowKeys, syscall.PROT_NONE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Munmap(m) })
	if err := syscall.Mprotect(m[:whole], syscall.PROT_READ|syscall.PROT_WRITE); err != nil {
		t.Fatal(err)
	}
	return unsafe.Slice((*uint64)(unsafe.Pointer(&m[whole-8*n])), n)
}
