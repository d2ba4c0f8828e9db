package prepared

import (
	"bytes"
	"encoding/binary"
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"

	"lockstep/scenes"
	"lockstep/scenes/format"
)

// described returns a file with another description, of right checksums.
func described(data []byte, change func(text string) string) []byte {
	meta := binary.LittleEndian.Uint32(data[12:])
	lie := change(string(data[headerSize : headerSize+meta]))
	h, _ := parseHeader(data)
	h.meta, h.metaSum = uint32(len(lie)), sum([]byte(lie))
	return slices.Concat(h.bytes(), []byte(lie), data[headerSize+meta:])
}

// TestBombs refuses descriptions whose lists have elements of next to no text, before they take many times its memory.
func TestBombs(t *testing.T) {
	data := written(t, scene(t, 2000, true), nil)
	const size = 1 << 20
	for _, list := range []string{
		`"parts":[`, `"sections":[`, `"attributes":{"materials":[`, `"attributes":{"fields":[`, `"attributes":{"textures":[`,
		`"attributes":{"pictures":[`,
	} {
		for _, element := range []string{"null", "{}", "1", "[]"} {
			bad := described(data, func(text string) string {
				end := "]" + strings.Repeat("}", strings.Count(list, "{"))
				return text[:len(text)-1] + "," + list + strings.Repeat(element+",", size/(len(element)+1)) + element + end + "}"
			})
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := opened(t, bad, scenes.ReadOptions{})
			runtime.ReadMemStats(&after)
			var damage *scenes.DamageError
			if took := after.TotalAlloc - before.TotalAlloc; !errors.As(err, &damage) || took > 40*size {
				t.Errorf("%s%s: %v, after %d MiB", list, element, err, took>>20)
			}
		}
	}
	var limit *scenes.LimitError
	if _, err := opened(t, data, scenes.ReadOptions{MaxMemory: 1000}); !errors.As(err, &limit) {
		t.Errorf("a description larger than memory: %v", err)
	}
}

// TestSharedPixels refuses pictures that have the pixels of others: each would be copied.
func TestSharedPixels(t *testing.T) {
	bad := described(written(t, furnished(t), nil), func(text string) string {
		at := strings.Index(text, `"pictures":[`) + len(`"pictures":[`)
		one := text[at : at+strings.Index(text[at:], "}")+1]
		return text[:at] + one + "," + text[at:]
	})
	var damage *scenes.DamageError
	if _, _, err := format.Read(t.Context(), bytes.NewReader(bad), scenes.ReadOptions{}, Format); !errors.As(err, &damage) {
		t.Errorf("%v", err)
	}
}

// TestLeastChunk refuses chunks of next to nothing.
func TestLeastChunk(t *testing.T) {
	m := furnished(t)
	d, _, err := (&Contents{Mesh: m}).describe()
	if err != nil {
		t.Fatal(err)
	}
	last := &d.Sections[len(d.Sections)-1]
	for chunk, right := range map[int64]bool{leastChunk: true, leastChunk - 1: false, 1: false, 0: false, ChunkWords + 1: false} {
		last.Chunk = chunk
		if err := d.check(); (err == nil) != right {
			t.Errorf("chunks of %d: %v", chunk, err)
		}
	}
}
