package draco

import (
	"os"
	"path/filepath"
	"testing"
)

// BenchmarkDecode decodes the files of testdata. If the flag -drc is set, it decodes the files that the flag names
// instead.
func BenchmarkDecode(b *testing.B) {
	dir := "testdata"
	if *folder != "" {
		dir = *folder
	}
	names, err := filepath.Glob(filepath.Join(dir, "*.drc"))
	if err != nil || len(names) == 0 {
		b.Fatal(names, err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			b.Fatal(err)
		}
		want, err := Decode(data, Limits{})
		if err != nil {
			continue // skip older versions
		}
		b.Run("file="+filepath.Base(name), func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if m, err := Decode(data, Limits{}); err != nil || len(m.Triangles) != len(want.Triangles) {
					b.Fatal(err)
				}
			}
			n, unit := len(want.Triangles), "Mtri/s"
			if want.Cloud {
				n, unit = want.Points, "Mpoints/s"
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e6, unit)
		})
	}
}
