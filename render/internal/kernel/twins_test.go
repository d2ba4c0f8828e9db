package kernel

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/geometry"
	"lockstep/render/internal/kernel/shade"
	"lockstep/scenes"
	"lockstep/vp/isa"
	"lockstep/vp/isa/isatest"
)

// twinLevels returns the instruction sets whose vector loops are compared with the specification.
func twinLevels(t isatest.T) []isa.Level { return isatest.Levels(t)[1:] }

// guardByte is the value of memory that must not be written.
const guardByte = 0xa5

// A guarded is a slice with guards on both sides.
type guarded[T any] struct {
	slice  []T
	memory []byte
	lo, hi int // start and end of the bytes that may be written
}

// newGuarded returns a slice of n elements that starts `offset` elements after the start of an allocation, followed by
// `slack` elements that may also be written. All of it is filled with guards.
func newGuarded[T any](n, offset, slack int) *guarded[T] {
	const margin = 32
	whole := make([]T, margin+offset+n+slack+margin)
	size := int(unsafe.Sizeof(whole[0]))
	g := &guarded[T]{memory: unsafe.Slice((*byte)(unsafe.Pointer(&whole[0])), size*len(whole))}
	for i := range g.memory {
		g.memory[i] = guardByte
	}
	first := margin + offset
	g.slice = whole[first : first+n : first+n+slack]
	g.lo, g.hi = first*size, (first+n+slack)*size
	return g
}

// check returns an error if bytes outside the slice and its slack were written.
func (g *guarded[T]) check() error {
	for i, b := range g.memory {
		if b != guardByte && (i < g.lo || i >= g.hi) {
			return fmt.Errorf("byte %d written, outside %d..%d", i, g.lo, g.hi)
		}
	}
	return nil
}

// sameBytes returns an error if two slices differ in any bit.
func sameBytes[T any](got, want []T) error {
	if len(got) != len(want) {
		return fmt.Errorf("%d elements, want %d", len(got), len(want))
	}
	for i := range got {
		g := unsafe.Slice((*byte)(unsafe.Pointer(&got[i])), unsafe.Sizeof(got[i]))
		w := unsafe.Slice((*byte)(unsafe.Pointer(&want[i])), unsafe.Sizeof(want[i]))
		if !bytes.Equal(g, w) {
			return fmt.Errorf("element %d: %v (% x), want %v (% x)", i, got[i], g, want[i], w)
		}
	}
	return nil
}

// TestTwinsAreSelected fails if this build has vector loops and the processor has their instruction set, but Select
// still returns the plain loop.
func TestTwinsAreSelected(t *testing.T) {
	generic := reflect.ValueOf(*Select(isa.Generic))
	for _, level := range twinLevels(t) {
		set := reflect.ValueOf(*Select(level))
		for _, field := range reflect.VisibleFields(set.Type()) {
			if field.Type.Kind() != reflect.Func || !hasTwin(t, field.Name, level) {
				continue
			}
			if set.FieldByIndex(field.Index).Pointer() == generic.FieldByIndex(field.Index).Pointer() {
				t.Errorf("%v: %s is the plain loop", level, field.Name)
			}
		}
	}
}

// hasTwin reports whether a committed assembly file has a loop for a field of Loops.
func hasTwin(t *testing.T, field string, level isa.Level) bool {
	name := regexp.MustCompile(`(?i)TEXT ·` + field + `[A-Za-z]*` + level.String() + `\(SB\)`)
	for _, text := range assembly(t) {
		if name.MatchString(text) {
			return true
		}
	}
	return false
}

// assembly returns the assembly files of the loops.
func assembly(t *testing.T) map[string]string {
	files, err := filepath.Glob("*/*_amd64.s")
	if err != nil || len(files) == 0 {
		t.Fatal("no assembly found: ", err)
	}
	texts := make(map[string]string)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts[file] = string(text)
	}
	return texts
}

// beyondAVX2 matches registers that only AVX-512 has.
var beyondAVX2 = regexp.MustCompile(`\b(Z\d+|K[0-7]|[XY](1[6-9]|2\d|3[01]))\b`)

// features holds the CPU features that vector loops may require, in the spelling of avo. AVX-512 loops may also require
// the features of AVX2, which every processor with AVX-512 has.
var features = map[isa.Level]string{
	isa.AVX2:   "AVX AVX2 BMI BMI2 LZCNT POPCNT CMOV MMX+ RDTSC",
	isa.AVX512: "AVX512F AVX512BW AVX512CD AVX512DQ AVX512VL",
}

// TestTwinsKeepToTheirInstructionSet checks that the AVX2 vector loops have no instructions or registers that a
// processor with only AVX2 lacks. It also checks that no vector loop has fused multiply-adds or approximations, which
// would change the bits of pictures.
func TestTwinsKeepToTheirInstructionSet(t *testing.T) {
	inexact := regexp.MustCompile(`VFN?M(ADD|SUB)|VRCP|VRSQRT`)
	for file, text := range assembly(t) {
		function, requires := "", ""
		for line := range strings.Lines(text) {
			if list, ok := strings.CutPrefix(line, "// Requires: "); ok {
				requires = strings.TrimSpace(list)
			}
			if name, ok := strings.CutPrefix(line, "TEXT ·"); ok {
				function = name[:strings.Index(name, "(")]
				allowed := features[isa.AVX2]
				if strings.HasSuffix(function, "AVX512") {
					allowed += " " + features[isa.AVX512]
				}
				for feature := range strings.SplitSeq(requires, ", ") {
					if !slices.Contains(strings.Fields(allowed), feature) {
						t.Errorf("%s: %s needs %s", file, function, feature)
					}
				}
			}
			if strings.HasSuffix(function, "AVX2") && beyondAVX2.MatchString(line) {
				t.Errorf("%s: %s needs AVX-512: %s", file, function, strings.TrimSpace(line))
			}
			if inexact.MatchString(line) {
				t.Errorf("%s: %s: %s", file, function, strings.TrimSpace(line))
			}
		}
	}
}

// TestTwinsAllocateNothing checks that the arguments of assembly loops are not allocated on the heap.
func TestTwinsAllocateNothing(t *testing.T) {
	b, v, shader := scenes.MakeBlock(100), benchView(false), shade.NewShader(0)
	p, toClip := array.MakePolygons(100), make([]int32, 100)
	keys, other, pix, colors := make([]uint64, 100), make([]uint64, 100), make([]byte, 400), make([]uint32, 100)
	for _, level := range twinLevels(t) {
		set := Select(level)
		var counts geometry.Counts
		allocations := testing.AllocsPerRun(10, func() {
			p.Reset()
			set.Geometry(v, &b, p, toClip, &counts)
			p.N = 100
			clear(p.Payload)
			set.Shade(shader, p, colors)
			set.Merge(keys, other)
			set.Resolve(pix, keys, 0)
			set.Fill(pix, 0)
		})
		if allocations != 0 {
			t.Errorf("%v: %v allocations", level, allocations)
		}
	}
}

// TestGeometryNeedsRoom checks that a vector loop panics if the array of polygons is too short.
func TestGeometryNeedsRoom(t *testing.T) {
	for _, level := range twinLevels(t) {
		b, p := scenes.MakeBlock(20), array.MakePolygons(19)
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%v wrote 20 polygons into 19", level)
				}
			}()
			Select(level).Geometry(benchView(false), &b, p, make([]int32, 20), new(geometry.Counts))
		}()
	}
}
