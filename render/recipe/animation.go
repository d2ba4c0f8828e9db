package recipe

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"lockstep/render/recipe/internal/fields"
	"lockstep/render/recipe/internal/numbers"
)

// An Animation holds everything on which the pictures of an animation or film depend. Zero values of fields mean the
// defaults.
type Animation struct {
	// Picture is the recipe of the pictures. Its camera is the camera of the first frame, unless Motion determines all
	// cameras.
	Picture Picture `json:"picture"`
	// Motion is one of these motions of the camera:
	//
	//   - turntable: once around the up axis
	//   - orbit: on a circle whose highest point is the view of the camera
	//   - flyby: past the mesh
	//   - keyframes: along Keyframes
	//   - views: from points that are spread evenly over a sphere
	//   - still: the camera does not move
	//
	// The default is turntable, and still for several meshes and for clips.
	Motion string `json:"motion,omitempty"`
	// Frames is the number of pictures. 0 means the number that follows from Keyframes or More, or otherwise 72.
	Frames int `json:"frames,omitempty"`
	// Keyframes are cameras at certain frames, in coordinates of the file.
	Keyframes []Keyframe `json:"keyframes,omitempty"`
	// More holds meshes that are shown after the first mesh of the picture, one after the other and for the same
	// number of frames each. Only their fields File and Up are used.
	More []Mesh `json:"more,omitempty"`
	// Clip is the name or number of a clip in the file. The clip is played once over all frames. If Clip is empty, no
	// clip is played, see Picture.Time.
	Clip string `json:"clip,omitempty"`
}

// A Keyframe is a camera at a frame, counted from 0. If Fov or Zoom is zero, the value of the picture is used.
type Keyframe struct {
	Frame  float64 `json:"frame"`
	Eye    *Point  `json:"eye"`
	Target Point   `json:"target"`
	Fov    float64 `json:"fov,omitempty"`
	Zoom   float64 `json:"zoom,omitempty"`
}

// motions lists the motions whose flags have no value. The flag --views is not listed, because it has a value: the
// number of frames.
var motions = []string{"turntable", "orbit", "flyby"}

// DefaultFrames is the default number of pictures of an animation. A turntable then turns by five degrees per frame,
// and a film lasts three seconds.
const DefaultFrames = 72

// full returns the animation with the defaults of the motion and of the number of frames filled in.
func (a Animation) full() Animation {
	if a.Motion == "" {
		switch {
		case len(a.Keyframes) > 0:
			a.Motion = "keyframes"
		case len(a.More) > 0 || a.Clip != "":
			a.Motion = "still"
		default:
			a.Motion = "turntable"
		}
	}
	if a.Frames == 0 {
		switch {
		case len(a.Keyframes) > 0:
			a.Frames = int(a.Keyframes[len(a.Keyframes)-1].Frame) + 1
		case len(a.More) > 0:
			a.Frames = 1 + len(a.More)
		default:
			a.Frames = DefaultFrames
		}
	}
	return a
}

// Full returns the animation with the defaults of the motion and of the number of frames filled in.
func (a Animation) Full() Animation { return a.full() }

// Normal returns the animation in its normal form, see Picture.Normal.
func (a Animation) Normal() Animation {
	a.Picture = a.Picture.Normal()
	a.Keyframes, a.More = slices.Clone(a.Keyframes), slices.Clone(a.More)
	without := a
	without.Motion, without.Frames = "", 0
	auto := without.full()
	if a.Motion == auto.Motion {
		a.Motion = ""
	}
	if a.Frames == auto.Frames {
		a.Frames = 0
	}
	for i := range a.Keyframes {
		if k := &a.Keyframes[i]; k.Eye != nil {
			eye := *k.Eye
			k.Eye = &eye
		}
		fields.PositiveZeros(&a.Keyframes[i])
	}
	for i := range a.More {
		a.More[i] = Mesh{File: a.More[i].File, Up: normalAxis(a.More[i].Up)}
	}
	if len(a.More) == 0 {
		a.More = nil
	}
	if len(a.Keyframes) == 0 {
		a.Keyframes = nil
	}
	return a
}

// MaxFrames is the greatest number of frames.
const MaxFrames = 1 << 20

// SteepestOrbit is the highest elevation in degrees at which an orbit may start. On an orbit through the poles, the
// picture would turn over at each pole.
const SteepestOrbit = 89

// Validate returns all mistakes in the animation that do not depend on its files, as Faults. It returns nil if there
// are none. It changes nothing and reads no file.
func (a Animation) Validate() error {
	c := &checker{}
	if faults, ok := a.Picture.Validate().(Faults); ok {
		for _, f := range faults {
			f.Field = "picture." + f.Field
			c.faults = append(c.faults, f)
		}
	}
	full := a.full()
	c.addValue(!slices.Contains([]string{"turntable", "orbit", "flyby", "keyframes", "views", "still"}, full.Motion), "motion",
		fmt.Sprintf("%q", a.Motion), "expected turntable, orbit, flyby, keyframes, views or still")
	c.addValue(full.Frames < 1 || full.Frames > MaxFrames, "frames", strconv.Itoa(a.Frames), "expected 1 to %d", MaxFrames)
	c.add((full.Motion == "keyframes") != (len(a.Keyframes) > 0), "keyframes", "are for the motion keyframes, which needs some")
	last := -1.0
	for i, k := range a.Keyframes {
		at := fmt.Sprintf("keyframes[%d]", i)
		c.add(!(k.Frame > last), at+".frame", "expected more than that before")
		last = k.Frame
		c.add(k.Eye == nil || !k.Eye.isFinite(), at+".eye", "expected a point")
		c.checkPoint(at+".target", &k.Target)
		c.addValue(k.Fov != 0 && !(MinFov <= k.Fov && k.Fov <= MaxFov), at+".fov", fmt.Sprintf("%g", k.Fov), "expected %v to %v degrees", MinFov, MaxFov)
		c.addValue(!numbers.IsFinite(k.Zoom) || k.Zoom < 0, at+".zoom", fmt.Sprintf("%g", k.Zoom), "expected a number above 0")
	}
	for i, m := range a.More {
		c.add(m.File == "" || m.File == "-", fmt.Sprintf("more[%d].file", i), "expected the name of a file or a scene")
		c.checkAxis(fmt.Sprintf("more[%d].up", i), m.Up)
	}
	c.add(full.Motion != "turntable" && full.Motion != "still" && a.Picture.hasEye(), "picture.camera.eye", "does not go with a motion that has its own cameras")
	if v := a.Picture.Camera.View; full.Motion == "orbit" && v != nil {
		c.addValue(math.Abs(v.Elevation) > SteepestOrbit, "picture.camera.view", fmt.Sprintf("%v,%v", v.Azimuth, v.Elevation), "an orbit begins at most %v degrees up or down", SteepestOrbit)
	}
	c.add(full.Motion == "flyby" && a.Picture.Camera.Projection == "orthographic", "picture.camera.projection", "a fly-by is a perspective")
	c.add(a.Clip != "" && len(a.More) > 0, "clip", "is of one file: more does not go with it")
	c.add(a.Clip != "" && (a.Picture.Time != nil || a.Picture.Clip != ""), "clip", "is played: picture.time does not go with it")
	c.add(a.Clip != "" && full.Motion == "views", "clip", "views are of a mesh that does not move")
	c.add(a.Picture.Sheet != 0, "picture.sheet", "is for one picture")
	c.add(a.Picture.Trim, "picture.trim", "is for one picture: those of a film have one size")
	if len(c.faults) == 0 {
		return nil
	}
	return c.faults
}

// animationJSON has the fields of an Animation in its JSON form. Version is the version of the whole form, including
// the picture.
type animationJSON struct {
	Version   *int          `json:"version"`
	Picture   pictureFields `json:"picture"`
	Motion    string        `json:"motion,omitempty"`
	Frames    int           `json:"frames,omitempty"`
	Keyframes []Keyframe    `json:"keyframes,omitempty"`
	More      []Mesh        `json:"more,omitempty"`
	Clip      string        `json:"clip,omitempty"`
}

// MarshalJSON returns the animation with its version. It leaves out fields with default values.
func (a Animation) MarshalJSON() ([]byte, error) {
	version := Version
	return json.Marshal(animationJSON{&version, pictureFields(a.Picture), a.Motion, a.Frames, a.Keyframes, a.More, a.Clip})
}

// UnmarshalJSON reads an animation. It returns an error if a field is unknown.
func (a *Animation) UnmarshalJSON(text []byte) error {
	var v animationJSON
	if err := decodeStrict(text, &v); err != nil {
		return err
	}
	if err := checkVersion(v.Version); err != nil {
		return err
	}
	*a = Animation{Picture(v.Picture), v.Motion, v.Frames, v.Keyframes, v.More, v.Clip}
	return nil
}

// Args returns the shortest arguments with which the command render animate draws the animation.
func (a Animation) Args() (args []string) {
	a = a.Normal()
	if slices.Contains(motions, a.Motion) {
		args = append(args, "--"+a.Motion)
	} else if a.Motion == "still" {
		args = append(args, "--still")
	}
	switch {
	case a.Motion == "views":
		args = append(args, "--views="+strconv.Itoa(a.full().Frames))
	case a.Frames != 0:
		args = append(args, "--frames="+strconv.Itoa(a.Frames))
	}
	if len(a.Keyframes) > 0 {
		text, _ := json.Marshal(a.Keyframes) // no error: points and numbers can always be encoded
		args = append(args, "--keyframes="+string(text))
	}
	if a.Clip != "" {
		args = append(args, "--clip="+a.Clip)
	}
	args = append(args, a.Picture.Args()...)
	more := make([]string, len(a.More))
	for i, m := range a.More {
		more[i] = m.argument(false)
	}
	if at := len(args) - 1; len(a.Picture.Meshes) > 0 && !slices.Contains(args, "--") && slices.ContainsFunc(more, looksLikeFlag) {
		args = slices.Insert(args, at, "--")
	}
	return append(args, more...)
}

// looksLikeFlag reports whether a name begins with a dash and would be read as a flag. The name "-" means standard
// input and is no flag.
func looksLikeFlag(name string) bool { return strings.HasPrefix(name, "-") && name != "-" }
