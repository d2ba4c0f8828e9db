package docs

import (
	"flag"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/doctable"
)

var update = flag.Bool("update", false, "write the tables of the documentation instead of comparing with them")

// TestRooms compares the table of packages in architecture.md with the first sentences of the packages' documentation.
// With -update it writes the table.
func TestRooms(t *testing.T) {
	table := doctable.Row("package", "its subject") + "|---|---|\n"
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		if base := entry.Name(); path != ".." && (base[0] == '.' || base[0] == '_') || base == "testdata" {
			return filepath.SkipDir
		}
		sentence, err := subject(path)
		if sentence != "" {
			room, _ := filepath.Rel("..", path)
			table += doctable.Row("`"+filepath.ToSlash(room)+"`", sentence)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	doctable.Check(t, "architecture.md", "packages", table, *update)
}

// subject returns the first sentence about the package in a folder without "Package NAME", or "" where none has one.
func subject(folder string) (string, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return "", err
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			return "", err
		}
		if tree.Doc == nil {
			continue
		}
		sentence := new(doc.Package).Synopsis(tree.Doc.Text())
		for _, kind := range []string{"Package ", "Command "} {
			if rest, ok := strings.CutPrefix(sentence, kind); ok {
				_, sentence, _ = strings.Cut(rest, " ")
			}
		}
		return links.Replace(sentence), nil
	}
	return "", nil
}

// links are the marks of links in Go's documentation, which Markdown would take for its own.
var links = strings.NewReplacer("[", "", "]", "")
