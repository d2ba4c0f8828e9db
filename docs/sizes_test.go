package docs

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Bounds of what a person has to hold in mind at once.
const (
	mostFiles      = 22  // of a folder, Go and assembly, without tests
	mostLines      = 400 // of a file that is not generated
	mostOfFunction = 60  // lines
	mostParameters = 6
)

// crowded are folders with more files, and how many they have: none may get more.
var crowded = map[string]int{
	"cmd/render": 42, // a file for each command and for each thing that several of them do
}

// straight are folders whose functions may be longer: generators, which write one instruction after the other, and lists of
// laws that experiments draw from.
var straight = []string{"/_asm/", "/bench/criteria/families/"}

// wide are functions with more parameters: of a public interface that programs call, and of C.
var wide = map[string]bool{
	"camera.FitTightTurn": true, "drawing.New": true,
	"main.lockstep_partition": true, "main.divide": true, "main.lockstep_stay": true,
}

// TestSizes keeps folders, files and functions small.
func TestSizes(t *testing.T) {
	files := map[string]int{}
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() {
			if path != ".." && name[0] == '.' || name == "testdata" {
				return filepath.SkipDir
			}
			return nil
		}
		isGo := strings.HasSuffix(name, ".go")
		if !isGo && !strings.HasSuffix(name, ".s") {
			return nil
		}
		room, _ := filepath.Rel("..", filepath.Dir(path))
		if !strings.HasSuffix(name, "_test.go") {
			files[filepath.ToSlash(room)]++
			if isGo {
				checkFile(t, path)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for room, n := range files {
		most := max(mostFiles, crowded[room])
		if n > most {
			t.Errorf("%s has %d files, at most %d: part of them may have a subject of their own", room, n, most)
		}
		if known := crowded[room]; n < known {
			t.Errorf("%s has %d files by now: it need not be allowed %d", room, n, known)
		}
	}
}

// checkFile checks one file that is no test.
func checkFile(t *testing.T, path string) {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, path, text, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	if ast.IsGenerated(tree) {
		return
	}
	if n := bytes.Count(text, []byte("\n")); n > mostLines {
		t.Errorf("%s has %d lines, at most %d", path, n, mostLines)
	}
	for _, d := range tree.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		if n := set.Position(f.End()).Line - set.Position(f.Pos()).Line + 1; n > mostOfFunction && !slices.ContainsFunc(straight, func(folder string) bool { return strings.Contains(filepath.ToSlash(path), folder) }) {
			t.Errorf("%s: %s has %d lines, at most %d", set.Position(f.Pos()), f.Name.Name, n, mostOfFunction)
		}
		if n := f.Type.Params.NumFields(); n > mostParameters && !wide[tree.Name.Name+"."+f.Name.Name] {
			t.Errorf("%s: %s has %d parameters, at most %d", set.Position(f.Pos()), f.Name.Name, n, mostParameters)
		}
	}
}
