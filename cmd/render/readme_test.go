package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/cli"
)

// TestDocsCommandsParse parses the command lines of render in README and in the guides.
func TestDocsCommandsParse(t *testing.T) {
	guides, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	parsed := 0
	for _, file := range append(guides, "../../README.md") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, args := range shownCommands(string(text)) {
			parsed++
			if err := parseOnly(args); err != nil && !strings.Contains(err.Error(), "no such file") {
				t.Errorf("%s: render %q: %v", file, args, err)
			}
		}
	}
	if parsed < 40 {
		t.Errorf("there are only %d commands", parsed)
	}
}

// parseOnly parses the arguments of render without running the command.
func parseOnly(args []string) error {
	name, rest := commandLine.Split(args)
	flags := commandLine.Find(name)
	if flags == nil { // a word without flags, such as help
		return nil
	}
	var global cli.GlobalFlags
	parser, err := commandLine.Parser(name, flags, &global, io.Discard)
	if err != nil {
		return err
	}
	_, err = commandLine.Parse(parser, flags, rest)
	return err
}

// shownCommands returns the arguments of render in the blocks of code of a Markdown text, without those that stand for
// others, in capitals or brackets.
func shownCommands(text string) (commands [][]string) {
	code := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "```") {
			code = !code
		}
		line, _, _ = strings.Cut(strings.TrimPrefix(line, "$ "), " #")
		if !code {
			continue
		}
		for part := range strings.SplitSeq(line, "&&") {
			args := strings.Fields(strings.NewReplacer(`"`, "", `'`, "").Replace(part))
			if len(args) > 1 && args[0] == "render" && !strings.ContainsAny(part, "[|") && !strings.Contains(part, "MESH") {
				commands = append(commands, withoutRedirections(args[1:]))
			}
		}
	}
	return commands
}

// withoutRedirections leaves out > FILE and < FILE.
func withoutRedirections(args []string) (kept []string) {
	for i := 0; i < len(args); i++ {
		if args[i] == ">" || args[i] == "<" {
			i++
		} else {
			kept = append(kept, args[i])
		}
	}
	return kept
}
