//go:build unix

package load_test

import (
	"context"
	"os"
	"syscall"
	"testing"

	"lockstep/scenes"
	"lockstep/scenes/load"
)

// BenchmarkReadForeign reads a sheet of 500,000 triangles, or its 250,000 points, from formats that cannot be written.
// In addition to the elapsed time, it reports megabytes per second of processor time, on which other work on the
// machine has less influence.
func BenchmarkReadForeign(b *testing.B) {
	s := newSheet(500, 500)
	for i := range foreigns {
		f := &foreigns[i]
		b.Run("format="+f.name, func(b *testing.B) {
			path := writeForeign(b, f, s)
			info, err := os.Stat(path)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(info.Size())
			before, triangles := processorSeconds(b), 0
			for b.Loop() {
				m, _, err := load.File(context.Background(), path, scenes.ReadOptions{Workers: 1})
				if err != nil {
					b.Fatal(err)
				}
				triangles += m.Len()
			}
			spent := processorSeconds(b) - before
			b.ReportMetric(float64(info.Size())*float64(b.N)/1e6/spent, "MB/cpu-s")
			b.ReportMetric(float64(triangles)/1e6/spent, "Mtri/cpu-s")
		})
	}
}

// processorSeconds returns the processor time of this process.
func processorSeconds(tb testing.TB) float64 {
	tb.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		tb.Fatal(err)
	}
	return float64(u.Utime.Sec+u.Stime.Sec) + float64(u.Utime.Usec+u.Stime.Usec)/1e6
}
