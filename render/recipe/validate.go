package recipe

import (
	"fmt"
	"image"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"lockstep/render"
	"lockstep/render/tiles"
	"lockstep/scenes"
	"lockstep/scenes/load"
)

// A Fault is one thing that is wrong with a recipe.
type Fault struct {
	// Field is where: the names of JSON with dots between them, such as camera.fov or meshes[1].scale.
	Field string
	// Message says what was found and what is expected.
	Message string
}

// Error returns the place and the message.
func (f Fault) Error() string { return "recipe: " + f.Field + ": " + f.Message }

// FlagText returns the fault in the words of the command line: flags for fields.
func (f Fault) FlagText() string {
	return flagWords.ReplaceAllStringFunc(f.Field+": "+f.Message, func(path string) string {
		if flag, ok := flagPaths[path]; ok {
			return "--" + flag
		}
		return path
	})
}

// flagWords matches what may be paths of fields; flagPaths are the flags of those that have one.
var (
	flagWords = regexp.MustCompile(`[a-z][A-Za-z]*(\.[a-z][A-Za-z]*)*`)
	flagPaths = pathsOf(reflect.TypeFor[Picture](), "")
)

// pathsOf returns the flags of fields of a struct by their paths.
func pathsOf(t reflect.Type, under string) map[string]string {
	paths := map[string]string{}
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if flag := f.Tag.Get("flag"); flag != "" {
			paths[under+name] = flag
		} else if f.Type.Kind() == reflect.Struct {
			for path, flag := range pathsOf(f.Type, under+name+".") {
				paths[path] = flag
			}
		}
	}
	return paths
}

// Faults are all that is wrong with a recipe. As an error they have a line each.
type Faults []Fault

// Error returns a line for each fault.
func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i := range f {
		lines[i] = f[i].Error()
	}
	return strings.Join(lines, "\n")
}

// checker gathers faults.
type checker struct{ faults Faults }

func (c *checker) add(bad bool, field, format string, args ...any) {
	if bad {
		c.faults = append(c.faults, Fault{field, fmt.Sprintf(format, args...)})
	}
}

// word checks that a field is empty, auto, or one of some words.
func (c *checker) word(field, value string, words ...string) {
	c.add(value != "" && value != "auto" && !slices.Contains(words, value), field, "%q: expected %s", value, orList(words))
}

// color checks that a field is empty, a colour, or one of some words.
func (c *checker) color(field string, value Color, words ...string) {
	_, ok := value.RGB()
	c.add(value != "" && !ok && !slices.Contains(words, string(value)), field,
		"%q: expected RRGGBB in hexadecimal, #RGB, a name such as white%s", value, orElse(words))
}

func (c *checker) axis(field, value string) {
	if _, err := scenes.ParseAxis(value); value != "" && value != "auto" {
		c.add(err != nil, field, "%q: expected x, y, z, -x, -y or -z", value)
	}
}

func (c *checker) point(field string, p *Point) {
	c.add(p != nil && !p.finite(), field, "expected three finite numbers")
}

func (p *Point) finite() bool { return finite(p[0]) && finite(p[1]) && finite(p[2]) }

func orElse(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return ", or " + orList(words)
}

// orList joins words with commas and an or.
func orList(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

// MinFov and MaxFov bound the field of view in degrees. Below them the picture is that of an orthographic projection,
// to a tenth of a pixel; above, the mesh is a dot in its middle.
const MinFov, MaxFov = 0.001, 179

// LeastSheet is the least width and height of a contact sheet in pixels.
const LeastSheet = 32

// Validate returns all that is wrong with the recipe by itself, as Faults, or nil; it changes nothing and reads no
// file.
func (p Picture) Validate() error {
	c := &checker{}
	c.meshes(p.Meshes)
	size := p.full().Size
	c.add(size.Width < 1 || size.Height < 1 || size.Width > tiles.MostPixels || size.Height > tiles.MostPixels,
		"size", "%dx%d: expected 1x1 to %dx%d pixels", size.Width, size.Height, tiles.MostPixels, tiles.MostPixels)
	c.axis("up", p.Up)
	c.add(p.Unit != "" && !slices.Contains(unitNames, normalUnit(p.Unit)), "unit", "%q: expected %s", p.Unit, orList(unitNames))
	c.camera(&p.Camera)
	c.look(&p.Look)
	c.cuts(&p.Cuts)
	c.lines(&p.Lines, p.Look.Field)
	if p.Crop != (Rect{}) {
		err := p.Crop.check()
		c.add(err != nil, "crop", "%v", err)
		c.add(err == nil && !p.Crop.Rectangle().In(image.Rect(0, 0, size.Width, size.Height)), "crop",
			"%s reaches beyond the picture of %dx%d", p.Crop, size.Width, size.Height)
	}
	if p.Sheet != 0 {
		c.add(p.Sheet != 4 && p.Sheet != 7, "sheet", "%d: expected 4 or 7 views", p.Sheet)
		c.add(p.placed(), "sheet", "has views of its own: camera.eye does not go with it")
		c.add(p.Crop != (Rect{}) || p.Trim, "sheet", "is one picture: crop and trim do not go with it")
		c.add(size.Width < LeastSheet || size.Height < LeastSheet, "sheet", "expected a size of at least %dx%d", LeastSheet, LeastSheet)
	}
	if len(c.faults) == 0 {
		return nil
	}
	return c.faults
}

func (c *checker) meshes(meshes []Mesh) {
	c.add(len(meshes) == 0, "meshes", "expected at least one")
	for i, m := range meshes {
		at := fmt.Sprintf("meshes[%d].", i)
		c.add(m.File == "", at+"file", "expected the name of a file, or a scene such as scene:knot")
		c.add(m.File == "-" && i > 0, at+"file", "only the first mesh can come from standard input")
		c.add(m.Format != "" && m.Format != "auto" && !slices.Contains(load.Names(), strings.ToLower(m.Format)), at+"format",
			"%q: expected %s", m.Format, orList(load.Names()))
		c.add(m.Format != "" && i > 0, at+"format", "is for the first mesh: the contents of others decide")
		c.axis(at+"up", m.Up)
		c.color(at+"color", m.Color)
		c.add(!finite(m.Scale), at+"scale", "expected a finite number")
		c.point(at+"rotate", &m.Rotate)
		c.point(at+"move", &m.Move)
	}
}

func (c *checker) camera(v *Camera) {
	if v.View != nil {
		c.add(!finite(v.View.Azimuth), "camera.view", "expected finite angles")
		c.add(!(math.Abs(v.View.Elevation) <= 90), "camera.view", "elevation must lie between -90 and 90 degrees")
	}
	c.add(!finite(v.Zoom) || v.Zoom < 0, "camera.zoom", "%g: expected a number above 0", v.Zoom)
	c.word("camera.projection", v.Projection, "perspective", "orthographic")
	c.add(v.Fov != 0 && !(MinFov <= v.Fov && v.Fov <= MaxFov), "camera.fov", "%g: expected %v to %v degrees", v.Fov, MinFov, MaxFov)
	c.word("camera.fit", v.Fit, "tight", "vertices", "box")
	for field, p := range map[string]*Point{"camera.eye": v.Eye, "camera.target": v.Target, "camera.upward": v.Upward} {
		c.point(field, p)
	}
	c.add(v.Target != nil && v.Eye == nil, "camera.target", "is for camera.eye")
	c.add(v.Upward != nil && v.Eye == nil, "camera.upward", "is for camera.eye")
	c.add(v.Upward != nil && *v.Upward == Point{}, "camera.upward", "expected a direction")
	c.add(!finite(v.Height) || v.Height < 0, "camera.height", "%g: expected a number above 0", v.Height)
	c.add(v.Height > 0 && (v.Eye == nil || v.Projection != "orthographic"), "camera.height", "is for camera.eye in an orthographic projection")
}

func (c *checker) look(l *Look) {
	c.word("look.shading", l.Shading, "flat", "smooth")
	c.word("look.light", l.Light, "studio", "headlight")
	c.color("look.color", l.Color, "source", "facing")
	c.color("look.background", l.Background, "none", "auto")
	c.word("look.cull", l.Cull, "none", "back", "front")
	c.word("look.occlusion", l.Occlusion, "on", "off")
	c.add(l.Colormap != "" && !slices.Contains(render.ColorMaps(), l.Colormap), "look.colormap", "%q: expected %s", l.Colormap, orList(render.ColorMaps()))
	c.add(l.Samples != 0 && l.Samples != 1 && l.Samples != 4 && l.Samples != 16, "look.samples", "%d: expected 1, 4 or 16", l.Samples)
	c.add(l.Crease != 0 && !(l.Crease > 0 && l.Crease <= 180), "look.crease", "%g: expected more than 0 and at most 180 degrees", l.Crease)
	headlight := l.Light == "headlight"
	c.add(headlight && l.Field != "", "look.field", "needs look.light studio")
	c.add(headlight && l.Color == "facing", "look.color", "facing needs look.light studio")
	c.add(l.Field != "" && l.Color == "facing", "look.color", "facing and look.field colour the same surface: expected one of them")
	low, high := l.Range[0], l.Range[1]
	c.add(!finite(low) || !finite(high) || low > high, "look.range", "expected two numbers, the lower one first")
	c.add(l.Range != [2]float64{} && l.Field == "", "look.range", "is for look.field")
}

func (c *checker) cuts(v *Cuts) {
	for i, s := range v.Sections {
		at := fmt.Sprintf("cuts.sections[%d]", i)
		c.add(!finite(s.Normal[0]) || !finite(s.Normal[1]) || !finite(s.Normal[2]) || s.Normal == [3]float64{}, at, "expected a normal of three numbers that are not all 0")
		c.add(!finite(s.Offset), at, "expected a finite offset")
		c.add(s.Keep != '<' && s.Keep != '>' && s.Keep != '=', at, "expected one of <, > and =")
	}
	if v.Box != (Box{}) {
		err := v.Box.check()
		c.add(err != nil, "cuts.box", "%v", err)
	}
	c.color("cuts.color", v.Color, "open")
}

func (c *checker) lines(l *Lines, field string) {
	c.add(l.Legend && field == "", "lines.legend", "is for look.field")
	c.add(!(l.Width >= 0 && l.Width <= 100), "lines.width", "%g: expected 0 to 100 pixels", l.Width)
	c.color("lines.color", l.Color, "auto")
}
