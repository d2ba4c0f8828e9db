package recipe_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"lockstep/render/recipe"
	"lockstep/render/recipe/recipetest"
)

// jsonOf returns the JSON of a recipe.
func jsonOf(t rapid.TB, p recipe.Picture) string {
	t.Helper()
	text, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestRoundTrips checks that JSON reproduces every recipe, and that arguments reproduce its normal form. Normal must
// not change a normal form. A recipe and its normal form must draw with the same options.
func TestRoundTrips(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := recipetest.Picture().Draw(t, "p")
		if err := p.Validate(); err != nil {
			t.Fatalf("%v", err)
		}
		var again recipe.Picture
		if err := json.Unmarshal([]byte(jsonOf(t, p)), &again); err != nil {
			t.Fatal(err)
		}
		if jsonOf(t, again) != jsonOf(t, p) {
			t.Fatalf("JSON gives back\n%s\nfor\n%s", jsonOf(t, again), jsonOf(t, p))
		}
		before := jsonOf(t, p)
		n := p.Normal()
		if jsonOf(t, p) != before {
			t.Fatal("Normal changed the recipe")
		}
		if err := n.Validate(); err != nil {
			t.Fatalf("the normal form: %v", err)
		}
		if !reflect.DeepEqual(n.Normal(), n) {
			t.Fatalf("the normal form of\n%s\nis\n%s", jsonOf(t, n), jsonOf(t, n.Normal()))
		}
		parsed, err := recipe.Parse(p.Args())
		if err != nil {
			t.Fatalf("%q: %v", p.Args(), err)
		}
		if jsonOf(t, parsed) != jsonOf(t, n) || !reflect.DeepEqual(parsed, n) {
			t.Fatalf("%q\nparsed: %s\nnormal: %s", p.Args(), jsonOf(t, parsed), jsonOf(t, n))
		}
		if got, want := n.RenderOptions(), p.RenderOptions(); !sameOptions(p, n) {
			t.Fatalf("options of the normal form %+v, of the recipe %+v", got, want)
		}
	})
}

// sameOptions reports whether two recipes draw with the same options, except for options without effect.
func sameOptions(p, q recipe.Picture) bool {
	a, b := p.RenderOptions(), q.RenderOptions()
	if a.Field.Name != "" || p.Edited() {
		a.Color, b.Color = nil, nil
	}
	if a.Shading != b.Shading || !p.Lines.Edges && p.Full().Look.Shading == "flat" {
		a.Crease, b.Crease = 0, 0
	}
	if p.Crop.Width == p.Full().Size.Width { // the crop is the whole picture
		a.Coverage, b.Coverage = false, false
	}
	return reflect.DeepEqual(a, b)
}

// TestDefaults checks that a recipe with only a mesh stays as short in JSON and as arguments, and checks the defaults
// of Full.
func TestDefaults(t *testing.T) {
	p := recipe.Picture{Meshes: []recipe.Mesh{{File: "part.stl"}}}
	if got, want := jsonOf(t, p), `{"version":1,"meshes":[{"file":"part.stl"}]}`; got != want {
		t.Errorf("JSON %s, want %s", got, want)
	}
	if got := p.Args(); !slices.Equal(got, []string{"part.stl"}) {
		t.Errorf("arguments %q", got)
	}
	full := p.Full()
	if full.Camera.View != nil || full.Size != recipe.DefaultSize || full.Look.Samples != 4 || full.Look.Background != "gradient" || !*full.Lines.Ground {
		t.Errorf("defaults %+v", full)
	}
}

// TestArgs compares Args with command lines that were written by hand.
func TestArgs(t *testing.T) {
	for _, test := range []struct {
		args, normal string // normal is the expected result of Args; empty stands for args
	}{
		{"part.stl", ""},
		{"--size=640x480 part.stl", ""},
		{"-s 640 part.stl", "--size=640x640 part.stl"},
		{"--view iso --zoom 1 --shading smooth part.stl", "--view=iso part.stl"},
		{"--view=-30,20 --color=white a.stl", "--view=-30,20 --color=ffffff a.stl"},
		{"--fast a.stl", ""},
		{"--shading flat --occlusion off --samples 1 --fit box --background f3f4f6 --no-ground a.stl", "--fast a.stl"},
		{"--shading flat --occlusion off --samples 1 --fit box a.stl", "--fast --background=gradient --ground a.stl"},
		{"--fast --samples 4 a.stl", "--fast --samples=4 a.stl"},
		{"--fast --fit box --bounds a.stl", "--fast --bounds a.stl"},
		{"--no-ground a.stl", ""}, {"--ground a.stl", "a.stl"}, {"--background=none --ground a.stl", ""}, {"--background gradient a.stl", "a.stl"},
		{"--view=30,20 a.stl", ""},
		{"--light headlight --background none a.stl", "--light=headlight a.stl"},
		{"--section z=40% --section 1,1,0<5 a.stl", "--section=z=40% --section=1,1,0<5 a.stl"},
		{"--section z<5;x>1 a.stl", "--section=z<5 --section=x>1 a.stl"},
		{"--add b.stl:color=red:rotate=0,0,90 a.stl", "--add=b.stl:color=ff0000:rotate=0,0,90 a.stl"},
		{"a.stl:up=y:color=#00f", "--up=y --color=0000ff a.stl"},
		{"--up y a.stl:up=x", "--up=x a.stl"},
		{"--colormap grey --crease 30 --shading flat a.stl", "--shading=flat a.stl"},
		{"--eye 1,2,3 --view top --fit box a.stl", "--eye=1,2,3 a.stl"},
		{"--format obj -", "--format=obj -"},
		{"-- -a.stl", "-- -a.stl"},
		{"--crop 0,0,1920x1080 a.stl", "a.stl"},
		{"--unit mm --scale-bar a.stl", "--unit=mm --scale-bar a.stl"},
		{"--unit mm a.stl", "a.stl"},
		{"--point-size 3px a.xyz", "--point-size=3px a.xyz"}, {"--point-size 0.010 a.xyz", "--point-size=0.01 a.xyz"},
		{"--time 1.5 a.glb", "--time=1.5 a.glb"}, {"--time 0 a.glb", "--time=0 a.glb"}, {"--clip walk a.glb", "--clip=walk --time=0 a.glb"},
	} {
		want := strings.Fields(test.normal)
		if test.normal == "" {
			want = strings.Fields(test.args)
		}
		p, err := recipe.Parse(strings.Fields(test.args))
		if err != nil {
			t.Errorf("%s: %v", test.args, err)
			continue
		}
		if got := p.Args(); !slices.Equal(got, want) {
			t.Errorf("%s\ngives %q\nwant  %q", test.args, got, want)
		}
	}
}

// TestParseErrors checks that errors name the flag and state the expected values.
func TestParseErrors(t *testing.T) {
	for _, test := range []struct{ args, want string }{
		{"--size=0x5 a.stl", `--size: "0x5": expected WxH`},
		{"--size", "--size: expected a value"},
		{"--zoom=x a.stl", `--zoom: "x": expected a number`},
		{"--zoom=nan a.stl", "expected a number"},
		{"--eye=1,2 a.stl", `--eye: "1,2": expected 3 numbers`},
		{"--section=q=1 a.stl", "--section: \"q=1\": expected such as z=5"},
		{"--workers=2 a.stl", "--workers: no flag of a picture has this name"},
		{"--edges=yes a.stl", "--edges: expected no value"},
		{"--add=b.stl:scale=0 a.stl", "--add: b.stl:scale=0: expected a number that is not 0 behind :scale="},
		{"--clip-box=0,0,0,1,1,0 a.stl", "the lower corner first"},
		{"--crop=1,1,2 a.stl", "expected X,Y,WxH"},
		{"--samples=4.0 a.stl", `--samples: "4.0": expected a number`},
		{"--format=stl", "--format: there is no mesh"},
	} {
		if _, err := recipe.Parse(strings.Fields(test.args)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %s", test.args, err, test.want)
		}
	}
}

// TestValidate checks that all faults are listed, each with its own field.
func TestValidate(t *testing.T) {
	nan, zero := math.NaN(), recipe.Point{}
	p := recipe.Picture{
		Meshes: []recipe.Mesh{{Format: "gif", Up: "w", Color: "rot", Scale: nan, Rotate: recipe.Point{nan}}, {File: "-", Format: "stl", Move: recipe.Point{math.Inf(1)}}},
		Size:   recipe.Size{Width: -1, Height: 5}, Up: "up", Unit: "mile",
		Camera: recipe.Camera{View: &recipe.View{Azimuth: nan, Elevation: 91}, Zoom: -1, Projection: "oblique", Fov: 180, Fit: "loose", Target: &recipe.Point{nan}, Upward: &zero, Height: -1},
		Look:   recipe.Look{Shading: "x", Light: "headlight", Color: "facing", Background: "source", Cull: "all", Field: "t", Colormap: "jet", Range: [2]float64{2, 1}, Crease: -1, Occlusion: "x", Samples: 2},
		Cuts:   recipe.Cuts{Sections: []recipe.Plane{{Offset: nan}}, Box: recipe.Box{Low: [3]float64{1, 0, 0}}, Color: "closed"},
		Lines:  recipe.Lines{Width: 101, Color: "none"},
		Crop:   recipe.Rect{X: -1, Width: 1, Height: 1}, Trim: true, Sheet: 5,
	}
	var faults recipe.Faults
	if !errors.As(p.Validate(), &faults) {
		t.Fatal("no faults")
	}
	found := map[string]int{}
	for _, f := range faults {
		found[f.Field]++
	}
	for field, n := range map[string]int{
		"meshes[0].file": 1, "meshes[0].format": 1, "meshes[0].up": 1, "meshes[0].color": 1, "meshes[0].scale": 1, "meshes[0].rotate": 1,
		"meshes[1].file": 1, "meshes[1].format": 1, "meshes[1].move": 1, "size": 1, "up": 1, "unit": 1,
		"camera.view": 2, "camera.zoom": 1, "camera.projection": 1, "camera.fov": 1, "camera.fit": 1, "camera.target": 2, "camera.upward": 2, "camera.height": 1,
		"look.shading": 1, "look.color": 2, "look.background": 1, "look.cull": 1, "look.field": 1, "look.colormap": 1, "look.range": 1, "look.crease": 1, "look.occlusion": 1, "look.samples": 1,
		"cuts.sections[0]": 3, "cuts.box": 1, "cuts.color": 1, "lines.width": 1, "lines.color": 1, "crop": 1, "sheet": 3,
	} {
		if found[field] != n {
			t.Errorf("%s: %d faults, want %d", field, found[field], n)
		}
		delete(found, field)
	}
	if len(found) > 0 {
		t.Errorf("faults of %v, too", found)
	}
	if lines := strings.Count(p.Validate().Error(), "\n") + 1; lines != len(faults) {
		t.Errorf("%d lines for %d faults", lines, len(faults))
	}
	if err := (recipe.Picture{}).Validate(); err == nil || !strings.Contains(err.Error(), "meshes: expected at least one") {
		t.Errorf("no mesh: %v", err)
	}
}

// TestFlagText checks that FlagText names a fault by its flag.
func TestFlagText(t *testing.T) {
	p := recipe.Picture{Meshes: []recipe.Mesh{{File: "a.stl"}}, Look: recipe.Look{Range: [2]float64{0, 1}}, Camera: recipe.Camera{Target: &recipe.Point{}}}
	var faults recipe.Faults
	errors.As(p.Validate(), &faults)
	var got []string
	for _, f := range faults {
		got = append(got, f.FlagText())
	}
	if want := []string{"--target: is for --eye", "--range: is for --field"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestUnknownFields checks that a recipe with an unknown field or version is refused.
func TestUnknownFields(t *testing.T) {
	for text, want := range map[string]string{
		`{"version":1,"meshes":[{"file":"a.stl"}],"gamma":2}`:                   "gamma",
		`{"version":1,"meshes":[{"file":"a.stl","shade":"flat"}]}`:              "shade",
		`{"version":1,"look":{"glow":1}}`:                                       "glow",
		`{"version":2,"meshes":[{"file":"a.stl"}]}`:                             "version 2",
		`{"meshes":[{"file":"a.stl"}]}`:                                         "expected a version",
		`{"version":1,"size":"5"}x`:                                             "invalid character",
		`{"version":1,"size":"0x1"}`:                                            "expected WxH",
		`{"version":1,"cuts":{"sections":["z?1"]}}`:                             "expected such as",
		`{"version":1,"camera":{"eye":[1,2,3,4]}} `:                             "",
		`{"version":1,"camera":{"view":"down"}}`:                                "expected AZ,EL",
		`{"version":1,"camera":{"view":"30,20"},"look":{"range":[0,1]}}`:        "",
		`{"version":1,"cuts":{"box":"0,0,0,1,1,1"},"crop":"1,2,3x4"}`:           "",
		`{"version":1,"meshes":[{"file":"a.stl","rotate":[0,0,90],"scale":2}]}`: "",
	} {
		var p recipe.Picture
		err := json.Unmarshal([]byte(text), &p)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// FuzzJSON checks that invalid JSON, or an invalid recipe, causes an error and nothing worse. The arguments of a valid
// recipe must reproduce its normal form.
func FuzzJSON(f *testing.F) {
	f.Add([]byte(`{"version":1,"meshes":[{"file":"a.stl","up":"y"}],"camera":{"view":"iso"},"cuts":{"sections":["z<5"]}}`))
	f.Add([]byte(`{"version":1,"meshes":[{"file":"a:up=x"},{"file":"b","color":"red"}],"crop":"1,2,3x4"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var p recipe.Picture
		if json.Unmarshal(text, &p) != nil || p.Validate() != nil {
			return
		}
		again, err := recipe.Parse(p.Args())
		if err != nil {
			t.Fatalf("%q: %v", p.Args(), err)
		}
		if got, want := jsonOf(t, again), jsonOf(t, p.Normal()); got != want && !bytes.ContainsRune(text, 0xFFFD) {
			t.Fatalf("%q gives %s, want %s", p.Args(), got, want)
		}
	})
}
