// Package docs has the tests of the documentation: links, anchors, and tables that are written from the code.
package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// root is the folder of the repository.
const root = ".."

// TestLinks follows every relative link of every Markdown file of the repository: to a file or folder that there is,
// and to a heading.
func TestLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	for _, file := range files(t, ".md") {
		for _, match := range link.FindAllStringSubmatch(prose(read(t, file)), -1) {
			target, anchor, _ := strings.Cut(match[1], "#")
			if strings.Contains(target, "://") {
				continue
			}
			path := file
			if target != "" {
				path = filepath.Join(filepath.Dir(file), filepath.FromSlash(target))
			}
			if _, err := os.Stat(path); err != nil {
				t.Errorf("%s: the link %s leads nowhere", file, match[1])
			} else if anchor != "" && !headings(read(t, path))[anchor] {
				t.Errorf("%s: the link %s leads to no heading", file, match[1])
			}
		}
	}
}

// TestNamedFiles looks for the documents that comments of the code name.
func TestNamedFiles(t *testing.T) {
	name := regexp.MustCompile(`\bdocs/[a-z0-9/-]+\.(?:md|conf)`)
	for _, ext := range []string{".go", "Makefile"} {
		for _, file := range files(t, ext) {
			for _, path := range name.FindAllString(read(t, file), -1) {
				if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(path))); err != nil {
					t.Errorf("%s names %s, which there is not", file, path)
				}
			}
		}
	}
}

// TestSourceFiles looks for the files of the code that the documents name in full.
func TestSourceFiles(t *testing.T) {
	name := regexp.MustCompile("`((?:bench|cluster|cmd|internal|lb|render|scenes|vp)/[A-Za-z0-9_/.-]+\\.go)`")
	for _, file := range files(t, ".md") {
		for _, match := range name.FindAllStringSubmatch(read(t, file), -1) {
			if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(match[1]))); err != nil {
				t.Errorf("%s names %s, which there is not", file, match[1])
			}
		}
	}
}

// TestModules wants a row in dependencies.md for every module that go.mod requires directly, with its version.
func TestModules(t *testing.T) {
	table := read(t, "dependencies.md")
	module := regexp.MustCompile(`(?m)^(?:require )?\s*(\S+\.\S+/\S+) (v\S+)$`)
	found := module.FindAllStringSubmatch(read(t, "../go.mod"), -1)
	if len(found) < 10 {
		t.Fatalf("go.mod requires %v", found)
	}
	for _, match := range found {
		row := regexp.MustCompile(`(?m)^\| ` + regexp.QuoteMeta(match[1]) + ` \| ` + regexp.QuoteMeta(match[2]) + ` \|`)
		if n := len(row.FindAllString(table, -1)); n != 1 {
			t.Errorf("dependencies.md has %d rows for %s %s", n, match[1], match[2])
		}
	}
}

// TestCells wants cells of tables short enough to be scanned. What is longer belongs below the table.
func TestCells(t *testing.T) {
	const most = 400 // characters: three and a half lines of the text around
	for _, file := range files(t, ".md") {
		for line := range strings.Lines(read(t, file)) {
			if !strings.HasPrefix(line, "|") {
				continue
			}
			for cell := range strings.SplitSeq(strings.ReplaceAll(line, `\|`, "/"), "|") {
				if n := len([]rune(strings.TrimSpace(cell))); n > most {
					t.Errorf("%s: a cell of %d characters, more than %d: %.60s...", file, n, most, cell)
				}
			}
		}
	}
}

// TestWrapped wants prose of documents in lines that an editor shows whole. Tables, code, and lines of one link are not
// wrapped.
func TestWrapped(t *testing.T) {
	const most = 120 // characters
	for _, file := range files(t, ".md") {
		code := false
		for line := range strings.Lines(read(t, file)) {
			line = strings.TrimSpace(line)
			if strings.HasPrefix(line, "```") {
				code = !code
			}
			if code || strings.HasPrefix(line, "|") || strings.HasPrefix(line, "<") || strings.HasPrefix(line, "![") {
				continue
			}
			if n := len([]rune(line)); n > most {
				t.Errorf("%s: a line of %d characters, more than %d: %.60s...", file, n, most, line)
			}
		}
	}
}

// files returns the files of the repository whose names have an ending.
func files(t *testing.T, ending string) (found []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != root && strings.HasPrefix(entry.Name(), "."):
			return filepath.SkipDir
		case !entry.IsDir() && strings.HasSuffix(path, ending):
			found = append(found, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(found) == 0 {
		t.Fatalf("there are no files %s", ending)
	}
	return found
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// prose returns the lines of a Markdown text without its blocks of code.
func prose(text string) string {
	var b strings.Builder
	code := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			code = !code
		} else if !code {
			b.WriteString(line)
		}
	}
	return b.String()
}

// headings returns the anchors of a Markdown text: headings in small letters, with hyphens for spaces and without
// punctuation.
func headings(text string) map[string]bool {
	anchors := map[string]bool{}
	for line := range strings.Lines(prose(text)) {
		title := strings.TrimLeft(line, "#")
		if title == line || !strings.HasPrefix(title, " ") {
			continue
		}
		anchors[strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, strings.TrimSpace(title))] = true
	}
	return anchors
}
