package dataset_test

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"lockstep/render/dataset"
)

// picture has 4 by 3 pixels: object 0 in the shape of an L, object 1 in a corner, and no object 2.
var picture = []uint32{
	0, 9, 9, 1,
	0, 9, 9, 9,
	0, 0, 9, dataset.None,
}

func TestShown(t *testing.T) {
	want := []dataset.Shown{
		{Region: dataset.Region{X: 0, Y: 0, Width: 2, Height: 3, Pixels: 4}, Runs: []int{0, 3, 2, 1, 6}},
		{Region: dataset.Region{X: 3, Y: 0, Width: 1, Height: 1, Pixels: 1}, Runs: []int{9, 1, 2}},
		{},
	}
	if got := dataset.ShownOf(picture, 4, 3); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := dataset.RegionOf([]uint8{0, 0, 0, 0, 0, 7, 7, 0, 0, 0, 255, 0}, 4); got != (dataset.Region{X: 1, Y: 1, Width: 2, Height: 2, Pixels: 3}) {
		t.Errorf("region %+v", got)
	}
	if got := dataset.RegionOf(make([]uint8, 12), 4); got != (dataset.Region{}) {
		t.Errorf("an empty region %+v", got)
	}
}

// TestRuns decodes runs. The result must equal the mask of the object, and the region must be the smallest one around
// the object.
func TestRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width, height, objects := rapid.IntRange(1, 9).Draw(t, "width"), rapid.IntRange(1, 9).Draw(t, "height"), rapid.IntRange(1, 3).Draw(t, "objects")
		numbers := make([]uint32, width*height)
		for i := range numbers {
			numbers[i] = rapid.SampledFrom([]uint32{0, 0, 1, 2, dataset.None, dataset.None}).Draw(t, "number")
		}
		for n, s := range dataset.ShownOf(numbers, width, objects) {
			want := make([]uint8, len(numbers))
			pixels := 0
			for i := range numbers {
				if numbers[i] == uint32(n) {
					want[i] = 1
					pixels++
				}
			}
			if pixels == 0 {
				if s.Runs != nil || s.Region != (dataset.Region{}) {
					t.Fatalf("object %d, which is not there: %+v", n, s)
				}
				continue
			}
			got, at := make([]uint8, len(numbers)), 0
			for i, run := range s.Runs {
				for range run {
					got[at%height*width+at/height] = uint8(i % 2)
					at++
				}
			}
			if at != len(numbers) || !reflect.DeepEqual(got, want) || s.Region != dataset.RegionOf(want, width) || s.Pixels != pixels {
				t.Fatalf("object %d: %+v", n, s)
			}
		}
	})
}

func TestDepth(t *testing.T) {
	if got := dataset.DepthScale(65535); got != 1 {
		t.Errorf("scale %v", got)
	}
	if got := dataset.DepthScale(0); got != 1 {
		t.Errorf("scale of nothing %v", got)
	}
	inf := float32(math.Inf(1))
	if got := dataset.Depths([]float32{inf, 0, 1, 6, 1e9}, 0.5); !reflect.DeepEqual(got, []uint16{0, 1, 2, 12, 65535}) {
		t.Errorf("steps %v", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		far := math.Pow(10, rapid.Float64Range(-20, 20).Draw(t, "exponent"))
		scale := dataset.DepthScale(far)
		if steps := far / scale; !(steps <= 65535*(1+1e-15) && steps > 64000) {
			t.Fatalf("%v by %v: %v steps", far, scale, steps)
		}
	})
}

func TestModel(t *testing.T) {
	// The first column holds two opposite corners of a box. The second column holds a corner that is not finite and must
	// not count.
	x := [][]float32{{0, 3}, {float32(math.NaN())}}
	y := [][]float32{{0, 4}, {0}}
	z := [][]float32{{0, 12}, {0}}
	want := dataset.Model{Min: [3]float64{100, 0, 0}, Size: [3]float64{3, 4, 12}, Diameter: 13}
	if got := dataset.ModelOf(x, y, z, [3]float64{100, 0, 0}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := dataset.ModelOf(nil, nil, nil, [3]float64{}); got != (dataset.Model{}) {
		t.Errorf("no corners: %+v", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "corners")
		c := make([][]float32, 3)
		for axis := range c {
			c[axis] = rapid.SliceOfN(rapid.Float32Range(-1, 1), n, n).Draw(t, "axis")
		}
		most := 0.0
		for i := range n {
			for j := range i {
				far := 0.0
				for axis := range c {
					d := float64(c[axis][i]) - float64(c[axis][j])
					far += d * d
				}
				most = max(most, math.Sqrt(far))
			}
		}
		if got := dataset.ModelOf(c[:1], c[1:2], c[2:], [3]float64{}).Diameter; got > most*(1+1e-12) || got < 0.98*most {
			t.Fatalf("diameter %v, want %v", got, most)
		}
	})
}

// TestFiles writes the files and reads them back.
func TestFiles(t *testing.T) {
	s := dataset.New(4, 3, 2, 0.5, []string{"bolt", "bolt", ""})
	s.Source = "a \"b\""
	camera := dataset.Camera{K: [3][3]float64{{2, 0, 1.5}, {0, 2, 1}, {0, 0, 1}}, R: [3][3]float64{{1}, {0, 1}, {0, 0, 1}}, T: [3]float64{1, 2, 3}}
	shown := dataset.ShownOf(picture, 4, 3)
	seen := []dataset.Seen{{All: dataset.Region{Width: 2, Height: 3, Pixels: 6}, Shown: shown[0]}, {All: shown[1].Region, Shown: shown[1]}, {}}
	for k := range 2 {
		if err := s.Describe(1-k, camera, seen); err != nil {
			t.Fatal(err)
		}
	}
	if err := dataset.New(4, 3, 1, 1, nil).Describe(0, dataset.Camera{T: [3]float64{math.NaN()}}, nil); err == nil {
		t.Error("a camera that is no number has no error")
	}
	for text, want := range map[string]string{
		s.Cameras():    `"1": {"cam_K":[2,0,1.5,0,2,1,0,0,1],"cam_R_w2c":[1,0,0,0,1,0,0,0,1],"cam_t_w2c":[1,2,3],"depth_scale":0.5}`,
		s.Poses():      `{"cam_R_m2c":[1,0,0,0,1,0,0,0,1],"cam_t_m2c":[1,2,3],"obj_id":3}]`,
		s.Infos():      `"1": [{"bbox_obj":[0,0,2,3],"bbox_visib":[0,0,2,3],"px_count_all":6,"px_count_valid":6,"px_count_visib":4,"visib_fract":0.666667},`,
		s.Lens(camera): `"cx": 1.5`,
		s.Notes(func(k int) string { return strings.Repeat("x", k+1) }): `{"id":5,"image_id":1,"category_id":2,"iscrowd":0,"area":1,"bbox":[3,0,1,1],"segmentation":{"counts":[9,1,2],"size":[3,4]}}`,
		dataset.Models([]dataset.Model{{Diameter: 2}, {}}):              `"1": {"diameter":2,"min_x":0`,
	} {
		if !strings.Contains(text, want) || !json.Valid([]byte(text)) {
			t.Errorf("%s\nwant %s", text, want)
		}
	}
	for _, want := range []string{`"name":"bolt"`, `"name":"bolt#2"`, `"name":"part"`, `"file_name":"xx"`, `"description":"a \"b\""`} {
		if notes := s.Notes(func(k int) string { return strings.Repeat("x", k+1) }); strings.Count(notes, want) != 1 {
			t.Errorf("%s\nwant %s once", notes, want)
		}
	}
}
