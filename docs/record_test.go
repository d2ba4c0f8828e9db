package docs

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestRecordEntries wants every section of the record to begin with its entry: a date, a commit and a machine.
func TestRecordEntries(t *testing.T) {
	entry := regexp.MustCompile(`^> \d+ .*20\d\d.*\b[0-9a-f]{7}\b`)
	machine := regexp.MustCompile(`machine|Xeon|EPYC|Zen|Rapids|Ice Lake`)
	records, err := filepath.Glob("record/*.md")
	if err != nil || len(records) < 2 {
		t.Fatal(records, err)
	}
	for _, file := range records {
		if filepath.Base(file) == "README.md" {
			continue
		}
		for _, section := range strings.Split(prose(read(t, file)), "\n##")[1:] {
			title, text, _ := strings.Cut(section, "\n")
			text = strings.TrimSpace(text)
			first, _, _ := strings.Cut(text, "\n\n")
			if first = strings.ReplaceAll(first, "\n> ", " "); !entry.MatchString(first) || !machine.MatchString(first) {
				t.Errorf("%s: the section %q begins without a date, a commit and a machine: %.60q", file, title, first)
			}
		}
	}
}
