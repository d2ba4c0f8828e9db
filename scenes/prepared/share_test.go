package prepared

import (
	"encoding/json"
	"runtime"
	"strings"
	"testing"

	"lockstep/scenes"
)

// TestMemoryShare checks that lists of materials with the shortest finishes take at most memoryShare times the memory
// of their text, together with the materials that are made of them.
func TestMemoryShare(t *testing.T) {
	const n = 20000
	zero, err := json.Marshal(material{})
	if err != nil {
		t.Fatal(err)
	}
	one := `{"finish":{}}`
	one += strings.Repeat(" ", max(len(zero)-len(one), 0))
	text := []byte(`{"materials":[` + strings.Repeat(one+",", n-1) + one + `]}`)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var d description
	d.Attributes = new(attributes)
	if err := json.Unmarshal(text, d.Attributes); err != nil || len(d.Attributes.Materials) != n {
		t.Fatalf("%d materials, %v", len(d.Attributes.Materials), err)
	}
	u := &unpacker{d: &d}
	var a scenes.Attributes
	if err := u.convertMaterials(&a); err != nil || a.Materials[n-1].Finish == nil {
		t.Fatal(err)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	took := int64(after.HeapAlloc) - int64(before.HeapAlloc) + int64(len(text))
	if took > memoryShare*int64(len(text)) {
		t.Errorf("%d bytes for %d bytes of text", took, len(text))
	}
	runtime.KeepAlive(d)
	runtime.KeepAlive(a)
	runtime.KeepAlive(text)
}
