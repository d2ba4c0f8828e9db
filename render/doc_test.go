package render_test

import (
	"os"
	"strings"
	"testing"
)

// TestDocBeginsAsReadme compares the first code of the package's documentation with the code in the README that makes a
// renderer. They must be equal, because users know the look of that picture.
func TestDocBeginsAsReadme(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, library, _ := strings.Cut(string(readme), "## As a library")
	code, found := "", false
	for !strings.Contains(code, ".Studio()") {
		if _, library, found = strings.Cut(library, "```go\n"); !found {
			break
		}
		code, library, _ = strings.Cut(library, "```")
	}
	if !found {
		t.Fatalf("the README shows %q", code)
	}
	var first strings.Builder
	for line := range strings.Lines(string(doc)) {
		if text, ok := strings.CutPrefix(line, "//\t"); ok {
			first.WriteString(text)
		} else if first.Len() > 0 {
			break
		}
	}
	if first.String() != code {
		t.Errorf("the documentation begins with\n%s\nand the README with\n%s", &first, code)
	}
}
