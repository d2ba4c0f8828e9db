package render_test

import (
	"testing"

	"lockstep/render"
	"lockstep/render/calibration"
	"lockstep/scenes"
	"lockstep/scenes/procedural/perforator"
	"lockstep/vp/isa"
)

// BenchmarkDearer draws a mix of scenes that redistribute rows, as many rounds as -benchtime
// allows, on one worker with every instruction set, under the estimate of a calibration
// of its own that is raised as the command's is. It reports the share of redistributions
// that took longer than the estimate allows, in per cent, the largest share of a scene, and
// how often the estimate was raised.
func BenchmarkDearer(b *testing.B) {
	views := []render.CameraOptions{{}, {Azimuth: 30, Elevation: 20}, {Azimuth: 45, Elevation: 45, Zoom: perforator.Zoom}}
	names := []string{
		"scene:slivers?triangles=100000", "scene:slivers?triangles=100000&wide=3000", "scene:perforator?version=unbalanced",
		"scene:perforator?version=unbalanced&triangles=100000", "scene:bumpy?triangles=10000", "scene:soup", "scene:gear", "scene:knot",
	}
	var meshes []*scenes.Mesh
	for _, name := range names {
		meshes = append(meshes, generated(b, name))
	}
	for _, level := range isa.Available() {
		b.Run("impl="+level.String(), func(b *testing.B) {
			m := &dearerMix{views: views, meshes: meshes, level: level, scenes: make([]dearerSums, len(meshes))}
			m.store = calibration.Store{Dir: b.TempDir(), Machine: "here", Kernel: calibration.KernelVersion()}
			for b.Loop() {
				m.round(b)
			}
			m.report(b, names)
		})
	}
}

// dearerSums are those of a scene.
type dearerSums struct{ judged, dearer int64 }

func (s dearerSums) percent() float64 { return 100 * float64(s.dearer) / float64(max(s.judged, 1)) }

type dearerMix struct {
	views  []render.CameraOptions
	meshes []*scenes.Mesh
	level  isa.Level
	store  calibration.Store
	scenes []dearerSums
	raised int
}

// round draws every scene in every view.
func (m *dearerMix) round(b *testing.B) {
	o := render.Options{Width: 512, Height: 512, Workers: 1, ISA: m.level.String()}
	for i, mesh := range m.meshes {
		for _, view := range m.views {
			costs, _, err := m.store.AllCosts(b.Context(), m.level, false)
			if err != nil {
				b.Fatal(err)
			}
			o.Costs = costs
			r, err := render.New(o)
			if err != nil {
				b.Fatal(err)
			}
			cam := fitted(b, mesh, o, view)
			var pic render.Picture
			for range 10 {
				s, err := r.Frame(b.Context(), mesh, cam, &pic)
				if err != nil {
					b.Fatal(err)
				}
				m.scenes[i].judged += s.Balance.Judged
				m.scenes[i].dearer += s.Balance.Dearer
				if s.Balance.TooLow > 0 {
					m.raised++
					if err := m.store.Observe(m.level, s.Balance.TooLow); err != nil {
						b.Fatal(err)
					}
				}
			}
			r.Close()
		}
	}
}

func (m *dearerMix) report(b *testing.B, names []string) {
	var all dearerSums
	worst := 0.0
	for i, s := range m.scenes {
		all.judged, all.dearer = all.judged+s.judged, all.dearer+s.dearer
		worst = max(worst, s.percent())
		b.Logf("%s: %d of %d, %.2f %%", names[i], s.dearer, s.judged, s.percent())
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(all.percent(), "%dearer")
	b.ReportMetric(worst, "%dearest-scene")
	b.ReportMetric(float64(all.judged), "redistributions")
	b.ReportMetric(float64(m.raised), "raised")
}
