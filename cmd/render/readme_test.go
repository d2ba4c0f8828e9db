package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/cli"
	"lockstep/internal/doctable"
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
		for _, args := range doctable.Commands(string(text), commandLine.Name) {
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
	flags := commandLine.NewFlags(name)
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
