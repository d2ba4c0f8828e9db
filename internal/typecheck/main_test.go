package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCheck checks that a fault in code for one system, processor or build tag is reported for this configuration only,
// also if the fault is in a test.
func TestCheck(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":        "module example\n\ngo 1.26\n",
		"a.go":          "package example\n\nvar Large int = wide\n\nfunc Fast()\n",
		"wide.go":       "//go:build !386\n\npackage example\n\nconst wide = 1 << 40\n",
		"wide_386.go":   "package example\n\nconst wide = 1 << 31\n",
		"fast_amd64.s":  "#include \"textflag.h\"\n\nTEXT ·Fast(SB), NOSPLIT, $0\n\tRET\n",
		"fast_386.s":    "#include \"textflag.h\"\n\nTEXT ·Fast(SB), NOSPLIT, $0\n\tRET\n",
		"plan9_test.go": "//go:build plan9\n\npackage example\n\nvar Test = missing\n",
		"pure.go":       "//go:build pure\n\npackage example\n\nvar Pure string = 1\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(folder)
	t.Setenv("GOFLAGS", "-mod=mod")
	for _, c := range []struct{ platform, tags, want string }{
		{"linux/amd64", "", ""},
		{"linux/386", "", "a.go:3"},
		{"linux/riscv64", "", "Fast has no body"},
		{"plan9/amd64", "", "plan9_test.go:5"},
		{"linux/amd64", "pure", "pure.go:5"},
	} {
		faults, err := check(c.platform, c.tags, []string{"./..."})
		if err != nil {
			t.Fatal(err)
		}
		if all := strings.Join(faults, "\n"); c.want == "" && all != "" || !strings.Contains(all, c.want) {
			t.Errorf("%s %s: %q, want %q", c.platform, c.tags, all, c.want)
		}
	}
	if _, err := check("linux", "", []string{"."}); err == nil || !strings.Contains(err.Error(), "GOOS/GOARCH") {
		t.Errorf("a platform without a processor: %v", err)
	}
}
