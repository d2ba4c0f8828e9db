package main

import (
	"bytes"
	"embed"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
)

//go:embed c
var sources embed.FS

// programs are the C programs that could be compiled. Each uses another renderer.
type programs []program

// A program is a compiled C program, with environment variables for it.
type program struct {
	who, path string
	env       []string
}

// Environment variables for llvmpipe, Mesa's software renderer. Without the MALLOC variables, glibc returns large
// blocks to the system and allocates them anew in every frame. llvmpipe then takes up to 2.5 times as long.
// LP_NUM_THREADS=0 makes llvmpipe draw on the caller's thread, and 1 on another thread.
var (
	tuned = []string{
		"MALLOC_TRIM_THRESHOLD_=8589934592", "MALLOC_MMAP_THRESHOLD_=4294967296", "MALLOC_TOP_PAD_=268435456",
		"GALLIUM_DRIVER=llvmpipe", "LIBGL_ALWAYS_SOFTWARE=1",
	}
	alone  = append([]string{"LP_NUM_THREADS=0"}, tuned...)
	beside = append([]string{"LP_NUM_THREADS=1"}, tuned...)
)

// buildPrograms compiles the C programs into dir and returns those that compile. It prints the names of the others.
func buildPrograms(dir string) (all programs) {
	for _, p := range []struct {
		who   string
		libs  []string
		modes [][]string
	}{
		{"llvmpipe", []string{"-lEGL", "-lGL", "-lm"}, [][]string{alone, beside}},
		{"embree", []string{"-lembree3", "-lm"}, [][]string{nil}},
	} {
		for _, name := range []string{"common.h", p.who + ".c"} {
			text, err := sources.ReadFile("c/" + name)
			if err == nil {
				err = os.WriteFile(filepath.Join(dir, name), text, 0o600)
			}
			if err != nil {
				fmt.Fprintln(os.Stderr, "peers:", err)
				return nil
			}
		}
		path := filepath.Join(dir, p.who)
		args := append([]string{"-O3", "-march=native", "-o", path, path + ".c"}, p.libs...)
		if out, err := exec.Command("cc", args...).CombinedOutput(); err != nil {
			first, _, _ := bytes.Cut(out, []byte("\n"))
			fmt.Fprintf(os.Stderr, "peers: without %s: %s\n", p.who, first)
			continue
		}
		for _, env := range p.modes {
			all = append(all, program{p.who, path, env})
		}
	}
	return all
}

// run returns the times of every program for a subject. The programs are pinned to one core.
func (ps programs) run(s *subject, dir string, frames int) (all []timing) {
	if len(ps) == 0 {
		return nil
	}
	path := filepath.Join(dir, "scene")
	if err := writeScene(path, s); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		return nil
	}
	for _, p := range ps {
		cmd := exec.Command("taskset", "-c", "0", p.path, path, strconv.Itoa(frames))
		cmd.Env = append(os.Environ(), p.env...)
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			fmt.Fprintf(os.Stderr, "peers: %s: %v\n", p.who, err)
			continue
		}
		for line := range bytes.Lines(out) {
			var t struct {
				Mode           string
				Seconds, Build float64
				Covered        int64
			}
			if err := json.Unmarshal(line, &t); err != nil {
				fmt.Fprintf(os.Stderr, "peers: %s: %v\n", p.who, err)
				continue
			}
			all = append(all, timing{p.who, t.Mode, t.Seconds, t.Build, t.Covered})
		}
	}
	return all
}

// writeScene writes a subject to a file that c/common.h can read.
func writeScene(path string, s *subject) error {
	n := s.mesh.Len()
	head := make([]float64, 24)
	m := clipMatrix(s)
	for r := range 4 {
		for c := range 4 {
			head[4*c+r] = m[4*r+c]
		}
	}
	copy(head[16:], s.cam.Eye[:])
	head[19], head[20] = width, height
	var b bytes.Buffer
	b.Grow(8 + 8*24 + 36*n)
	floats := make([]float32, 0, 9*4096)
	write := func(v any) error { return binary.Write(&b, binary.LittleEndian, v) }
	if err := write(uint64(n)); err != nil {
		return err
	}
	if err := write(head); err != nil {
		return err
	}
	for t := range n {
		for _, c := range s.mesh.Triangle(t) {
			floats = append(floats, c[:]...)
		}
		if len(floats) == cap(floats) || t == n-1 {
			if err := write(floats); err != nil {
				return err
			}
			floats = floats[:0]
		}
	}
	return os.WriteFile(path, b.Bytes(), 0o600)
}
