package main

import (
	"testing"

	"lockstep/render"
)

func TestCheckMemory(t *testing.T) {
	if err := checkMemory(render.Options{Width: 64, Height: 64, Samples: 16, Depth: true}); err != nil {
		t.Error(err)
	}
	if availableMemory() == 0 {
		t.Skip("this system does not tell")
	}
	// Thirteen terabytes.
	if err := checkMemory(render.Options{Width: 1 << 20, Height: 1 << 20, Samples: 1}); codeOf(err) != exitUsage {
		t.Errorf("a picture larger than memory: %v", err)
	}
}
