package gltf

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/internal/meshtest"
)

// A film is a file with the square and a clip of one channel. Its fields hold the times and values of the channel in
// the form of the document.
type film struct {
	path, kind string
	times      []float32
	values     any
	width      string // type of the accessor of values
	numbers    int    // component type of values
	count      int
	replace    []string // pairs of old and new texts of the document
}

// file returns the file as a container.
func (f *film) file() string {
	bin := append(bytes.Clone(square), packed(f.times)...)
	at := len(bin)
	bin = append(bin, packed(f.values)...)
	doc := strings.NewReplacer(
		`"scene":0`, fmt.Sprintf(`"animations":[{"name":"first"},{"name":"dance","channels":[{"sampler":0,"target":{"node":0,"path":%q}}],
			"samplers":[{"input":2,"output":3,"interpolation":%q}]}],"scene":0`, f.path, f.kind),
		`"type":"SCALAR"}]`, fmt.Sprintf(`"type":"SCALAR"},{"bufferView":2,"componentType":5126,"count":%d,"type":"SCALAR","max":[%g]},
			{"bufferView":3,"componentType":%d,"normalized":true,"count":%d,"type":%q}]`, len(f.times), f.times[len(f.times)-1], f.numbers, f.count, f.width),
		`"byteLength":12}]`, fmt.Sprintf(`"byteLength":12},{"buffer":0,"byteOffset":60,"byteLength":%d},{"buffer":0,"byteOffset":%d,"byteLength":%d}]`, at-60, at, len(bin)-at),
		`"byteLength":60`, fmt.Sprintf(`"byteLength":%d`, len(bin)),
	).Replace(usual)
	for i := 0; i < len(f.replace); i += 2 {
		if !strings.Contains(doc, f.replace[i]) {
			panic("no " + f.replace[i])
		}
		doc = strings.Replace(doc, f.replace[i], f.replace[i+1], 1)
	}
	return glb(doc, bin)
}

// The method at returns the mesh at a time of a clip, and the report of the read.
func (f *film) at(t *testing.T, clip string, seconds float64) (*scenes.Mesh, *scenes.Report) {
	t.Helper()
	m, rep, err := format.Read(context.Background(), strings.NewReader(f.file()), scenes.ReadOptions{Pose: &scenes.Pose{Clip: clip, Seconds: seconds}}, Format)
	if err != nil {
		t.Fatal(err)
	}
	return m, rep
}

// moves returns a film that moves the square by a curve of the given kind.
func moves(kind string) *film {
	f := &film{path: "translation", kind: kind, times: []float32{1, 3}, values: []float32{0, 0, 8, 0, 0, 16}, width: "VEC3", numbers: 5126, count: 2}
	if kind == cubic { // keys are 2 seconds apart; the curve leaves at speed 3 and arrives at speed 5
		f.values, f.count = []float32{9, 9, 9, 0, 0, 8, 0, 0, 3, 0, 0, 5, 0, 0, 16, 9, 9, 9}, 6
	}
	return f
}

// TestClips compares the position of the first corner with known values.
func TestClips(t *testing.T) {
	for _, c := range []struct {
		kind      string
		at, wantZ float64
	}{
		{straight, 0, 8}, {straight, 1, 8}, {straight, 1.5, 10}, {straight, 3, 16}, {straight, 99, 16}, {"", 1.5, 10},
		{step, 0.5, 8}, {step, 2.99, 8}, {step, 3, 16},
		// A quarter of the way from z = 8 to z = 16: (27/32) 8 + 2 (9/64) 3 + (5/32) 16 - 2 (3/64) 5.
		{cubic, 1.5, 6.75 + 0.84375 + 2.5 - 0.46875}, {cubic, 1, 8}, {cubic, 4, 16},
	} {
		m, rep := moves(c.kind).at(t, "dance", c.at)
		if got := m.Triangle(0)[0]; got != [3]float32{0, 0, float32(c.wantZ)} {
			t.Errorf("%q at %g: %v, expected z=%g", c.kind, c.at, got, c.wantZ)
		}
		if want := []scenes.Clip{{Name: "first"}, {Name: "dance", Seconds: 3}}; !reflect.DeepEqual(rep.Clips, want) || len(rep.Warnings) > 0 {
			t.Errorf("%+v, %v", rep.Clips, rep.Warnings)
		}
	}
	for _, clip := range []string{"", "none"} { // the first clip moves nothing
		if m, _ := moves(straight).at(t, clip, 2); m.Triangle(0)[0] != [3]float32{} {
			t.Errorf("clip %q: %v", clip, m.Triangle(0))
		}
	}
}

// TestClipTurns checks that rotations turn by the smaller angle at constant speed, with numbers of any type and
// quaternions of any length.
func TestClipTurns(t *testing.T) {
	half := float32(math.Sqrt2 / 2)
	for name, f := range map[string]*film{
		"floats":           {values: []float32{0, 0, 0, 1, 0, 0, half, half}, numbers: 5126},
		"the longer way":   {values: []float32{0, 0, 0, 1, 0, 0, -half, -half}, numbers: 5126},
		"of other lengths": {values: []float32{0, 0, 0, 5, 0, 0, 1, 1}, numbers: 5126},
		"bytes":            {values: []int8{0, 0, 0, 127, 0, 0, 90, 90}, numbers: 5120},
	} {
		f.path, f.times, f.width, f.count = "rotation", []float32{0, 3}, "VEC4", 2
		m, _ := f.at(t, "2", 1)
		want := [3]float32{float32(math.Cos(math.Pi / 6)), 0.5, 0}
		for axis, v := range m.Triangle(0)[1] {
			if math.Abs(float64(v-want[axis])) > 1e-6 {
				t.Errorf("%s: (1, 0, 0) is turned to %v, expected %v", name, m.Triangle(0)[1], want)
			}
		}
	}
}

// TestClipWeights bends the square and its normals by a target whose weight increases.
func TestClipWeights(t *testing.T) {
	f := &film{path: "weights", times: []float32{0, 2}, values: []float32{0, 7, 1, 7}, width: "SCALAR", numbers: 5126, count: 4, replace: []string{
		`{"POSITION":0},"indices":1}`, `{"POSITION":0,"NORMAL":0},"indices":1,"targets":[{"POSITION":0,"NORMAL":0},{}]}`}}
	m, rep := f.at(t, "dance", 1)
	if got := m.Triangle(0); got != [3][3]float32{{0, 0, 0}, {1.5, 0, 0}, {1.5, 1.5, 0}} {
		t.Errorf("%v, %v", got, rep.Warnings)
	}
	f.replace[1] = strings.Replace(f.replace[1], `"NORMAL":0},"ind`, `"NORMAL":4},"ind`, 1)
	f.replace = append(f.replace, `"normalized":true,"count":4,"type":"SCALAR"}]`, `"normalized":true,"count":4,"type":"SCALAR"},
		{"componentType":5126,"count":4,"type":"VEC3","sparse":{"count":1,"indices":{"bufferView":1,"byteOffset":2,"componentType":5123},"values":{"bufferView":0,"byteOffset":36}}}]`)
	m, rep = f.at(t, "dance", 2) // the sum of the normal (0, 1, 0) of corner 1 and its target (1, 0, 0)
	n := m.Attributes.Normals
	if got := n.Values[n.Index[1][0]]; math.Abs(float64(got[0]-got[1])) > 1e-6 || got[0] < 0.7 {
		t.Errorf("the normal is %v, %v", got, rep.Warnings)
	}
}

// TestDamagedClips checks that a damaged clip causes one warning, and that the mesh is then read in its rest pose.
func TestDamagedClips(t *testing.T) {
	for _, c := range []struct{ from, to, says string }{
		{`"sampler":0`, `"sampler":1`, "sampler 1 of 1"},
		{`"node":0,"path"`, `"node":7,"path"`, "node 7 of 1"},
		{`"path":"translation"`, `"path":"pointer"`, "1 channels move nothing"},
		{`"path":"translation"`, `"path":"rotation"`, `has the type "VEC3"`},
		{`"input":2`, `"input":9`, "accessor 9 of 4"},
		{`"output":3`, `"output":0`, "4 values for 2 times, expected 2"},
		{`"interpolation":"LINEAR"`, `"interpolation":"CUBICSPLINE"`, "expected 6"},
		{`"interpolation":"LINEAR"`, `"interpolation":"SINE"`, "unknown interpolation"},
		{`[{"mesh":0}]`, `[{"mesh":0,"matrix":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]}]`, "has a matrix"},
		{`"animations":[`, `"animations":["x",`, "where an object should be"},
		{`"animations":[`, `"animations":[{"channels":7},`, "where a list should be"},
	} {
		f := moves(straight)
		f.replace = []string{c.from, c.to}
		m, rep := f.at(t, "dance", 2)
		if got := m.Triangle(0)[1]; got != [3]float32{1, 0, 0} || len(rep.Warnings) != 1 || !strings.Contains(rep.Warnings[0], c.says) {
			t.Errorf("%s: %v, %q", c.to, got, rep.Warnings)
		}
		m, rep, err := format.Read(context.Background(), strings.NewReader(f.file()), scenes.ReadOptions{Strict: true}, Format)
		if err != nil || m.Len() != 2 || len(rep.Warnings) > 0 {
			t.Errorf("%s, as it stands: %v, %v", c.to, err, rep)
		}
	}
	f := moves(straight)
	one := `{"sampler":0,"target":{"node":0,"path":"translation"}}`
	f.replace = []string{one, strings.Repeat(`{"sampler":5,"target":{"node":0,"path":"scale"}},`, 9) + one}
	if m, rep := f.at(t, "dance", 2); m.Triangle(0)[0] != [3]float32{0, 0, 12} || len(rep.Warnings) != 1 || !strings.Contains(rep.Warnings[0], "channel 0: sampler 5 of 1; so are 8 more") {
		t.Errorf("many broken channels: %v, %q", m.Triangle(0), rep.Warnings)
	}
	f = moves(straight)
	f.times = []float32{3, 1}
	if m, rep := f.at(t, "dance", 2); m.Triangle(0)[0] != [3]float32{} || len(rep.Warnings) != 1 {
		t.Errorf("times that fall: %v, %q", m.Triangle(0), rep.Warnings)
	}
	f = moves(straight)
	f.values = []float32{0, 0, 8, 0, 0, float32(math.Inf(1))}
	if m, rep := f.at(t, "dance", 2); m.Triangle(0)[0] != [3]float32{} || len(rep.Warnings) != 1 {
		t.Errorf("a value that is not finite: %v, %q", m.Triangle(0), rep.Warnings)
	}
}

// TestClipLength checks that the length of a clip is the maximum that its accessor of times claims. If the maximum is
// missing or malformed, the length is the last time.
func TestClipLength(t *testing.T) {
	for _, c := range []struct {
		max  string
		want float64
	}{{`"max":[3]`, 3}, {`"max":[2.5]`, 2.5}, {`"max":["x"]`, 3}, {`"max":{}`, 3}, {`"max":[1e300]`, 0}, {`"max":[1,2]`, 3}} {
		f := moves(straight)
		f.replace = []string{`"max":[3]`, c.max}
		if _, rep := f.at(t, "2", 0); rep.Clips[1].Seconds != c.want {
			t.Errorf("%s: %g seconds, expected %g", c.max, rep.Clips[1].Seconds, c.want)
		}
	}
}

// TestKnownMaterials checks that the materials of an earlier read are used instead of being decoded again.
func TestKnownMaterials(t *testing.T) {
	f := moves(straight)
	f.replace = []string{`"indices":1}`, `"indices":1,"material":0}`, `"scene":0`, `"materials":[{"name":"file"}],"scene":0`}
	known := []scenes.Material{{Name: "known"}}
	m, _, err := format.Read(context.Background(), strings.NewReader(f.file()), scenes.ReadOptions{Pose: &scenes.Pose{Materials: known}}, Format)
	if err != nil || m.Attributes.Materials[0].Name != "known" {
		t.Errorf("%v, %+v", err, m.Attributes)
	}
	known = append(known, known...)
	m, _, err = format.Read(context.Background(), strings.NewReader(f.file()), scenes.ReadOptions{Pose: &scenes.Pose{Materials: known}}, Format)
	if err != nil || len(m.Attributes.Materials) != 1 || m.Attributes.Materials[0].Name != "file" {
		t.Errorf("another number of materials: %v, %+v", err, m.Attributes)
	}
}

// TestClipStructures reads documents with clips and mutated structures, at times within all of their curves.
func TestClipStructures(t *testing.T) {
	n := 100
	if *long {
		n = 100_000
	}
	times := packed([]float32{0, 1, 2})
	uri := "data:;base64," + base64.StdEncoding.EncodeToString(times)
	doc := strings.Replace(rich(t), `"skins":`, `"animations":[{"channels":[{"sampler":0,"target":{"node":1,"path":"translation"}},
		{"sampler":1,"target":{"node":4,"path":"weights"}},{"sampler":2,"target":{"node":2,"path":"rotation"}},{"sampler":3,"target":{"node":0,"path":"scale"}}],
		"samplers":[{"input":6,"output":7},{"input":6,"output":6},{"input":6,"output":8,"interpolation":"STEP"},{"input":9,"output":7,"interpolation":"CUBICSPLINE"}]}],"skins":`, 1)
	doc = strings.Replace(doc, `"count":4,"type":"VEC2"}]`, `"count":4,"type":"VEC2"},{"bufferView":2,"componentType":5126,"count":3,"type":"SCALAR"},
		{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"},{"bufferView":0,"componentType":5120,"normalized":true,"count":3,"type":"VEC4"},
		{"bufferView":2,"componentType":5126,"count":1,"type":"SCALAR"}]`, 1)
	doc = strings.Replace(doc, `"byteLength":12}]`, `"byteLength":12},{"buffer":2,"byteLength":12}]`, 1)
	doc = strings.Replace(doc, `],
		"materials"`, `,{"byteLength":12,"uri":"`+uri+`"}],
		"materials"`, 1)
	at := posedFormat{Format, &scenes.Pose{Seconds: 0.75}}
	m, rep, err := format.Read(context.Background(), strings.NewReader(doc), scenes.ReadOptions{}, at)
	if err != nil || m.Len() == 0 || len(rep.Clips) != 1 || rep.Clips[0].Seconds != 2 || strings.Contains(fmt.Sprint(rep.Warnings), "animation") {
		t.Fatalf("%v, %+v", err, rep)
	}
	meshtest.Mutants(t, at, n, *mutantsFrom, func(r *rand.Rand) string { return meshtest.MutateGLTF(r, doc, 2000) })
}

// A posedFormat reads a mesh at a time of a clip.
type posedFormat struct {
	format.Format
	pose *scenes.Pose
}

// Read implements format.Format.
func (f posedFormat) Read(in *format.Input) (*scenes.Mesh, *scenes.Report, error) {
	in.Options.Pose = f.pose
	return f.Format.Read(in)
}
