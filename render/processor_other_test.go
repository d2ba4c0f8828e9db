//go:build !linux

package render_test

import (
	"testing"
	"time"
)

// processorTime returns 0, because the processor time is measured only on Linux.
func processorTime(*testing.B) time.Duration { return 0 }
