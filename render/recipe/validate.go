package recipe

import (
	"fmt"
	"image"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"lockstep/render"
	"lockstep/render/part"
	"lockstep/render/recipe/internal/fields"
	"lockstep/render/recipe/internal/material"
	"lockstep/render/recipe/internal/numbers"
	"lockstep/render/recipe/internal/units"
	"lockstep/scenes"
	"lockstep/scenes/load"
)

// A Fault is one mistake in a recipe.
type Fault struct {
	// Field is the path of the wrong field, with the names of the JSON form, such as camera.fov or meshes[1].scale.
	Field string
	// Value is the wrong value. It is empty if the fault is not about a value.
	Value string
	// Message states which values are valid.
	Message string
}

// Error returns the field, the value and the message.
func (f Fault) Error() string { return f.text(f.Field, f.Message) }

func (f Fault) text(place, message string) string {
	if f.Value != "" {
		place += " " + f.Value
	}
	return place + ": " + message
}

// FlagText returns the text of the fault with flags instead of fields.
func (f Fault) FlagText() string {
	place := f.Field
	if flag, ok := flagPaths[place]; ok {
		place = "--" + flag
	}
	return f.text(place, FlagWords(f.Message))
}

// FlagWords replaces names of fields in a text by their flags. It replaces only names with a dot, such as camera.eye.
// For a field of the picture itself, the text must contain a name with a dot, such as picture.size.
func FlagWords(text string) string {
	return flagWords.ReplaceAllStringFunc(text, func(path string) string {
		if flag, ok := flagPaths[strings.TrimPrefix(path, "picture.")]; ok {
			return "--" + flag
		}
		return path
	})
}

// flagWords matches words that may be names of fields with a dot. flagPaths maps the paths of fields to their flags.
var (
	flagWords = regexp.MustCompile(`\b[a-z][A-Za-z]*\.[a-z][A-Za-z]*\b`)
	flagPaths = func() map[string]string {
		paths := fields.Paths(reflect.TypeFor[Picture]())
		paths["meshes"] = "add" // the flag --add names the meshes after the first
		return paths
	}()
)

// Faults holds all faults of a recipe. The text of the error has a line for each fault.
type Faults []Fault

// Error returns a line for each fault.
func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i := range f {
		lines[i] = "recipe: " + f[i].Error()
	}
	return strings.Join(lines, "\n")
}

// A checker collects faults.
type checker struct{ faults Faults }

func (c *checker) add(bad bool, field, format string, args ...any) {
	if bad {
		c.faults = append(c.faults, Fault{Field: field, Message: fmt.Sprintf(format, args...)})
	}
}

// addValue is like add, but the fault also contains the wrong value.
func (c *checker) addValue(bad bool, field, value, format string, args ...any) {
	if bad {
		c.faults = append(c.faults, Fault{field, value, fmt.Sprintf(format, args...)})
	}
}

// checkWord adds a fault unless the value is empty, auto, or one of the words.
func (c *checker) checkWord(field, value string, words ...string) {
	c.addValue(value != "" && value != "auto" && !slices.Contains(words, value), field, fmt.Sprintf("%q", value), "expected %s", orList(words))
}

// checkColor adds a fault unless the value is empty, a colour, or one of the words.
func (c *checker) checkColor(field string, value Color, words ...string) {
	_, ok := value.RGB()
	c.addValue(value != "" && !ok && !slices.Contains(words, string(value)), field, fmt.Sprintf("%q", value),
		"expected RRGGBB in hexadecimal, #RGB, a name such as white%s", orElse(words))
}

func (c *checker) checkAxis(field, value string) {
	if _, err := scenes.ParseAxis(value); value != "" && value != "auto" {
		c.addValue(err != nil, field, fmt.Sprintf("%q", value), "expected x, y, z, -x, -y or -z")
	}
}

func (c *checker) checkPoint(field string, p *Point) {
	c.add(p != nil && !p.isFinite(), field, "expected three finite numbers")
}

func (p *Point) isFinite() bool {
	return numbers.IsFinite(p[0]) && numbers.IsFinite(p[1]) && numbers.IsFinite(p[2])
}

func orElse(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return ", or " + orList(words)
}

// orList joins words with commas and, before the last word, with "or".
func orList(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

// MinFov and MaxFov limit the field of view in degrees. With a smaller field of view than MinFov, a picture differs
// from an orthographic picture by less than a tenth of a pixel. With a larger field of view than MaxFov, the mesh is
// a dot in the centre of the picture.
const MinFov, MaxFov = 0.001, 179

// LeastSheet is the least width and height of a contact sheet, in pixels.
const LeastSheet = 32

// Validate returns all mistakes in the recipe that do not depend on its files, as Faults. It returns nil if there are
// none. It changes nothing and reads no file.
func (p Picture) Validate() error {
	c := &checker{}
	c.checkMeshes(p.Meshes)
	size := p.full().Size
	c.addValue(size.Width < 1 || size.Height < 1 || size.Width > part.MostPixels || size.Height > part.MostPixels,
		"size", fmt.Sprintf("%dx%d", size.Width, size.Height), "expected 1x1 to %dx%d pixels", part.MostPixels, part.MostPixels)
	c.checkAxis("up", p.Up)
	c.addValue(p.Unit != "" && !slices.Contains(units.Names(), units.Normal(p.Unit)), "unit", fmt.Sprintf("%q", p.Unit), "expected %s", orList(units.Names()))
	c.addValue(!numbers.IsFinite(deref(p.Time)) || deref(p.Time) < 0, "time", numbers.Exact(deref(p.Time)), "expected seconds, 0 or more")
	c.checkCamera(&p.Camera)
	c.checkLook(&p.Look, p.full().Look.Field)
	c.checkParts(&p.Parts)
	c.checkCuts(&p.Cuts)
	c.checkLines(&p.Lines, p.full().Look.Field)
	if p.Crop != (Rect{}) {
		err := p.Crop.check()
		c.add(err != nil, "crop", "%v", err)
		c.addValue(err == nil && !p.Crop.Rectangle().In(image.Rect(0, 0, size.Width, size.Height)), "crop",
			p.Crop.String(), "reaches beyond the picture of %dx%d", size.Width, size.Height)
	}
	if p.Sheet != 0 {
		c.addValue(p.Sheet != 4 && p.Sheet != 7, "sheet", fmt.Sprintf("%d", p.Sheet), "expected 4 or 7 views")
		c.add(p.hasEye(), "sheet", "has views of its own: camera.eye does not go with it")
		c.add(p.Crop != (Rect{}), "sheet", "is one picture: picture.crop does not go with it")
		c.add(size.Width < LeastSheet || size.Height < LeastSheet, "sheet", "expected a picture.size of at least %dx%d", LeastSheet, LeastSheet)
	}
	if len(c.faults) == 0 {
		return nil
	}
	return c.faults
}

func (c *checker) checkMeshes(meshes []Mesh) {
	c.add(len(meshes) == 0, "meshes", "expected at least one")
	compared := false
	for i, m := range meshes {
		at := fmt.Sprintf("meshes[%d].", i)
		c.add(m.File == "", at+"file", "expected the name of a file, or a scene such as scene:knot")
		c.add(m.File == "-" && i > 0, at+"file", "only the first mesh can come from standard input")
		c.add(m.Format != "" && m.Format != "auto" && !slices.Contains(load.Names(), strings.ToLower(m.Format)), at+"format",
			"%q: expected %s", m.Format, orList(load.Names()))
		c.add(m.Format != "" && i > 0, at+"format", "is for the first mesh: the contents of others decide")
		c.checkAxis(at+"up", m.Up)
		c.checkColor(at+"color", m.Color)
		c.add(!numbers.IsFinite(m.Scale), at+"scale", "expected a finite number")
		c.checkPoint(at+"rotate", &m.Rotate)
		c.checkPoint(at+"move", &m.Move)
		if m.Against {
			c.add(i == 0, at+"against", "is for meshes after the first, which is compared with it")
			c.add(compared, at+"against", "expected one mesh to compare with")
			c.add(m.Color != "", at+"color", "the mesh is not drawn, but compared with")
			compared = true
		}
	}
}

func (c *checker) checkParts(p *Parts) {
	for i, one := range p.Colors {
		at := fmt.Sprintf("parts.colors[%d]", i)
		c.add(one.Part == "", at, "expected the number or the name of a part")
		_, ok := one.Color.RGB()
		c.addValue(!ok, at, fmt.Sprintf("%q", one.Color), "expected RRGGBB in hexadecimal, #RGB, or a name such as white")
	}
	for field, list := range map[string][]Part{"parts.only": p.Only, "parts.hide": p.Hide} {
		for i, one := range list {
			c.add(one == "", fmt.Sprintf("%s[%d]", field, i), "expected the number or the name of a part")
		}
	}
}

func (c *checker) checkCamera(v *Camera) {
	if v.View != nil {
		c.add(!numbers.IsFinite(v.View.Azimuth), "camera.view", "expected finite angles")
		c.add(!(math.Abs(v.View.Elevation) <= 90), "camera.view", "elevation must lie between -90 and 90 degrees")
	}
	c.addValue(!numbers.IsFinite(v.Zoom) || v.Zoom < 0, "camera.zoom", fmt.Sprintf("%g", v.Zoom), "expected a number above 0")
	c.checkWord("camera.projection", v.Projection, "perspective", "orthographic")
	c.addValue(v.Fov != 0 && !(MinFov <= v.Fov && v.Fov <= MaxFov), "camera.fov", fmt.Sprintf("%g", v.Fov), "expected %v to %v degrees", MinFov, MaxFov)
	c.checkWord("camera.fit", v.Fit, "tight", "vertices", "box")
	for field, p := range map[string]*Point{"camera.eye": v.Eye, "camera.target": v.Target, "camera.upward": v.Upward} {
		c.checkPoint(field, p)
	}
	c.add(v.Target != nil && v.Eye == nil, "camera.target", "is for camera.eye")
	c.add(v.Upward != nil && v.Eye == nil, "camera.upward", "is for camera.eye")
	c.add(v.Upward != nil && *v.Upward == Point{}, "camera.upward", "expected a direction")
	c.addValue(!numbers.IsFinite(v.Height) || v.Height < 0, "camera.height", fmt.Sprintf("%g", v.Height), "expected a number above 0")
	c.add(!numbers.IsFinite(v.Shift[0]) || !numbers.IsFinite(v.Shift[1]), "camera.shift", "expected two finite numbers")
	c.add(v.Shift != [2]float64{} && v.Eye == nil, "camera.shift", "is for camera.eye")
	c.add(v.Height > 0 && (v.Eye == nil || v.Projection != "orthographic"), "camera.height", "is for camera.eye in an orthographic projection")
}

func (c *checker) checkLook(l *Look, field string) {
	c.checkWord("look.shading", l.Shading, "flat", "smooth")
	c.checkWord("look.light", l.Light, "studio", "headlight")
	c.checkColor("look.color", l.Color, "source", "facing")
	c.checkColor("look.background", l.Background, "none", Gradient, "auto")
	c.checkWord("look.cull", l.Cull, "none", "back", "front", "material")
	c.checkWord("look.material", l.Material, material.Names()...)
	for field, v := range map[string]*float64{"look.metallic": l.Metallic, "look.roughness": l.Roughness} {
		c.addValue(v != nil && !(*v >= 0 && *v <= 1), field, fmt.Sprintf("%g", deref(v)), "expected 0 to 1")
	}
	c.checkWord("look.occlusion", l.Occlusion, "on", "off")
	c.checkWord("look.eyeDome", l.EyeDome, "on", "off")
	c.addValue(l.Colormap != "" && !slices.Contains(render.ColorMaps(), l.Colormap), "look.colormap", fmt.Sprintf("%q", l.Colormap), "expected %s", orList(render.ColorMaps()))
	c.addValue(l.Samples != 0 && l.Samples != 1 && l.Samples != 4 && l.Samples != 16, "look.samples", fmt.Sprintf("%d", l.Samples), "expected 1, 4 or 16")
	c.addValue(!numbers.IsFinite(l.PointSize.Length) || l.PointSize.Length < 0, "look.pointSize", numbers.Exact(l.PointSize.Length), "expected a length above 0")
	c.addValue(l.Crease != 0 && !(l.Crease > 0 && l.Crease <= 180), "look.crease", fmt.Sprintf("%g", l.Crease), "expected more than 0 and at most 180 degrees")
	headlight := l.Light == "headlight"
	c.add(headlight && field != "", "look.field", "needs look.light studio")
	c.add(headlight && l.Color == "facing", "look.color", "facing needs look.light studio")
	c.add(field != "" && l.Color == "facing", "look.color", "facing and look.field colour the same surface: expected one of them")
	low, high := l.Range[0], l.Range[1]
	c.add(!numbers.IsFinite(low) || !numbers.IsFinite(high) || low > high, "look.range", "expected two numbers, the lower one first")
	c.add(l.Range != [2]float64{} && field == "", "look.range", "is for look.field")
}

func (c *checker) checkCuts(v *Cuts) {
	for i, s := range v.Sections {
		at := fmt.Sprintf("cuts.sections[%d]", i)
		c.add(!numbers.IsFinite(s.Normal[0]) || !numbers.IsFinite(s.Normal[1]) || !numbers.IsFinite(s.Normal[2]) || s.Normal == [3]float64{}, at, "expected a normal of three numbers that are not all 0")
		c.add(!numbers.IsFinite(s.Offset), at, "expected a finite offset")
		c.add(s.Keep != '<' && s.Keep != '>' && s.Keep != '=', at, "expected one of <, > and =")
	}
	if v.Box != (Box{}) {
		err := v.Box.check()
		c.add(err != nil, "cuts.box", "%v", err)
	}
	c.checkColor("cuts.color", v.Color, "open")
}

// MostContours is the greatest number of contour lines.
const MostContours = 1000

func (c *checker) checkLines(l *Lines, field string) {
	c.add(l.Legend && field == "", "lines.legend", "is for look.field")
	c.add(l.Contours > 0 && field == "", "lines.contours", "are for look.field")
	c.addValue(l.Contours < 0 || l.Contours > MostContours, "lines.contours", strconv.Itoa(l.Contours), "expected 1 to %d", MostContours)
	for i, d := range l.Dimensions {
		at := fmt.Sprintf("lines.dimensions[%d]", i)
		c.checkPoint(at, (*Point)(&d.From))
		c.checkPoint(at, (*Point)(&d.To))
	}
	c.addValue(!(l.Width >= 0 && l.Width <= 100), "lines.width", fmt.Sprintf("%g", l.Width), "expected 0 to 100 pixels")
	c.checkColor("lines.color", l.Color, "auto")
}

// deref returns the number that v points to, or 0 if v is nil.
func deref(v *float64) float64 {
	if v == nil {
		return 0
	}
	return *v
}
