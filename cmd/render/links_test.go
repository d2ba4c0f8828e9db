package main

import (
	"os/exec"
	"strings"
	"testing"
)

// TestLinks checks that packages which only experiments and films need are not linked into the program of pictures.
func TestLinks(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip(err)
	}
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	for pkg := range strings.FieldsSeq(string(out)) {
		for _, no := range []string{"lockstep/bench", "lockstep/cluster", "github.com/nats-io/", "gonum.org/", "codeberg.org/go-pdf/", "codeberg.org/go-latex/"} {
			if strings.HasPrefix(pkg, no) {
				t.Errorf("%s is linked", pkg)
			}
		}
	}
}
