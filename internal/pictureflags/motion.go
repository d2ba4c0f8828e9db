package pictureflags

import (
	"fmt"
	"math"
	"strings"

	"lockstep/internal/cli"
	"lockstep/internal/smallfile"
	"lockstep/render/recipe"
)

// A keyframe is an entry of a file of keyframes, in coordinates of the mesh's file.
type keyframe struct {
	Frame  float64    `json:"frame"`
	Eye    *jsonPoint `json:"eye"`
	Target jsonPoint  `json:"target"`
	FOV    float64    `json:"fov"`
	Zoom   float64    `json:"zoom"`
}

// readKeyframes reads the value of --keyframes. On the command line, the value is the name of a file with a JSON array
// of keyframes. In recipes, the value is the array itself.
func readKeyframes(name string) ([]recipe.Keyframe, error) {
	text := []byte(name)
	if !isInlineKeyframes(name) {
		var err error
		if text, err = smallfile.Read(name, maxKeyframesBytes); err != nil {
			return nil, cli.Inputf("--keyframes %s: %w", name, FileCause(err))
		}
	} else {
		name = "--keyframes"
	}
	var list []keyframe
	if err := readJSON(text, &list); err != nil {
		return nil, cli.Inputf("%s: %w", name, err)
	}
	keys := make([]recipe.Keyframe, len(list))
	for i, k := range list {
		if k.Eye == nil {
			return nil, cli.Inputf("%s: keyframe %d: expected an eye", name, i+1)
		}
		if k.FOV != 0 && !(recipe.MinFov <= k.FOV && k.FOV <= recipe.MaxFov) {
			return nil, cli.Inputf("%s: keyframe %d: fov %g: expected %v to %v degrees", name, i+1, k.FOV, recipe.MinFov, recipe.MaxFov)
		}
		keys[i] = recipe.Keyframe{Frame: k.Frame, Eye: (*recipe.Point)(k.Eye), Target: recipe.Point(k.Target), Fov: k.FOV, Zoom: k.Zoom}
	}
	return keys, nil
}

// isInlineKeyframes reports whether the value of --keyframes is an array of keyframes, and not a file name.
func isInlineKeyframes(name string) bool { return strings.HasPrefix(name, "[") && !exists(name) }

// maxKeyframesBytes limits the size of a file of keyframes in bytes.
const maxKeyframesBytes = 16 << 20

// defaultFrames is the default number of frames. With it a turntable turns by five degrees per frame, and a film lasts
// three seconds.
const defaultFrames = 72

// Motion holds the flags for the outputs of an animation and the motion of the camera.
type Motion struct {
	Output    Path   `short:"o" placeholder:"DIR" help:"${outputs}"`
	Frames    Frames `placeholder:"N" help:"Number of pictures (72)."`
	Still     bool   `xor:"motion" help:"Keep the eye where it is."`
	Turntable bool   `xor:"motion" help:"Turn the eye once around the up axis (the default)."`
	Keyframes Path   `xor:"motion" placeholder:"FILE" help:"Move the eye along the keyframes of a file."`
	Orbit     bool   `xor:"motion" help:"Circle the mesh; the highest point is at --view."`
	Flyby     bool   `xor:"motion" help:"Fly past the mesh, close to it, at --view's level."`
	Views     Frames `xor:"motion" placeholder:"N" help:"A data set: N views on a sphere."`
}

// Check returns an error for flags that contradict the motion.
func (c *Motion) Check(f *Draw) error {
	switch {
	case c.Orbit && f.View != nil && math.Abs(f.View.Elevation) > recipe.SteepestOrbit:
		return cli.Usagef("--orbit: expected a --view of at most %v degrees up or down", recipe.SteepestOrbit)
	case (c.Orbit || c.Views > 0) && f.IsCameraPlaced():
		return cli.Usagef("--orbit and --views have their own cameras: --eye and --camera do not go with them")
	case (c.Flyby || c.Keyframes != "") && f.IsCameraPlaced():
		return cli.Usagef("--flyby and --keyframes have their own cameras: --eye and --camera do not go with them")
	case c.Flyby && f.Projection == "orthographic":
		return cli.Usagef("--flyby needs --projection perspective")
	}
	return nil
}

// SetDefaults sets the motion and the number of frames if the flags do not give them. The default motion is a
// turntable, unless there are several meshes. With a file of keyframes, the default number of frames is the number in
// that file.
func (c *Motion) SetDefaults(several bool) error {
	if c.Views > 0 {
		if c.Frames > 0 && c.Frames != c.Views {
			return cli.Usagef("--views %d and --frames %d: expected one of them", c.Views, c.Frames)
		}
		c.Frames = c.Views
	} else if !c.Still && !c.Orbit && !c.Flyby && c.Keyframes == "" && !several {
		c.Turntable = true
	}
	if c.Frames > 0 {
		return nil
	}
	c.Frames = defaultFrames
	if c.Keyframes == "" {
		return nil
	}
	keys, err := readKeyframes(string(c.Keyframes))
	if err != nil || len(keys) == 0 {
		return err // an empty list is reported later, when the camera is made
	}
	last := keys[len(keys)-1].Frame
	if !(last >= 0 && last < maxFrames) {
		return cli.Inputf("%s: keyframe %d: frame %.7g: expected 0 to %d", c.Keyframes, len(keys), last, maxFrames-1)
	}
	c.Frames = Frames(last) + 1
	return nil
}

// FileCause returns the cause of an error about a file, without the file's name. It is for messages that already
// contain the name.
func FileCause(err error) error {
	if path, ok := err.(interface{ Unwrap() error }); ok {
		return path.Unwrap()
	}
	return fmt.Errorf("%w", err)
}

// Animation returns the recipe that the flags describe. The parameter more holds the meshes after the first.
func (c *Motion) Animation(f *Draw, more []Path) (recipe.Animation, error) {
	a := recipe.Animation{Picture: f.Picture(), Frames: int(c.Frames)}
	switch {
	case c.Orbit:
		a.Motion = "orbit"
	case c.Flyby:
		a.Motion = "flyby"
	case c.Views > 0:
		a.Motion = "views"
	case c.Turntable:
		a.Motion = "turntable"
	case c.Keyframes == "":
		a.Motion = "still"
	default:
		keys, err := readKeyframes(string(c.Keyframes))
		if err != nil {
			return a, err
		}
		a.Motion, a.Keyframes = "keyframes", keys
	}
	if f.Clip != "" && f.Time == nil {
		a.Clip, a.Picture.Clip = f.Clip, ""
	}
	for _, more := range more {
		a.More = append(a.More, recipe.Mesh{File: string(more), Up: f.upOf(string(more))})
	}
	return a, nil
}
