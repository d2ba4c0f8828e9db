package render_test

import (
	"runtime"
	"testing"

	"lockstep/render"
	"lockstep/render/calibration"
	"lockstep/render/camera"
	"lockstep/scenes"
	"lockstep/scenes/procedural"
	"lockstep/scenes/procedural/perforator"
	"lockstep/vp/isa"
	"lockstep/vp/machine"
)

// BenchmarkDearer draws a mix of all procedural scenes, and more of the scenes in which rows are redistributed. It
// draws as many rounds as -benchtime allows, on one worker, with every instruction set. The estimate comes from a new
// calibration and is raised as in the command. It reports the share of redistributions that took longer than the
// estimate allows, in per cent, the same share for frames during which no other program had the core, and how often the
// estimate was raised, also for each scene.
func BenchmarkDearer(b *testing.B) {
	views := []camera.Options{{}, {Azimuth: 30, Elevation: 20}, {Azimuth: 45, Elevation: 45, Zoom: perforator.Zoom}}
	names := []string{
		"scene:slivers?wide=3000", "scene:perforator?version=unbalanced", "scene:perforator?version=unbalanced&triangles=100000",
		"scene:bumpy?triangles=10000",
	}
	for _, scene := range procedural.Names() {
		names = append(names, "scene:"+scene.Name)
	}
	var meshes []*scenes.Mesh
	for _, name := range names {
		meshes = append(meshes, generated(b, name))
	}
	for _, level := range isa.Available() {
		b.Run("impl="+level.String(), func(b *testing.B) {
			m := &dearerMix{views: views, meshes: meshes, level: level, scenes: make([]dearerSums, len(meshes)), alone: make([]dearerSums, len(meshes))}
			m.store = calibration.Store{Dir: b.TempDir(), Machine: "here", Kernel: calibration.KernelVersion()}
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			for b.Loop() {
				m.round(b)
			}
			m.report(b, names)
		})
	}
}

// dearerSums has the counts of redistributions of a scene.
type dearerSums struct{ judged, dearer int64 }

func (s *dearerSums) add(judged, dearer int64) { s.judged, s.dearer = s.judged+judged, s.dearer+dearer }

func (s dearerSums) percent() float64 { return 100 * float64(s.dearer) / float64(max(s.judged, 1)) }

type dearerMix struct {
	views  []camera.Options
	meshes []*scenes.Mesh
	level  isa.Level
	store  calibration.Store
	scenes []dearerSums // counts of all frames, by scene
	alone  []dearerSums // counts of frames in which no other thread had the core, by scene
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
				_, before := machine.Preempted()
				s, err := r.Frame(b.Context(), mesh, cam, &pic)
				if err != nil {
					b.Fatal(err)
				}
				m.scenes[i].add(s.Balance.Judged, s.Balance.Dearer)
				if _, after := machine.Preempted(); after == before {
					m.alone[i].add(s.Balance.Judged, s.Balance.Dearer)
				}
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
	var all, alone dearerSums
	for i, s := range m.scenes {
		all.add(s.judged, s.dearer)
		alone.add(m.alone[i].judged, m.alone[i].dearer)
		b.Logf("%s: %d of %d, %.2f %%; undisturbed %d of %d, %.2f %%", names[i], s.dearer, s.judged, s.percent(),
			m.alone[i].dearer, m.alone[i].judged, m.alone[i].percent())
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(all.percent(), "%dearer")
	b.ReportMetric(alone.percent(), "%dearer-undisturbed")
	b.ReportMetric(float64(all.judged), "redistributions")
	b.ReportMetric(float64(m.raised), "raised")
}
