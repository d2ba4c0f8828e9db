package main

import (
	"io"
	"os"
	"testing"

	"lockstep/internal/cli"
	"lockstep/internal/doctable"
)

// TestDocsCommandsParse parses the command lines of renderfarm in README and in the guide to films.
func TestDocsCommandsParse(t *testing.T) {
	parsed := 0
	for _, file := range []string{"../../README.md", "../../docs/film.md"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, args := range doctable.Commands(string(text), commandLine.Name) {
			parsed++
			name, rest := commandLine.Split(args)
			flags := commandLine.NewFlags(name)
			if flags == nil {
				t.Errorf("%s: renderfarm %q: there is no such command", file, args)
				continue
			}
			var global cli.GlobalFlags
			parser, err := commandLine.Parser(name, flags, &global, io.Discard)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := commandLine.Parse(parser, flags, rest); err != nil {
				t.Errorf("%s: renderfarm %q: %v", file, args, err)
			}
		}
	}
	if parsed < 5 {
		t.Errorf("there are only %d commands", parsed)
	}
}
