package docs

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// importRules say which packages of ours the packages below a folder may import. The longest folder counts. They are
// the list of architecture.md in short.
var importRules = map[string][]string{
	"vp":                {"vp"},
	"vp/isa":            {"vp/isa"},
	"vp/hugepages":      {},
	"vp/machine":        {},
	"vp/trace":          {},
	"lb":                {"lb"},
	"scenes":            {"scenes", "vp"},
	"render":            {"render", "scenes", "vp", "lb"},
	"render/png":        {},
	"render/encode":     {},
	"render/atomicfile": {},
	"render/recipe":     {"render", "scenes", "vp", "lb", "internal"},
	"internal":          {"internal", "render", "scenes", "vp", "lb"},
	"internal/webguard": {},
	"view":              {"view", "internal/webguard", "render", "scenes", "lb"},
	"cluster":           {"cluster"},
	"cluster/page":      {"cluster", "internal/webguard"},
	"cluster/film":      {"cluster", "internal", "render", "scenes", "vp", "lb"},
	"cmd/render":        {"view", "internal", "render", "scenes", "vp", "lb"},
	"cmd/renderfarm":    {"cluster", "internal", "render", "scenes", "vp", "lb"},
	"bench":             {"bench", "cluster", "internal", "render", "scenes", "vp", "lb"},
}

// TestImports holds the packages to the rules.
func TestImports(t *testing.T) {
	for _, file := range files(t, ".go") {
		room, err := filepath.Rel(root, filepath.Dir(file))
		if err != nil {
			t.Fatal(err)
		}
		room = filepath.ToSlash(room)
		if strings.HasSuffix(file, "_test.go") || strings.Contains(room+"/", "/_asm/") || below(room, "bench/peers") {
			continue // tests may import anything; the others are modules of their own
		}
		allowed := rule(t, room)
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range tree.Imports {
			path, _ := strconv.Unquote(spec.Path.Value)
			if ours, ok := strings.CutPrefix(path, "lockstep/"); ok && !belowAny(ours, allowed) {
				t.Errorf("%s imports %s; %s may import %v", file, ours, room, allowed)
			}
		}
	}
}

// rule returns what a room may import.
func rule(t *testing.T, room string) []string {
	t.Helper()
	for folder := room; folder != "."; folder = filepath.ToSlash(filepath.Dir(folder)) {
		if allowed, ok := importRules[folder]; ok {
			return allowed
		}
	}
	t.Errorf("no rule says what %s may import", room)
	return nil
}

func below(room, folder string) bool { return room == folder || strings.HasPrefix(room, folder+"/") }

func belowAny(room string, folders []string) bool {
	for _, folder := range folders {
		if below(room, folder) {
			return true
		}
	}
	return false
}
