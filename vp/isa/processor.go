package isa

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/klauspost/cpuid/v2"
)

// Processor describes the processor in one line: architecture, name, family, model and stepping, and the sizes of its
// caches, as far as they are known. Stored timings are valid as long as the description is the same.
func Processor() string {
	c := &cpuid.CPU
	name := strings.Join(strings.Fields(c.BrandName), " ")
	if name == "" {
		name = c.VendorString
	}
	parts := []string{runtime.GOARCH}
	if name != "" {
		parts = append(parts, name)
	}
	parts = append(parts, fmt.Sprintf("family %d model %d stepping %d", c.Family, c.Model, c.Stepping))
	for _, cache := range []struct {
		name  string
		bytes int
	}{{"L1", c.Cache.L1D}, {"L2", c.Cache.L2}, {"L3", c.Cache.L3}} {
		if cache.bytes > 0 {
			parts = append(parts, fmt.Sprintf("%s %d KiB", cache.name, cache.bytes/1024))
		}
	}
	return strings.Join(parts, ", ")
}
