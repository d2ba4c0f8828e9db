// Package doctable keeps the generated tables of the documentation in step with the code. Tests generate a table, and
// compare it with the table between two marks of a Markdown file, or write it there.
package doctable

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"lockstep/internal/pictureflags"
)

// Check compares the section NAME of a file with want. A section is the text between the lines <!-- generated NAME -->
// and <!-- end NAME -->. If the texts differ, Check fails the test. If update is true, it replaces the section instead.
func Check(t *testing.T, file, name, want string, update bool) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := "<!-- generated "+name+" -->\n", "<!-- end "+name+" -->\n"
	before, rest, ok := strings.Cut(string(text), begin)
	have, after, ended := strings.Cut(rest, end)
	if !ok || !ended {
		t.Fatalf("%s: there is no section %q: it begins with %s and ends with %s", file, name, begin, end)
	}
	if have == want {
		return
	}
	if update {
		if err := os.WriteFile(file, []byte(before+begin+want+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("%s: the section %q is not what the code says (- in the file, + by the code); make docs writes it\n%s",
		file, name, diffLines(have, want))
}

// diffLines lists first the lines that only `have` contains, and then those that only `want` contains.
func diffLines(have, want string) string {
	var b strings.Builder
	old, next := strings.SplitAfter(have, "\n"), strings.SplitAfter(want, "\n")
	for _, line := range old {
		if !slices.Contains(next, line) {
			b.WriteString("- " + line)
		}
	}
	for _, line := range next {
		if !slices.Contains(old, line) {
			b.WriteString("+ " + line)
		}
	}
	if b.Len() == 0 {
		return "only the order of the lines differs\n"
	}
	return b.String()
}

// Flags returns a table of the flags that belong to a group of the help, sorted by name. The group "" means the flags
// of the first page of the help.
func Flags(flags []*kong.Flag, group string) string {
	var rows []string
	for _, flag := range flags {
		if key := groupOf(flag); key == group && !flag.Hidden && flag.Name != "help" {
			rows = append(rows, Row(backquoted(strings.TrimSpace(pictureflags.FlagName(flag))), flag.Help))
		}
	}
	slices.SortFunc(rows, func(a, b string) int { return strings.Compare(fromLongFlag(a), fromLongFlag(b)) })
	return Row("flag", "meaning, and the default in brackets") + "|---|---|\n" + strings.Join(rows, "")
}

func groupOf(flag *kong.Flag) string {
	if flag.Group == nil {
		return ""
	}
	return flag.Group.Key
}

// fromLongFlag returns the part of a table row that begins with its first long flag.
func fromLongFlag(row string) string { return row[strings.Index(row, "--"):] }

func backquoted(s string) string { return "`" + s + "`" }

// Row returns a row of a Markdown table.
func Row(cells ...string) string {
	for i, cell := range cells {
		cells[i] = strings.ReplaceAll(cell, "|", `\|`)
	}
	return fmt.Sprintf("| %s |\n", strings.Join(cells, " | "))
}
