//go:build !linux

package render_test

import (
	"testing"
	"time"
)

// processorTime returns 0: only Linux tells the processor time.
func processorTime(*testing.B) time.Duration { return 0 }
