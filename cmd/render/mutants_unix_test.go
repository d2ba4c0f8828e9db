//go:build unix

package main

import (
	"bytes"
	"flag"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"lockstep/internal/cli"
	"lockstep/internal/clitest"
)

var mutantsFrom = flag.Uint64("mutants-from", 3, "the seed of damaged files")

// TestMutants draws damaged files of every format in batches. Each file must give a picture on which something is
// visible, or one line. Some files are also drawn alone. The exit code must then be 0 or 3, or 4 if the file is
// undamaged and nothing is visible. With -long there are 100,000 files of each format, and a run may use no more memory
// than 64 MiB and four times the size of the file. Another -mutants-from gives other files.
func TestMutants(t *testing.T) {
	batches, size := 1, 40
	if *long {
		batches, size = 100, 1000
	}
	seeds := mutantSeeds(t)
	for _, name := range seeds {
		t.Run(filepath.Base(name), func(t *testing.T) {
			m := mutants{file: clitest.Read(t, name), other: clitest.Read(t, seeds[0]), rand: rand.New(rand.NewPCG(*mutantsFrom, uint64(crc32.ChecksumIEEE([]byte(filepath.Base(name)))))), codes: make(map[int]int)}
			for range batches {
				m.draw(t, size)
			}
			t.Logf("%d with a picture, %d without, %d of them whole; exit codes of those drawn alone %v, at most %v and %d MiB; at most %v a batch, %v of all processors",
				m.drawn, m.failed, m.whole, m.codes, m.slowest, m.resident>>20, m.batch, m.busy)
			// A small file compressed with zstd is a single block, so no change leaves a part of it readable.
			if m.drawn == 0 && filepath.Ext(name) != ".zst" || m.failed == 0 {
				t.Error("the changes are too small or too large")
			}
		})
	}
}

// mutantSeeds writes a small mesh in every format, and returns the names of these and other files.
func mutantSeeds(t *testing.T) []string {
	t.Helper()
	dir := t.TempDir()
	names := []string{"a.ply", "a.stl", "a.obj", "a.off", "a.glb", "a.obj.gz", "a.ply.zst"}
	for _, name := range names {
		run(t, dir, "", "convert", "scene:particles?triangles=40", name, "-q").Want(t, cli.Done)
	}
	for name, format := range map[string]string{"text.stl": "stl-ascii", "text.ply": "ply-ascii", "binary.off": "off-binary"} {
		run(t, dir, "", "convert", "scene:particles?triangles=40", name, "--to", format, "-q").Want(t, cli.Done)
		names = append(names, name)
	}
	for i := range names {
		names[i] = filepath.Join(dir, names[i])
	}
	models, err := filepath.Glob("../../scenes/load/testdata/seeds/*")
	if err != nil || len(models) == 0 {
		t.Fatal("no seeds", err)
	}
	return append(names, models...)
}

// mutants holds damaged files of one seed, with the results of drawing them.
type mutants struct {
	file, other   []byte
	rand          *rand.Rand
	drawn, failed int
	whole         int           // files without damage on which nothing is visible
	batch         time.Duration // time of the slowest batch
	busy          time.Duration // largest processor time of a batch
	codes         map[int]int   // exit codes of files that were drawn alone
	slowest       time.Duration // longest time of such a file
	resident      int64         // largest memory of a run, in bytes
}

// draw draws n damaged files in one batch.
func (m *mutants) draw(t *testing.T, n int) {
	t.Helper()
	dir := t.TempDir()
	var names []string
	for i := range n {
		names = append(names, fmt.Sprintf("m%d", i))
		clitest.Write(t, filepath.Join(dir, names[i]), string(m.mutate()))
	}
	start, busy := time.Now(), processorTime()
	r := draws()(t, dir, "", append(slices.Clone(names), "-s", "16", "--view", "20,30", "--background", "none", "-q", "-o", "out")...)
	m.batch, m.busy = max(m.batch, time.Since(start)), max(m.busy, processorTime()-busy)
	if r.Code != int(cli.Partial) && r.Code != int(cli.Done) {
		t.Fatalf("exit code %d: %s", r.Code, r.Stderr)
	}
	if strings.Contains(r.Stderr, "internal error") {
		t.Errorf("a reader panicked: %s", r.Stderr)
	}
	lines := "\n" + r.Stderr
	m.whole += strings.Count(lines, blankWhole)
	for _, name := range names {
		said := strings.Count(lines, "\nrender: "+name+": ")
		data, err := os.ReadFile(filepath.Join(dir, "out", name+".png"))
		switch {
		case err == nil && said == 0 && covered(picture(t, data)) > 0:
			m.drawn++
		case err != nil && said == 1:
			m.failed++
		default:
			t.Errorf("%s: %v, %d lines, or a blank picture: %q", name, err, said, clitest.Read(t, filepath.Join(dir, name)))
		}
	}
	for range max(1, n/250) {
		m.drawAlone(t, dir, names[m.rand.IntN(n)])
	}
	os.RemoveAll(dir)
}

// blankWhole is the end of the line about an undamaged mesh on which nothing is visible.
const blankWhole = ": nothing of it would be visible\n"

// The function draws returns the function that runs commands. With -long, every command is a process, so that its
// memory can be measured. The memory of the test's own process depends on the tests that ran before.
func draws() func(t *testing.T, dir, stdin string, args ...string) clitest.Result {
	if *long {
		return runProgram
	}
	return run
}

// drawAlone draws one damaged file.
func (m *mutants) drawAlone(t *testing.T, dir, name string) {
	t.Helper()
	args := []string{name, "-s", "16", "--view", "20,30", "-q", "-o", "one.png"}
	if !*long {
		m.check(t, run(t, dir, "", args...), clitest.Read(t, filepath.Join(dir, name)))
		return
	}
	cmd := command(t, dir, args...)
	start := time.Now()
	r := finish(t, cmd)
	m.slowest = max(m.slowest, time.Since(start))
	file := clitest.Read(t, filepath.Join(dir, name))
	m.check(t, r, file)
	// The figure includes the memory of this test, from which the command was forked.
	var own syscall.Rusage
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &own); err != nil || !ok || runtime.GOOS != "linux" || own.Maxrss > 60<<10 {
		return // the unit differs on other systems
	}
	resident := int64(usage.Maxrss) << 10
	m.resident = max(m.resident, resident)
	if resident > 64<<20+4*int64(len(file)) {
		t.Errorf("%d bytes resident: %q", resident, file)
	}
}

// check checks the exit code of a command that drew one damaged file.
func (m *mutants) check(t *testing.T, r clitest.Result, file []byte) {
	t.Helper()
	m.codes[r.Code]++
	if r.Code != int(cli.Done) && r.Code != int(cli.Input) && (r.Code != int(cli.Blank) || !strings.HasSuffix(r.Stderr, blankWhole)) {
		t.Errorf("exit code %d: %s: %q", r.Code, r.Stderr, file)
	}
}

// mutate returns the file with a few changes: other bytes, cuts, and pieces of another file. One file in four gets a
// change of its structure first.
func (m *mutants) mutate() []byte {
	r, f := m.rand, bytes.Clone(m.file)
	if r.IntN(4) == 0 {
		if f = restructure(r, f); r.IntN(2) == 0 {
			return f
		}
	}
	for range 1 + r.IntN(4) {
		if len(f) == 0 {
			return f
		}
		at := r.IntN(len(f))
		switch r.IntN(7) {
		case 0, 1:
			f[at] ^= 1 << r.IntN(8)
		case 2:
			f[at] = "\x00\xff\x7f\x80-9 \n"[r.IntN(8)]
		case 3:
			f = f[:at]
		case 4: // removes a piece
			f = slices.Delete(f, at, min(len(f), at+1+r.IntN(64)))
		case 5: // inserts a piece of another file
			from := r.IntN(len(m.other))
			f = slices.Insert(f, at, m.other[from:min(len(m.other), from+1+r.IntN(256))]...)
		case 6: // changes a number
			for k := range min(4, len(f)-at) {
				f[at+k] = byte(r.IntN(256))
			}
		}
	}
	return f
}
