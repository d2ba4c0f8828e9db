package keycode_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"lockstep/render/internal/keycode"
)

const stride = keycode.Width + 8

// polygons returns a tile of spans as the z-buffer writes them. A span has at most `most` samples, and `gaps` is the
// share of spans that are left empty.
func polygons(r *rand.Rand, most int, gaps float64) []uint64 {
	keys := make([]uint64, stride*keycode.Height)
	for y := range keycode.Height {
		e := float32(math.Exp(r.Float64()*20 - 15))
		for x := 0; x < keycode.Width; {
			n := min(1+r.IntN(most), keycode.Width-x)
			if r.Float64() >= gaps {
				low, de := uint64(^(r.Uint32() >> r.IntN(32))), e*float32(r.NormFloat64()*1e-3)
				for k := range n {
					keys[y*stride+x+k] = uint64(math.Float32bits(max(e+float32(float32(k)*de), 0x1p-126)))<<32 | low
				}
			}
			x += n
		}
	}
	return keys
}

// anything returns a tile with keys of all kinds, including extreme values and adjacent values.
func anything(r *rand.Rand) []uint64 {
	keys := make([]uint64, stride*keycode.Height)
	values := []uint64{0, 1, 1 << 32, math.MaxUint64, math.MaxUint32, 1<<63 | 5, 0x3f80000000000001, 0x3f80000100000001, 0x3f80000300000001}
	for y := range keycode.Height {
		for x := range keycode.Width {
			keys[y*stride+x] = values[r.IntN(len(values))]
		}
	}
	return keys
}

// tiles returns tiles of all kinds.
func tiles(r *rand.Rand) [][]uint64 {
	all := [][]uint64{anything(r), make([]uint64, stride*keycode.Height)}
	for _, most := range []int{1, 2, 3, 10, 64, 1000} {
		for _, gaps := range []float64{0, 0.1, 0.9} {
			all = append(all, polygons(r, most, gaps))
		}
	}
	return all
}

// count returns the number of samples that are set.
func count(keys []uint64) (n int) {
	for _, k := range keys {
		if k != 0 {
			n++
		}
	}
	return n
}

// extremes returns the least and the greatest upper half of the keys.
func extremes(keys []uint64) (least, most uint32) {
	least = math.MaxUint32
	for y := range keycode.Height {
		for _, k := range keys[y*stride:][:keycode.Width] {
			if k == 0 {
				least = 0
			}
			least, most = min(least, uint32(k>>32)), max(most, uint32(k>>32))
		}
	}
	return least, most
}

// merge merges the only tile of src into keys.
func merge(src []byte, keys []uint64, limit uint64) error {
	tile, rest, err := keycode.Next(src)
	if err == nil {
		err = tile.Merge(keys, stride, limit)
	}
	if err == nil && len(rest) > 0 {
		err = errors.New("something is left")
	}
	return err
}

// TestRoundTrip encodes tiles of all kinds and merges them. Merging into an empty tile must restore the original keys.
// After merging into a tile that has keys, no key may be less than the key that was merged into it.
func TestRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 40 {
		var before []uint64
		for kind, keys := range tiles(r) {
			want := slices.Clone(keys)
			dst, n := keycode.Append([]byte("head"), kind, keys, stride)
			if n != count(want) || count(keys) != 0 {
				t.Fatalf("kind %d: %d samples, want %d; %d are left", kind, n, count(want), count(keys))
			}
			if n == 0 {
				if string(dst) != "head" {
					t.Fatalf("kind %d: an empty tile has %d bytes", kind, len(dst))
				}
				continue
			}
			body := dst[4:]
			got := make([]uint64, len(want))
			tile, rest, err := keycode.Next(append(slices.Clone(body), 1, 2, 3))
			if err == nil {
				err = tile.Merge(got, stride, 1<<32)
			}
			if least, most := extremes(want); tile.Number != kind || tile.Min != least || tile.Max != most {
				t.Fatalf("kind %d: it is tile %d of %#x to %#x, want %#x to %#x", kind, tile.Number, tile.Min, tile.Max, least, most)
			}
			if err != nil || !bytes.Equal(rest, []byte{1, 2, 3}) || !slices.Equal(got, want) {
				t.Fatalf("kind %d: other keys come back, and % x is left: %v", kind, rest, err)
			}
			if before != nil {
				if err := merge(body, before, 1<<32); err != nil {
					t.Fatal(err)
				}
				for i, k := range got {
					if before[i] < k {
						t.Fatalf("kind %d: key %d is %#x, and %#x was merged", kind, i, before[i], k)
					}
				}
			}
			before = got
		}
	}
}

// TestSize checks that the bytes per sample do not exceed a limit, for large polygons and for polygons of one sample.
func TestSize(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, c := range []struct {
		most  int
		bytes float64
	}{{1, 9.5}, {20, 1.6}, {64, 0.8}} {
		keys := polygons(r, c.most, 0)
		dst, n := keycode.Append(nil, 0, keys, stride)
		if got := float64(len(dst)) / float64(n); got > c.bytes {
			t.Errorf("runs of up to %d samples: %.2f bytes a sample, want at most %.1f", c.most, got, c.bytes)
		}
	}
}

// TestLimit checks that a payload that is not below the limit is refused and not merged.
func TestLimit(t *testing.T) {
	keys := make([]uint64, stride*keycode.Height)
	low := ^uint32(7) // payload 7
	keys[3] = 1<<62 | uint64(low)
	dst, _ := keycode.Append(nil, 0, keys, stride)
	if err := merge(dst, keys, 7); !errors.Is(err, keycode.ErrMalformed) || keys[3] != 0 {
		t.Errorf("payload 7 of 7: %v, key %#x", err, keys[3])
	}
	if err := merge(dst, keys, 8); err != nil || keys[3] == 0 {
		t.Errorf("payload 7 of 8: %v", err)
	}
}

// TestVisible checks that Visible leaves out some tiles, but only tiles that are entirely behind others. The merged
// keys must stay the same.
func TestVisible(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	var c keycode.Chooser
	left := 0
	for range 60 {
		const n = 5
		var layers [][]byte
		want := make([]uint64, n*stride*keycode.Height)
		parts := 0
		for layer := range 4 {
			var row []byte
			for tx := range n {
				keys := polygons(r, 64, float64(r.IntN(2))*0.1)
				if r.IntN(3) == 0 {
					keys = anything(r)
				}
				base := want[tx*stride*keycode.Height:]
				for i, k := range keys {
					if k != 0 { // each layer is nearer than the layer before, by many octaves
						k += uint64(layer) << 59
						keys[i] = k
					}
					base[i] = max(base[i], k)
				}
				var set int
				if row, set = keycode.Append(row, tx, keys, stride); set > 0 {
					parts++
				}
			}
			layers = append(layers, row)
		}
		tiles, err := c.Visible(layers, n)
		if err != nil {
			t.Fatal(err)
		}
		left += parts - len(tiles)
		got := make([]uint64, len(want))
		for _, tile := range tiles {
			if err := tile.Merge(got[tile.Number*stride*keycode.Height:], stride, 1<<32); err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(got, want) {
			t.Fatal("other keys are merged")
		}
	}
	if left < 60 {
		t.Errorf("%d tiles were left out", left)
	}
}

// TestVisibleTies checks that a tile is not left out if its nearest key is as near as the farthest key of another tile,
// because the payload decides then.
func TestVisibleTies(t *testing.T) {
	var layers [][]byte
	for low := range uint64(2) {
		keys := make([]uint64, stride*keycode.Height)
		for y := range keycode.Height {
			for x := range keycode.Width {
				keys[y*stride+x] = 0x3f800000<<32 | (low + 1)
			}
		}
		row, _ := keycode.Append(nil, 0, keys, stride)
		layers = append(layers, row)
	}
	if tiles, err := new(keycode.Chooser).Visible(layers, 1); err != nil || len(tiles) != 2 {
		t.Errorf("%d tiles, want 2: %v", len(tiles), err)
	}
}

// TestMalformed checks that a tile is refused if bytes follow its keys, or if a run has a wrong start or impossible
// values.
func TestMalformed(t *testing.T) {
	tile := func(change func(b []byte) []byte) error {
		keys := make([]uint64, stride*keycode.Height)
		keys[4], keys[5], keys[9] = 1<<62|1, 1<<62|1, 1<<62|2
		b, _ := keycode.Append(nil, 0, keys, stride)
		b = change(b)
		binary.LittleEndian.PutUint32(b[2:], uint32(len(b)))
		return merge(b, keys, 1<<32)
	}
	const starts, run = 18 + 8, 18 + 8 + 16
	if err := tile(func(b []byte) []byte { return b }); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(b []byte) []byte{
		"a byte more":                   func(b []byte) []byte { return append(b, 0) },
		"a run that does not begin":     func(b []byte) []byte { b[starts+1] = 0; return b },
		"a run that begins at nothing":  func(b []byte) []byte { b[starts] |= 1; return b },
		"a difference of 5 bytes":       func(b []byte) []byte { b[run] = b[run]&15 | 5<<4; return append(b, 0, 0, 0, 0, 0) },
		"a difference of 15 bytes":      func(b []byte) []byte { b[run] |= 15 << 4; return append(b, make([]byte, 15)...) },
		"rows that are whole and not":   func(b []byte) []byte { b[14] |= 1; return b },
		"a row of which nothing is set": func(b []byte) []byte { copy(b[18:], make([]byte, 16)); return b },
	} {
		if err := tile(change); !errors.Is(err, keycode.ErrMalformed) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestTruncated checks that a tile is refused if its end is missing.
func TestTruncated(t *testing.T) {
	dst, _ := keycode.Append(nil, 0, polygons(rand.New(rand.NewPCG(5, 6)), 10, 0.2), stride)
	keys := make([]uint64, stride*keycode.Height)
	for n := range dst {
		short := slices.Clone(dst[:n])
		if n >= 6 {
			binary.LittleEndian.PutUint32(short[2:], uint32(n))
		}
		if err := merge(short, keys, 1<<32); !errors.Is(err, keycode.ErrMalformed) {
			t.Fatalf("%d of %d bytes: %v", n, len(dst), err)
		}
	}
}

// FuzzMerge merges bytes of a hostile process. The result must be an error or a valid tile, never a panic.
func FuzzMerge(f *testing.F) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, keys := range tiles(r) {
		dst, _ := keycode.Append(nil, 0, keys, stride)
		f.Add(dst)
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		keys := make([]uint64, stride*keycode.Height)
		_ = merge(src, keys, 1<<31)
		for i, k := range keys {
			if k != 0 && (uint64(^uint32(k)) >= 1<<31 || i%stride >= keycode.Width) {
				t.Fatalf("key %d is %#x", i, k)
			}
		}
	})
}

// BenchmarkAppend encodes a tile with runs of up to 20 samples. BenchmarkMerge decodes the same tile.
func BenchmarkAppend(b *testing.B) {
	keys := polygons(rand.New(rand.NewPCG(9, 10)), 20, 0)
	work := slices.Clone(keys)
	var dst []byte
	for b.Loop() {
		copy(work, keys)
		dst, _ = keycode.Append(dst[:0], 0, work, stride)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/keycode.Width/keycode.Height, "ns/sample")
}

func BenchmarkMerge(b *testing.B) {
	dst, _ := keycode.Append(nil, 0, polygons(rand.New(rand.NewPCG(9, 10)), 20, 0), stride)
	keys := make([]uint64, stride*keycode.Height)
	for b.Loop() {
		if err := merge(dst, keys, 1<<32); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/keycode.Width/keycode.Height, "ns/sample")
}
