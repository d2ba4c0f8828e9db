package scan

import (
	"testing"

	"lockstep/vp/machine"
)

// BenchmarkScan reports nanoseconds per element for a million int32 values, sequentially and on a machine with as
// many workers as -cpu gives.
func BenchmarkScan(b *testing.B) {
	const n = 1 << 20
	src, dst, flags := make([]int32, n), make([]int32, n), make([]bool, n)
	for i := range src {
		src[i] = int32(i*7919) >> 8
		flags[i] = i%5 == 0
	}
	scans := []struct {
		name string
		run  func(m *machine.Machine) int32
	}{
		{"plus", func(m *machine.Machine) int32 { return Plus(m, dst, src) }},
		{"max", func(m *machine.Machine) int32 { return MaxReduce(m, src, 0) }},
		{"copy", func(m *machine.Machine) int32 { Copy(m, dst, src, flags); return dst[n-1] }},
		{"enumerate", func(m *machine.Machine) int32 { return Enumerate(m, dst, flags) }},
		{"pack", func(m *machine.Machine) int32 { return last(Pack(m, dst, src, flags)) }},
	}
	for _, scan := range scans {
		want := scan.run(nil)
		for _, impl := range []string{"sequential", "parallel"} {
			b.Run(scan.name+"/impl="+impl, func(b *testing.B) {
				var m *machine.Machine
				if impl == "parallel" {
					m = machine.New(machine.Options{})
					defer m.Close()
				}
				b.ResetTimer()
				for range b.N {
					if got := scan.run(m); got != want {
						b.Fatalf("got %d, want %d", got, want)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/element")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

func last[T any](s []T) T { return s[len(s)-1] }
