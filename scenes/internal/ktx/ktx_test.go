package ktx

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

var (
	mutants = flag.Int("mutants", 4000, "how many damaged files are tried")
	seed    = flag.Uint64("mutants-from", 1, "the seed of damaged files")
)

// references holds files with the SHA-256 of the RGBA pixels that the transcoder of Basis Universal 2.50 decodes from
// them. modes-uastc has random blocks of all modes and patterns. The other files were written by the encoder of Basis
// Universal.
var references = map[string]string{
	"colors-etc1s.ktx2":       "0ffddcd859f191a73b7c98d0ee6bceb90f24f49efad638871c217f1eaa1267bf",
	"alpha-etc1s-levels.ktx2": "1d19770f1f093b0fcd41546346d1e605f70cdcceb3685a57564423922348860c",
	"grey-etc1s.ktx2":         "87145ddea4c3756e7661ef6526f4d9344b31697a0434dec2b84c56737f50604f",
	"grey-uastc-zstd.ktx2":    "29b2a07433e707b5710f8afbc9a0cbeae3d3325111898b83d00e15b95e419ba7",
	"modes-uastc.ktx2":        "190d83bb1506e70081477bf2a750634e63ad83de6b180c1bc0c3a7d03c1e10bc",
}

// read returns a file of testdata.
func read(tb testing.TB, name string) []byte {
	tb.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// TestReference decodes all files and compares them with the reference bit for bit.
func TestReference(t *testing.T) {
	for name, want := range references {
		b := read(t, name)
		m, err := Decode(b)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if sum := sha256.Sum256(m.Pix); hex.EncodeToString(sum[:]) != want {
			t.Errorf("%s has other texels", name)
		}
		if c, err := DecodeConfig(b); err != nil || c.Width != m.Rect.Dx() || c.Height != m.Rect.Dy() {
			t.Errorf("%s: %v, %v for %v", name, err, c, m.Rect)
		}
	}
}

// replaced returns a file whose largest level is packed in another form.
func replaced(b, level []byte, packing uint32) []byte {
	b = bytes.Clone(b[:binary.LittleEndian.Uint64(b[80:])])
	binary.LittleEndian.PutUint32(b[44:], packing)
	binary.LittleEndian.PutUint64(b[88:], uint64(len(level)))
	return append(b, level...)
}

// levelOf returns the bytes of the largest level.
func levelOf(b []byte) []byte {
	at, n := binary.LittleEndian.Uint64(b[80:]), binary.LittleEndian.Uint64(b[88:])
	return b[at : at+n]
}

// TestPacking unpacks data that zlib and zstd have packed, and checks that no more than the picture needs is unpacked.
func TestPacking(t *testing.T) {
	b := read(t, "modes-uastc.ktx2")
	want, err := Decode(b)
	if err != nil {
		t.Fatal(err)
	}
	long := append(bytes.Clone(levelOf(b)), make([]byte, 1<<20)...)
	var inflated bytes.Buffer
	z := zlib.NewWriter(&inflated)
	z.Write(long)
	z.Close()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	for packing, level := range map[uint32][]byte{packedZlib: inflated.Bytes(), packedZstd: w.EncodeAll(long, nil)} {
		m, err := Decode(replaced(b, level, packing))
		if err != nil || !bytes.Equal(m.Pix, want.Pix) {
			t.Errorf("packing %d: %v", packing, err)
		}
		if _, err := Decode(replaced(b, level[:len(level)/2], packing)); err == nil {
			t.Errorf("packing %d: half of it is taken", packing)
		}
	}
}

// TestSolid decodes a block of one colour into a picture that is smaller than a block.
func TestSolid(t *testing.T) {
	b := read(t, "modes-uastc.ktx2")
	block := make([]byte, 16)
	binary.LittleEndian.PutUint64(block, 0x17|0x80402010<<5)
	b = replaced(b, block, packedNot)
	binary.LittleEndian.PutUint32(b[20:], 3)
	binary.LittleEndian.PutUint32(b[24:], 1)
	m, err := Decode(b)
	if err != nil || !bytes.Equal(m.Pix, bytes.Repeat([]byte{0x10, 0x20, 0x40, 0x80}, 3)) {
		t.Errorf("%v, %v", err, m)
	}
}

// TestRefused checks that errors name unsupported and damaged parts.
func TestRefused(t *testing.T) {
	put := func(at int, v uint32) func(b []byte) []byte {
		return func(b []byte) []byte {
			binary.LittleEndian.PutUint32(b[at:], v)
			return b
		}
	}
	uastc, etc1s := "modes-uastc.ktx2", "colors-etc1s.ktx2"
	for _, c := range []struct {
		name, file string
		change     func(b []byte) []byte
		says       string
	}{
		{"nothing", uastc, func(b []byte) []byte { return nil }, "no whole KTX 2 file"},
		{"version 1", uastc, func(b []byte) []byte { b[5] = '1'; return b }, "no whole KTX 2 file"},
		{"BC7", uastc, put(12, 145), "the Vulkan format 145"},
		{"no pixels", uastc, put(24, 0), "64 x 0 pixels"},
		{"a volume", uastc, put(28, 4), "a volume, a cube or a list"},
		{"a cube", uastc, put(36, 6), "a volume, a cube or a list"},
		{"a list", uastc, put(32, 2), "a volume, a cube or a list"},
		{"another model", uastc, func(b []byte) []byte { b[104+12] = 162; return b }, "the colour model 162"},
		{"no description", uastc, put(52, 8), "description: the data end early"},
		{"a description elsewhere", uastc, put(48, 1<<30), "description: the data end early"},
		{"ETC1S without BasisLZ", etc1s, put(44, 0), "does not go with its texels"},
		{"UASTC with BasisLZ", uastc, put(44, 1), "does not go with its texels"},
		{"an unknown packing", uastc, put(44, 9), "supercompression 9 is not read"},
		{"no zstd", uastc, put(44, 2), "level 0: "},
		{"more pixels", uastc, put(20, 100), "bytes for 450 blocks"},
		{"a level elsewhere", uastc, put(84, 1), "level 0: the data end early"},
		{"an unknown mode", uastc, func(b []byte) []byte { levelOf(b)[0] = 0x45; return b }, "block 0, 0: a block of an unknown mode"},
		{"an unknown pattern", uastc, func(b []byte) []byte {
			copy(levelOf(b), []byte{0x1d, 0, 0xff, 0xff})
			return b
		}, "a block of an unknown pattern"},
		{"a larger picture", etc1s, func(b []byte) []byte { return put(20, 4000)(put(24, 4000)(b)) }, "its colours: block"},
		{"no slices", etc1s, put(72, 10), "shared by slices: the data end early"},
		{"many levels", etc1s, put(40, 1<<31), "shared by slices: the data end early"},
	} {
		b := c.change(read(t, c.file))
		_, err := Decode(b)
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, expected %q", c.name, err, c.says)
		}
	}
}

// TestMutants decodes damaged files. Each must give a picture or an error.
func TestMutants(t *testing.T) {
	r := rand.New(rand.NewPCG(*seed, 0))
	files := map[string][]byte{}
	names := []string{"colors-etc1s.ktx2", "alpha-etc1s-levels.ktx2", "grey-etc1s.ktx2", "grey-uastc-zstd.ktx2", "modes-uastc.ktx2"}
	for _, name := range names {
		files[name] = read(t, name)
	}
	pictures, refused := 0, 0
	for range *mutants {
		b := bytes.Clone(files[names[r.IntN(len(names))]])
		for range 1 + r.IntN(4) {
			at := r.IntN(len(b))
			if r.IntN(2) == 0 {
				at = min(at, r.IntN(300)) // change a header
			}
			switch r.IntN(4) {
			case 0:
				b[at] ^= 1 << r.IntN(8)
			case 1:
				b[at] = uint8(r.Uint32())
			case 2:
				b = append(b[:at], b[min(len(b), at+1+r.IntN(8)):]...)
			default:
				b = b[:max(at, 1)]
			}
			if len(b) == 0 {
				b = []byte{0}
			}
		}
		if c, err := DecodeConfig(b); err != nil || c.Width*c.Height > 1<<16 || c.Width > 1<<16 || c.Height > 1<<16 {
			refused++
		} else if _, err := Decode(b); err != nil {
			refused++
		} else {
			pictures++
		}
	}
	if pictures == 0 || refused == 0 {
		t.Errorf("%d pictures, %d refused", pictures, refused)
	}
	t.Logf("%d pictures, %d refused", pictures, refused)
}

// FuzzDecode decodes arbitrary data.
func FuzzDecode(f *testing.F) {
	for name := range references {
		f.Add(read(f, name))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := DecodeConfig(b)
		if err != nil || c.Width > 1<<12 || c.Height > 1<<12 {
			return
		}
		if m, err := Decode(b); err == nil && len(m.Pix) != 4*c.Width*c.Height {
			t.Errorf("%d bytes of %d x %d pixels", len(m.Pix), c.Width, c.Height)
		}
	})
}

// BenchmarkDecode decodes pictures of about a million pixels that repeat the blocks of a file.
func BenchmarkDecode(b *testing.B) {
	b.Run("format=uastc", func(b *testing.B) {
		file := read(b, "modes-uastc.ktx2")
		file = replaced(file, bytes.Repeat(levelOf(file), 228), packedNot)
		binary.LittleEndian.PutUint32(file[24:], 72*228)
		benchmark(b, file)
	})
	b.Run("format=etc1s", func(b *testing.B) { benchmark(b, read(b, "alpha-etc1s-levels.ktx2")) })
}

func benchmark(b *testing.B, file []byte) {
	pixels := 0
	for b.Loop() {
		m, err := Decode(file)
		if err != nil {
			b.Fatal(err)
		}
		pixels += m.Rect.Dx() * m.Rect.Dy()
	}
	b.ReportMetric(float64(pixels)/1e6/b.Elapsed().Seconds(), "Mpix/s")
}
