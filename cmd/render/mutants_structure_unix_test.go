//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"lockstep/scenes"
	"lockstep/scenes/load"
)

// TestStructureMutants reads OBJ, MTL, OFF, PLY and STL files whose lines, sections, counts, records and references
// were changed. Each file must give a mesh or an error with a type, in at most five seconds of processor time and
// with at most 192 MiB and four times its size allocated. With -long it reads 100,000 files of each format, and other
// files with another -mutants-from.
func TestStructureMutants(t *testing.T) {
	n := 30
	if *long {
		n = 100_000
	}
	seeds := structureSeeds()
	for _, name := range slices.Sorted(maps.Keys(seeds)) {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(*mutantsFrom, uint64(crc32.ChecksumIEEE([]byte(name)))))
			outcomes := make(map[string]int)
			var slowest time.Duration
			var most uint64
			for range n {
				folder := mutantFolder(r, seeds[name], name)
				outcome, took, allocated := readStructure(t, folder, name)
				outcomes[outcome]++
				slowest, most = max(slowest, took), max(most, allocated)
			}
			t.Logf("%v, at most %v of processor time and %d MiB", outcomes, slowest, most>>20)
			if outcomes["mesh"] == 0 {
				t.Errorf("%v: the changes are too large", outcomes)
			}
		})
	}
}

// structureSeeds returns small meshes by name, each with the files that it refers to.
func structureSeeds() map[string]map[string]string {
	square := "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"
	vertices := "0 0 0\n1 0 0\n1 1 0\n0 1 0\n"
	faces := "4 0 1 2 3\n3 0 1 2\n3 0 2 3\n"
	facet := "facet normal 0 0 1\n outer loop\n  vertex 0 0 0\n  vertex 1 0 0\n  vertex 0 1 0\n endloop\nendfacet\n"
	header := "ply\nformat ascii 1.0\ncomment TextureFile a.png\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n" +
		"element face 3\nproperty list uchar int vertex_indices\nend_header\n"
	row := func(order binary.ByteOrder, faces bool) string {
		var b []byte
		for _, v := range []float32{0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0} {
			b, _ = binary.Append(b, order, v)
		}
		for _, f := range [][]int32{{3, 0, 1, 2}, {3, 0, 2, 3}} {
			if faces {
				b = append(b, byte(f[0]))
				f = f[1:]
			}
			b, _ = binary.Append(b, order, f)
			if !faces {
				b, _ = binary.Append(b, order, int32(0))
			}
		}
		return string(b)
	}
	pictures := map[string]string{
		"a.mtl": "newmtl m\nKd 1 0.5 0\nmap_Kd a.png\nmap_d -imfchan m b.tga\nnewmtl n\nKd 0 0 1\nmap_Ka c.bmp\nmap_d c.bmp\nKe 1 0 0\nd 0.5\n",
		"a.png": wildPicture("png", wildRed, wildBlue), "b.tga": wildTGA(wildWhite, wildHole, true), "c.bmp": wildPicture("bmp", wildWhite, wildHole),
	}
	seed := func(name, file string) map[string]string {
		files := maps.Clone(pictures)
		files[name] = file
		return files
	}
	return map[string]map[string]string{
		"a.obj":     seed("a.obj", "mtllib a.mtl\no one\n"+square+"vt 0 0\nvt 1 0\nvt 1 1\nvn 0 0 1\nusemtl m\nf 1/1/1 2/2/1 3/3/1 4/1\ng two\nusemtl n\nf -4 -3 -2\nf 1//1 2//1 4//1\nl 1 2\n#MRGB ff010203\n"),
		"a.off":     seed("a.off", "OFF\n# a\n4 3 0\n"+vertices+faces),
		"b.off":     seed("b.off", "STCNOFF 4 3 0\n"+strings.ReplaceAll(vertices, "\n", " 0 0 1 1 0.5 0 1 0 0\n")+strings.ReplaceAll(faces, "\n", " 255 0 0\n")),
		"c.off":     seed("c.off", strings.ReplaceAll("COFF\n4 3 0\n"+strings.ReplaceAll(vertices, "\n", " 255 0 0 255\n")+faces, " ", "\n")),
		"bin.off":   seed("bin.off", "OFF BINARY\n\x00\x00\x00\x04\x00\x00\x00\x02\x00\x00\x00\x00"+row(binary.BigEndian, false)),
		"a.ply":     seed("a.ply", header+vertices+"comment b\n"+faces),
		"bin.ply":   seed("bin.ply", strings.NewReplacer("ascii", "binary_little_endian", "face 3", "face 2").Replace(header)+row(binary.LittleEndian, true)),
		"a.stl":     seed("a.stl", "solid a\n"+facet+"# b\n"+facet+"endsolid a\nsolid b\n"+facet+"endsolid b\n"),
		"bin.stl":   seed("bin.stl", wildSTL("COLOR=abcd", []uint16{0x8001, 2, 3, 0x8000}, 0)),
		"bytes.stl": seed("bytes.stl", wildSTL("vendor", []uint16{9, 9, 9, 9, 9}, 9)),
		"a.mtl":     seed("a.obj", "mtllib a.mtl a.obj a.mtl\n"+square+"vt 0 0\nusemtl m\nf 1/1 2/1 3/1\nusemtl n\nf 1 2 3\n"),
	}
}

// mutantFolder returns the files of a seed. It changes the file with the given name, and sometimes another file.
func mutantFolder(r *rand.Rand, seed map[string]string, name string) fstest.MapFS {
	folder := make(fstest.MapFS)
	for other, data := range seed {
		folder[other] = &fstest.MapFile{Data: []byte(data)}
	}
	change := func(name string) {
		f := folder[name].Data
		for range 1 + r.IntN(3) {
			f = restructure(r, f)
		}
		folder[name].Data = f
	}
	change(name)
	if r.IntN(4) == 0 {
		change([]string{"a.mtl", "a.png", "b.tga", "c.bmp"}[r.IntN(4)])
	}
	return folder
}

// meshOf returns the name of a seed's mesh: a file of materials is read with the mesh that refers to it.
func meshOf(name string) string { return strings.Replace(name, ".mtl", ".obj", 1) }

// readStructure reads a mesh and returns the outcome, the processor time of the process, and the bytes that were
// allocated.
func readStructure(t *testing.T, folder fstest.MapFS, name string) (outcome string, took time.Duration, allocated uint64) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := processorTime()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	_, _, err := load.FS(ctx, folder, meshOf(name), scenes.ReadOptions{MaxMemory: 64 << 20, Workers: 1})
	took = processorTime() - start
	runtime.ReadMemStats(&after)
	allocated = after.TotalAlloc - before.TotalAlloc
	file := folder[meshOf(name)].Data
	all := 0
	for _, f := range folder {
		all += len(f.Data)
	}
	if took > 5*time.Second || errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("took %v: %.2000q", took, file)
	}
	// Pictures are decoded, converted and combined, so up to three times the limit is allocated.
	if allocated > 3*64<<20+4*uint64(all) {
		t.Fatalf("%d bytes for files of %d: %.2000q", allocated, all, file)
	}
	var damage *scenes.DamageError
	var limit *scenes.LimitError
	switch {
	case err == nil:
		return "mesh", took, allocated
	case errors.As(err, &damage):
		return "damage", took, allocated
	case errors.Is(err, scenes.ErrUnknownFormat):
		return "unknown", took, allocated
	case errors.As(err, &limit):
		return "limit", took, allocated
	case errors.Is(err, fs.ErrNotExist):
		return "missing", took, allocated
	}
	t.Fatalf("error without a type: %v: %.2000q", err, file)
	return "", 0, 0
}

// processorTime returns the processor time of all threads of the process and of its children that have ended.
func processorTime() (all time.Duration) {
	for _, of := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if err := syscall.Getrusage(of, &u); err != nil {
			return 0
		}
		all += time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	return all
}

// maxMutant is the size in bytes above which a file is not restructured any more, so that repeated changes do not make
// files grow without limit.
const maxMutant = 1 << 20

// restructure changes the structure of a file: lines and words of a text, or of the header of a binary file, and
// numbers and records of the binary data after it.
func restructure(r *rand.Rand, f []byte) []byte {
	if len(f) == 0 || len(f) > maxMutant {
		return f
	}
	head := textLength(f)
	if head == 0 || head < len(f) && r.IntN(2) == 0 {
		return restructureBinary(r, f, head)
	}
	lines := strings.SplitAfter(string(f[:head]), "\n")
	lines = restructureLines(r, lines)
	return append([]byte(strings.Join(lines, "")), f[head:]...)
}

// textLength returns the number of bytes at the start of a file that are lines of text.
func textLength(f []byte) int {
	end := bytes.IndexFunc(f, func(c rune) bool { return c < ' ' && c != '\n' && c != '\r' && c != '\t' || c == 0xfffd })
	if end < 0 {
		return len(f)
	}
	return 1 + bytes.LastIndexByte(f[:end], '\n')
}

// strange holds lines that are special in some format.
var strange = []string{
	"mtllib a.mtl\n", "mtllib a.obj\n", "usemtl m\n", "usemtl none\n", "g x\n", "v nan 1e308 -inf\n", "v 0,5 1,5 2\n", "f -1 -2 -3\n", "f 1 1 1\n", "f 4294967296 2 3\n", "#MRGB ffffffff\n", "vw 1\n", "\\\n", "f 1 2 \\\n",
	"newmtl m\n", "map_Kd a.png\n", "map_d a.png\n", "map_d b.tga\n", "map_d -imfchan l c.bmp\n", "map_Ka a.mtl\n", "map_Kd -s 1e300 nan -o inf 0 a.png\n", "d 0.5\n",
	"OFF\n", "4 0 1 2 3\n", "65536 0 1\n", "3 0 1 2 3 0 1 2\n", "9 0 1 2\n", "# x\n", "\n", " \n", "comment\n",
	"element vertex 1000000000\n", "element face 4294967295\n", "element x 9223372036854775807\n", "property list uchar int vertex_indices\n", "property double x\n", "end_header\n", "obj_info\n",
	"solid x\n", "endsolid\n", "facet normal 0 0 1\n", "outer loop\n", "vertex 1 2 3\n", "endloop\n", "endfacet\n", "; x\n",
}

// hugeCounts are counts that a file may claim.
var hugeCounts = []string{"0", "-1", "1", "3", "65536", "65537", "1000000", "2147483647", "2147483648", "4294967295", "9223372036854775807", "1e18", "1e400", "nan", "0.5", ""}

// restructureLines changes some lines.
func restructureLines(r *rand.Rand, lines []string) []string {
	at := r.IntN(len(lines))
	end := min(len(lines), at+1+r.IntN(4))
	words := strings.Fields(lines[at])
	switch r.IntN(12) {
	case 0: // repeats a line or a section
		section := lines[at:end]
		size := len(strings.Join(section, ""))
		return slices.Insert(lines, end, slices.Repeat(slices.Clone(section), min(1+r.IntN(1<<r.IntN(12)), 1+maxMutant/4/(1+size)))...)
	case 1: // moves a section
		section := slices.Clone(lines[at:end])
		lines = slices.Delete(lines, at, end)
		return slices.Insert(lines, r.IntN(len(lines)+1), section...)
	case 2:
		return slices.Delete(lines, at, end)
	case 3, 4:
		return slices.Insert(lines, at, slices.Repeat(strange[r.IntN(len(strange)):][:1], 1+r.IntN(1<<r.IntN(6)))...)
	case 5, 6: // changes a number
		if len(words) > 0 {
			words[r.IntN(len(words))] = hugeCounts[r.IntN(len(hugeCounts))]
			lines[at] = strings.Join(words, " ") + "\n"
		}
	case 7: // joins lines
		lines[at] = strings.ReplaceAll(lines[at], "\n", " ")
	case 8: // splits a line
		lines[at] = strings.Replace(lines[at], " ", "\n", 1+r.IntN(3))
	case 9: // repeats a word
		if len(words) > 0 {
			lines[at] = strings.Join(words, " ") + strings.Repeat(" "+words[r.IntN(len(words))], 1+r.IntN(1<<r.IntN(14))) + "\n"
		}
	case 10: // inserts commas
		lines[at] = strings.Replace(lines[at], []string{" ", "."}[r.IntN(2)], ",", 1+r.IntN(3))
	case 11: // changes the ends of all lines
		for i := range lines {
			lines[i] = strings.Replace(lines[i], "\n", []string{"\r\n", "\r", " #\n", "\n\n"}[at%4], 1)
		}
	}
	return lines
}

// restructureBinary changes numbers and records after the text of a file.
func restructureBinary(r *rand.Rand, f []byte, head int) []byte {
	f = bytes.Clone(f)
	at := head + r.IntN(len(f)-head)
	switch r.IntN(6) {
	case 0: // changes a number of four bytes, such as a count
		n, _ := strconv.ParseFloat(hugeCounts[r.IntN(len(hugeCounts)-1)], 64)
		if len(f)-at >= 4 {
			binary.LittleEndian.PutUint32(f[at:], uint32(int64(max(-1, min(n, 1<<40)))))
		}
	case 1: // changes the count of an STL file, or a number in the header of a picture
		if len(f) < 4 {
			break
		}
		if at = min(80, len(f)-4); r.IntN(2) == 0 {
			at = r.IntN(min(54, len(f)-3))
		}
		binary.LittleEndian.PutUint32(f[at:], r.Uint32()>>r.IntN(32))
	case 2: // repeats records
		size := []int{1, 4, 12, 13, 50, 59}[r.IntN(6)]
		end := min(len(f), at+size)
		f = slices.Insert(f, end, bytes.Repeat(bytes.Clone(f[at:end]), min(1+r.IntN(1<<r.IntN(14)), maxMutant/4/size))...)
	case 3:
		f = slices.Delete(f, at, min(len(f), at+1+r.IntN(64)))
	case 4: // changes the attribute of every facet
		for k := 84 + 48; k+2 <= len(f); k += 50 {
			binary.LittleEndian.PutUint16(f[k:], uint16(at))
		}
	case 5: // changes the header
		copy(f[head:], []string{"solid x", "COLOR=", "MATERIAL=", "OFF\n", "ply\n", "BM", "\x00\x00\x0a"}[r.IntN(7)])
	}
	return f
}

// TestRestructure checks that the same seed gives the same files, and that their sizes are limited.
func TestRestructure(t *testing.T) {
	for name, seed := range structureSeeds() {
		var runs [2]string
		for i := range runs {
			r := rand.New(rand.NewPCG(7, 7))
			for range 40 {
				f := []byte(seed[meshOf(name)])
				for range 5 {
					f = restructure(r, f)
				}
				if len(f) > 3*maxMutant {
					t.Fatalf("%s: %d bytes", name, len(f))
				}
				runs[i] += fmt.Sprint(crc32.ChecksumIEEE(f))
			}
		}
		if runs[0] != runs[1] {
			t.Errorf("%s: not the same files", name)
		}
	}
}
