package recipe_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"lockstep/render/recipe"
	"lockstep/render/recipe/recipetest"
)

// TestAnimationRoundTrips checks that JSON reproduces every animation, and that Normal does not change a normal form.
func TestAnimationRoundTrips(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := recipetest.Animation().Draw(t, "a")
		if err := a.Validate(); err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		var again recipe.Animation
		if err := json.Unmarshal(text, &again); err != nil {
			t.Fatal(err)
		}
		if back, _ := json.Marshal(again); string(back) != string(text) {
			t.Fatalf("JSON gives back\n%s\nfor\n%s", back, text)
		}
		n := a.Normal()
		if after, _ := json.Marshal(a); string(after) != string(text) {
			t.Fatal("Normal changed the animation")
		}
		if err := n.Validate(); err != nil {
			t.Fatalf("the normal form: %v", err)
		}
		if !reflect.DeepEqual(n.Normal(), n) || a.Full().Frames != n.Full().Frames || a.Full().Motion != n.Full().Motion {
			t.Fatalf("%+v has the normal form %+v", a, n)
		}
	})
}

// TestAnimationFaults checks the messages about invalid animations.
func TestAnimationFaults(t *testing.T) {
	eye := recipe.Point{1, 2, 3}
	mesh := recipe.Picture{Meshes: []recipe.Mesh{{File: "a"}}}
	placed, sheet := mesh, mesh
	placed.Camera.Eye = &eye
	timed, early := mesh, mesh
	timed.Time, early.Time = new(0.0), new(-1.0)
	sheet.Sheet, sheet.Trim = 4, true
	key := recipe.Keyframe{Eye: &eye}
	for want, a := range map[string]recipe.Animation{
		"motion \"spiral\": expected turntable":   {Picture: mesh, Motion: "spiral"},
		"frames -1: expected 1 to":                {Picture: mesh, Frames: -1},
		"frames 99999999: expected 1 to":          {Picture: mesh, Frames: 99999999},
		"keyframes: are for the motion keyframes": {Picture: mesh, Motion: "orbit", Keyframes: []recipe.Keyframe{key}},
		"needs some":                              {Picture: mesh, Motion: "keyframes"},
		"keyframes[1].frame: expected more":       {Picture: mesh, Keyframes: []recipe.Keyframe{key, key}},
		"keyframes[0].eye: expected a point":      {Picture: mesh, Keyframes: []recipe.Keyframe{{}}},
		"keyframes[0].fov 200: expected 0.001 to": {Picture: mesh, Keyframes: []recipe.Keyframe{{Eye: &eye, Fov: 200}}},
		"keyframes[0].zoom -1":                    {Picture: mesh, Keyframes: []recipe.Keyframe{{Eye: &eye, Zoom: -1}}},
		"more[0].file":                            {Picture: mesh, More: []recipe.Mesh{{File: "-"}}},
		"more[0].up \"w\"":                        {Picture: mesh, More: []recipe.Mesh{{File: "b", Up: "w"}}},
		"clip: is of one file":                    {Picture: mesh, Clip: "1", More: []recipe.Mesh{{File: "b"}}},
		"clip: is played":                         {Picture: timed, Clip: "1"},
		"clip: views are of":                      {Picture: mesh, Clip: "1", Motion: "views"},
		"picture.time -1: expected seconds":       {Picture: early},
		"picture.camera.eye: does not go with":    {Picture: placed, Motion: "orbit"},
		"picture.sheet: is for one picture":       {Picture: sheet},
		"picture.trim: is for one picture":        {Picture: sheet},
		"picture.meshes: expected at least one":   {},
	} {
		if err := a.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	good := recipe.Animation{Picture: placed, Motion: "turntable"}
	if err := good.Validate(); err != nil {
		t.Error(err)
	}
	for _, text := range []string{`{"version":1,"picture":{"version":1,"meshes":[{"file":"a"}]}}`, `{"picture":{}}`, `{"version":2,"picture":{}}`, `{"version":1,"picture":{},"speed":1}`} {
		if err := json.Unmarshal([]byte(text), new(recipe.Animation)); err == nil {
			t.Errorf("%s is taken", text)
		}
	}
}
