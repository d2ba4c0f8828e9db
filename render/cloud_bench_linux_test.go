package render

import (
	"context"
	"fmt"
	"math"
	"testing"

	"golang.org/x/sys/unix"

	"lockstep/scenes"
)

// benchCloud returns a cloud of a bumpy sphere above a terrain, with colours, in rows as scanners write them.
func benchCloud(n int) *scenes.Points {
	p := &scenes.Points{X: make([]float32, n), Y: make([]float32, n), Z: make([]float32, n), Colors: make([]uint32, n), Size: 1e-3}
	side := int(math.Sqrt(float64(n / 2)))
	for i := range n {
		x, y, z := 0.0, 0.0, 0.0
		if i < n/2 {
			x, y = 4*float64(i%side)/float64(side)-2, 4*float64(i/side)/float64(side)-2
			z = 0.25*math.Sin(3*x)*math.Cos(2.3*y) + 0.06*math.Sin(11*x+3*y) - 1
			p.Colors[i] = uint32(100+80*z) << 8 & 0xff00
		} else {
			k := float64(i-n/2) + 0.5
			h := 1 - 2*k/float64(n-n/2)
			s, angle := math.Sqrt(1-h*h), k*2.399963229728653
			x, y = s*math.Cos(angle), s*math.Sin(angle)
			b := 1 + 0.08*math.Sin(9*x)*math.Sin(9*y+2)*math.Cos(8*h)
			x, y, z = x*b, y*b, h*b+0.9
			p.Colors[i] = uint32(200*b)<<16&0xff0000 | 0x7030
		}
		p.X[i], p.Y[i], p.Z[i] = float32(x), float32(y), float32(z)
	}
	return p
}

// processSeconds returns the processor time of this process. Other programs change it less than the wall time.
func processSeconds(b *testing.B) float64 {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

func BenchmarkCloud(b *testing.B) {
	looks := []struct {
		name string
		o    Options
	}{
		{"fast", Options{Light: LightStudio, EyeDome: true}},
		{"no-dome", Options{Light: LightStudio}},
		{"default", func() Options { o := Options{}.Studio(); o.Samples = 4; return o }()},
	}
	for _, n := range []int{1_000_000, 10_000_000} {
		cloud := benchCloud(n)
		cam := cloudCamera(cloud.Bounds())
		var octahedra *scenes.Mesh
		for _, look := range looks {
			for _, kind := range []string{"points", "octahedra"} {
				b.Run(fmt.Sprintf("%s/%s-%dM", look.name, kind, n/1_000_000), func(b *testing.B) {
					var source scenes.Source = cloud
					if kind == "octahedra" {
						if n > 1_000_000 {
							b.Skip("80 million triangles take 3 GB")
						}
						if octahedra == nil {
							octahedra, _ = scenes.Load(context.Background(), cloud, scenes.ReadOptions{})
						}
						source = octahedra
						if look.o.InMemory() {
							source = &Surface{Mesh: octahedra}
						}
					}
					o := look.o
					o.Workers = 2
					r, err := New(o)
					if err != nil {
						b.Fatal(err)
					}
					defer r.Close()
					var pic Picture
					var stats Stats
					draw := func() {
						if stats, err = r.Frame(context.Background(), source, cam, &pic); err != nil {
							b.Fatal(err)
						}
					}
					for range 3 {
						draw()
					}
					before, frames := processSeconds(b), 0
					for b.Loop() {
						draw()
						frames++
					}
					b.ReportMetric(1000*(processSeconds(b)-before)/float64(frames), "cpu-ms")
					b.ReportMetric(float64(stats.Spans), "spans")
					b.ReportMetric(float64(stats.Covered), "covered")
					b.ReportMetric(float64(stats.Seconds.Geometry.Microseconds())/1000, "geometry-ms")
					b.ReportMetric(float64(stats.Seconds.ZBuffer.Microseconds())/1000, "zbuffer-ms")
				})
			}
		}
	}
}
