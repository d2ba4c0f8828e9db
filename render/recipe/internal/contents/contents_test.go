package contents

import (
	"os"
	"strings"
	"testing"
)

// TestContents checks that the hash depends on every byte, on every file and on the names of the files beside the mesh.
// The contents of a device are unknown.
func TestContents(t *testing.T) {
	t.Chdir(t.TempDir())
	of := func(mesh string, beside ...string) string {
		c, err := Of(t.Context(), mesh, beside)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	large := strings.Repeat("0123456789abcdef", contentsPart/16*2)
	for name, text := range map[string]string{
		"a": "1", "same": "1", "b": "2", "empty": "", "large": large, "late": large[:len(large)-1] + "x", "longer": large + "x",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if of("a") != of("same") || of("a", "b") == of("b", "a") || of("a", "same") == of("a", "a") {
		t.Error("names of meshes count, or those of other files do not")
	}
	seen := map[string]bool{of("a", "b"): true, of("a", "empty"): true, Join(of("a"), of("b")): true, Join(of("b"), of("a")): true}
	for _, name := range []string{"a", "b", "empty", "large", "late", "longer"} {
		seen[of(name)] = true
	}
	if len(seen) != 10 {
		t.Errorf("%d contents of 10 are different", len(seen))
	}
	if c := Join(of("a"), Unknown); c != Unknown {
		t.Error(c)
	}
	if c := of(os.DevNull); c != Unknown {
		t.Error(c)
	}
	if _, err := Of(t.Context(), "none", nil); err == nil {
		t.Error("no error of a missing file")
	}
}
