// Package recipetest generates random recipes for tests of packages that make, transport or draw recipes.
package recipetest

import (
	"math"
	"slices"

	"pgregory.net/rapid"

	"lockstep/render"
	"lockstep/render/recipe"
	"lockstep/scenes/load"
)

// number returns a generator of numbers that are hard to write as text without loss: integers, tiny and huge numbers,
// negative zero, and so on.
func number() *rapid.Generator[float64] {
	return rapid.OneOf(
		rapid.SampledFrom([]float64{0, math.Copysign(0, -1), 1, -1, 0.1, 90, 1e-300, -1e300, math.Pi, 35, 30}),
		rapid.Float64Range(-1e6, 1e6),
	)
}

func positive() *rapid.Generator[float64] {
	return rapid.OneOf(rapid.SampledFrom([]float64{0, 1, 30, 35}), rapid.Float64Range(0.01, 170))
}

func point() *rapid.Generator[recipe.Point] {
	return rapid.Custom(func(t *rapid.T) recipe.Point {
		return recipe.Point{number().Draw(t, "x"), number().Draw(t, "y"), number().Draw(t, "z")}
	})
}

func maybePoint(t *rapid.T, label string) *recipe.Point {
	if !rapid.Bool().Draw(t, label+"?") {
		return nil
	}
	p := point().Draw(t, label)
	return &p
}

// colorText returns a generator of colours in all notations, and of the given words.
func colorText(words ...string) *rapid.Generator[recipe.Color] {
	all := append([]string{"", "white", "SteelBlue", "#fa0", "#FFaa00", "C9885B", "c9885b", "b7bfc9"}, words...)
	return rapid.Map(rapid.SampledFrom(all), func(s string) recipe.Color { return recipe.Color(s) })
}

func fileName() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.SampledFrom([]string{"part.stl", "a:up=y", "b:color=red:", "c::", "-part.stl", "--fast", "dir/with space.obj", "x=y", "é:scale=2", "scene:knot?triangles=500"}),
		rapid.StringMatching(`[a-z:=\-]{1,12}x`),
	)
}

func axisName() *rapid.Generator[string] {
	return rapid.SampledFrom([]string{"", "auto", "x", "Y", "+z", "-x", "-z"})
}

func meshes() *rapid.Generator[[]recipe.Mesh] {
	return rapid.Custom(func(t *rapid.T) (all []recipe.Mesh) {
		for i := range rapid.IntRange(1, 3).Draw(t, "meshes") {
			m := recipe.Mesh{File: fileName().Draw(t, "file"), Up: axisName().Draw(t, "mesh up"), Color: colorText().Draw(t, "mesh color")}
			if i == 0 {
				m.Format = rapid.SampledFrom(append(load.Names(), "", "auto", "STL")).Draw(t, "format")
			}
			if rapid.Bool().Draw(t, "placed") {
				m.Scale, m.Rotate, m.Move = number().Draw(t, "scale"), point().Draw(t, "rotate"), point().Draw(t, "move")
			}
			all = append(all, m)
		}
		if n := len(all) - 1; n > 0 && rapid.IntRange(0, 2).Draw(t, "compared") == 0 {
			all[rapid.IntRange(1, n).Draw(t, "against")].Against = true
		}
		for i := range all {
			if all[i].Against {
				all[i].Color = ""
			}
		}
		return all
	})
}

func camera() *rapid.Generator[recipe.Camera] {
	return rapid.Custom(func(t *rapid.T) recipe.Camera {
		c := recipe.Camera{
			Zoom:       rapid.SampledFrom([]float64{0, 1, 2.5, 1e-3}).Draw(t, "zoom"),
			Projection: rapid.SampledFrom([]string{"", "perspective", "orthographic"}).Draw(t, "projection"),
			Fov:        rapid.SampledFrom([]float64{0, 30, 0.001, 179, 45.5}).Draw(t, "fov"),
			Fit:        rapid.SampledFrom([]string{"", "auto", "tight", "vertices", "box"}).Draw(t, "fit"),
			Eye:        maybePoint(t, "eye"),
		}
		if rapid.Bool().Draw(t, "view?") {
			v := rapid.SampledFrom([]recipe.View{{Azimuth: 30, Elevation: 20}, {Azimuth: 0, Elevation: 0}, {Azimuth: -30.5, Elevation: 20}, {Azimuth: 45, Elevation: 35.264389682754654}, {Azimuth: 1e9, Elevation: -90}}).Draw(t, "view")
			c.View = &v
		}
		if c.Eye != nil {
			c.Target, c.Upward = maybePoint(t, "target"), maybePoint(t, "upward")
			if c.Upward != nil && *c.Upward == (recipe.Point{}) {
				c.Upward = nil
			}
			c.Shift = [2]float64{number().Draw(t, "shift x"), number().Draw(t, "shift y")}
			if c.Projection == "orthographic" {
				c.Height = positive().Draw(t, "height")
			}
		}
		return c
	})
}

func look() *rapid.Generator[recipe.Look] {
	return rapid.Custom(func(t *rapid.T) recipe.Look {
		l := recipe.Look{
			Shading:    rapid.SampledFrom([]string{"", "auto", "flat", "smooth"}).Draw(t, "shading"),
			Light:      rapid.SampledFrom([]string{"", "studio", "headlight"}).Draw(t, "light"),
			Color:      colorText("source").Draw(t, "color"),
			Background: colorText("none", "auto", "gradient").Draw(t, "background"),
			Cull:       rapid.SampledFrom([]string{"", "none", "back", "front", "material"}).Draw(t, "cull"),
			Colormap:   rapid.SampledFrom(append(render.ColorMaps(), "")).Draw(t, "colormap"),
			Crease:     rapid.SampledFrom([]float64{0, 35, 1e-3, 180}).Draw(t, "crease"),
			PointSize:  rapid.SampledFrom([]recipe.PointSize{{}, {}, {Length: 0.25}, {Length: 3, Pixels: true}}).Draw(t, "point size"),
			EyeDome:    rapid.SampledFrom([]string{"", "auto", "on", "off"}).Draw(t, "eye-dome"),
			Occlusion:  rapid.SampledFrom([]string{"", "auto", "on", "off"}).Draw(t, "occlusion"),
			Material:   rapid.SampledFrom(append(recipe.Materials(), "", "")).Draw(t, "material"),
			Samples:    rapid.SampledFrom([]int{0, 1, 4, 16}).Draw(t, "samples"),
		}
		for _, number := range []**float64{&l.Metallic, &l.Roughness} {
			if rapid.IntRange(0, 3).Draw(t, "has") == 0 {
				*number = new(rapid.SampledFrom([]float64{0, 1, 0.38, 0.25}).Draw(t, "number"))
			}
		}
		if l.Light != "headlight" {
			switch rapid.IntRange(0, 3).Draw(t, "colours by") {
			case 0:
				l.Color = "facing"
			case 1:
				l.Field = rapid.SampledFrom([]string{"t", "distance", "x,y;z", "-p", "stress = 1"}).Draw(t, "field")
				if low, high := number().Draw(t, "low"), number().Draw(t, "high"); low <= high {
					l.Range = [2]float64{low, high}
				}
			}
		}
		return l
	})
}

func cuts() *rapid.Generator[recipe.Cuts] {
	return rapid.Custom(func(t *rapid.T) recipe.Cuts {
		c := recipe.Cuts{Color: colorText("open").Draw(t, "cut color")}
		for range rapid.IntRange(0, 2).Draw(t, "sections") {
			n := rapid.SampledFrom([][3]float64{{1, 0, 0}, {0, 0, 1}, {0, -1, 0}, {1, 1, 0.5}, {0, 0, 2}}).Draw(t, "normal")
			c.Sections = append(c.Sections, recipe.Plane{
				Normal: n, Offset: number().Draw(t, "offset"), Percent: rapid.Bool().Draw(t, "percent"), Keep: rapid.SampledFrom([]byte("<>=")).Draw(t, "keep"),
			})
		}
		if rapid.Bool().Draw(t, "box") {
			c.Box = recipe.Box{Low: [3]float64{-1, -2.5, 0}, High: [3]float64{1, rapid.Float64Range(0, 1e3).Draw(t, "y1"), 1e-3}}
		}
		return c
	})
}

func parts() *rapid.Generator[recipe.Parts] {
	return rapid.Custom(func(t *rapid.T) (p recipe.Parts) {
		if rapid.IntRange(0, 3).Draw(t, "parts?") > 0 {
			return p
		}
		name := rapid.SampledFrom([]recipe.Part{"0", "1", "body", "a;b", "x=y", " ", "-1", "--hide"})
		for range rapid.IntRange(0, 2).Draw(t, "part colors") {
			p.Colors = append(p.Colors, recipe.PartColor{Part: name.Draw(t, "part"), Color: rapid.SampledFrom([]recipe.Color{"red", "#0f0", "0000FF"}).Draw(t, "part color")})
		}
		for range rapid.IntRange(0, 2).Draw(t, "only") {
			p.Only = append(p.Only, name.Draw(t, "part"))
		}
		for range rapid.IntRange(0, 2).Draw(t, "hide") {
			p.Hide = append(p.Hide, name.Draw(t, "part"))
		}
		return p
	})
}

func lines(field bool) *rapid.Generator[recipe.Lines] {
	return rapid.Custom(func(t *rapid.T) recipe.Lines {
		flag := func(name string) bool { return rapid.IntRange(0, 3).Draw(t, name) == 0 }
		return recipe.Lines{
			Edges: flag("edges"), Wireframe: flag("wireframe"), Ground: rapid.SampledFrom([]*bool{nil, nil, new(true), new(false)}).Draw(t, "ground"), Axes: flag("axes"), Bounds: flag("bounds"),
			ScaleBar: flag("scale-bar"), Legend: field && flag("legend"),
			Contours:    map[bool]int{true: rapid.SampledFrom([]int{0, 1, 12}).Draw(t, "contours")}[field],
			LegendTitle: rapid.SampledFrom([]string{"", "", "heat, K"}).Draw(t, "legend title"),
			Dimensions:  rapid.SampledFrom([][]recipe.Dimension{nil, {{To: [3]float64{1, 0, 0}}}, {{From: [3]float64{-1, 2, 0.5}}, {To: [3]float64{0, 1e-3, 7}}}}).Draw(t, "dimensions"),
			Label:       rapid.SampledFrom([]string{"", "part 7", "--label", "a;b=\"c\""}).Draw(t, "label"),
			Width:       rapid.SampledFrom([]float64{0, 1.5, 100}).Draw(t, "width"),
			Color:       colorText("auto").Draw(t, "line color"),
		}
	})
}

// Picture returns a generator of valid recipes, many of which are not in their normal form.
func Picture() *rapid.Generator[recipe.Picture] {
	return rapid.Custom(func(t *rapid.T) recipe.Picture {
		p := recipe.Picture{
			Meshes: meshes().Draw(t, "all meshes"),
			Size:   rapid.SampledFrom([]recipe.Size{{}, {Width: 1920, Height: 1080}, {Width: 64, Height: 48}, {Width: 300, Height: 200}, {Width: 20000, Height: 40}}).Draw(t, "size"),
			Up:     axisName().Draw(t, "up"),
			Unit:   rapid.SampledFrom([]string{"", "mm", "MM", "inch", "µm", "m"}).Draw(t, "unit"),
			Clip:   rapid.SampledFrom([]string{"", "", "walk", "2", "--x", "a=b:c"}).Draw(t, "clip"),
			Camera: camera().Draw(t, "camera"),
			Look:   look().Draw(t, "look"),
			Cuts:   cuts().Draw(t, "cuts"),
			Parts:  parts().Draw(t, "parts"),
		}
		compared := slices.ContainsFunc(p.Meshes, func(m recipe.Mesh) bool { return m.Against })
		if compared { // distances are shown as colours, which the headlight and the colour facing exclude
			if p.Look.Light == "headlight" {
				p.Look.Light = ""
			}
			if p.Look.Color == "facing" {
				p.Look.Color = ""
			}
		}
		if rapid.Bool().Draw(t, "timed") {
			p.Time = new(rapid.SampledFrom([]float64{0, math.Copysign(0, -1), 0.25, 1e9}).Draw(t, "time"))
		}
		p.Lines = lines(compared || p.Look.Field != "").Draw(t, "lines")
		switch rapid.IntRange(0, 5).Draw(t, "part") {
		case 0:
			p.Crop = recipe.Rect{X: 1, Y: 2, Width: rapid.IntRange(1, 60).Draw(t, "w"), Height: 30}
		case 1:
			p.Trim = true
		case 2:
			if p.Camera.Eye == nil {
				p.Sheet, p.FirstAngle = rapid.SampledFrom([]int{4, 7}).Draw(t, "sheet"), rapid.Bool().Draw(t, "first angle")
			}
		}
		return p
	})
}

// Drawable returns a generator of recipes for the given mesh files. Most of these recipes can be drawn as pictures.
// fields lists names of fields that the meshes may have.
func Drawable(files, fields []string) *rapid.Generator[recipe.Picture] {
	return rapid.Custom(func(t *rapid.T) recipe.Picture {
		p := Picture().Draw(t, "recipe")
		p.Size = rapid.SampledFrom([]recipe.Size{{Width: 48, Height: 36}, {Width: 33, Height: 33}, {Width: 70, Height: 40}}).Draw(t, "small size")
		near := func(label string) float64 { return rapid.Float64Range(-3, 3).Draw(t, label) }
		for i := range p.Meshes {
			m := &p.Meshes[i]
			m.File, m.Format = rapid.SampledFrom(files).Draw(t, "real file"), ""
			if m.Scale != 0 || m.Rotate != (recipe.Point{}) || m.Move != (recipe.Point{}) {
				m.Scale = rapid.SampledFrom([]float64{0, 0.5, 2, -1}).Draw(t, "small scale")
				m.Rotate = recipe.Point{30 * near("a"), 30 * near("b"), 90}
				m.Move = recipe.Point{near("mx"), near("my"), near("mz")}
			}
		}
		if p.Camera.Eye != nil {
			p.Camera.Eye = &recipe.Point{4 + near("ex"), 4 + near("ey"), 4 + near("ez")}
			if p.Camera.Target != nil {
				p.Camera.Target = &recipe.Point{near("tx"), near("ty"), near("tz")}
			}
			if p.Camera.Upward != nil {
				p.Camera.Upward = &recipe.Point{0.3, 0.1, 1}
			}
			if p.Camera.Shift != [2]float64{} {
				p.Camera.Shift = [2]float64{near("sx") / 20, near("sy") / 20}
			}
			if p.Camera.Height != 0 {
				p.Camera.Height = 5
			}
		}
		p.Camera.Zoom = rapid.SampledFrom([]float64{0, 1, 2.5, 0.5}).Draw(t, "near zoom")
		if p.Look.Field != "" {
			p.Look.Field = rapid.SampledFrom(fields).Draw(t, "real field")
			if p.Look.Range != [2]float64{} {
				p.Look.Range = [2]float64{-0.5, 0.7}
			}
		}
		for i := range p.Cuts.Sections {
			c := &p.Cuts.Sections[i]
			if c.Offset = 30 + 20*near("offset"); !c.Percent {
				c.Offset /= 100
			}
		}
		for i := range p.Parts.Colors {
			p.Parts.Colors[i].Part = "0"
		}
		if p.Parts.Only = nil; len(p.Parts.Hide) > 0 {
			p.Parts.Hide = []recipe.Part{"0"}
		}
		if p.Cuts.Box != (recipe.Box{}) {
			p.Cuts.Box = recipe.Box{Low: [3]float64{-1, -1, -1}, High: [3]float64{0.8, 0.9, 2}}
		}
		if p.Lines.Width > 10 {
			p.Lines.Width = 4
		}
		if p.Crop != (recipe.Rect{}) {
			p.Crop = recipe.Rect{X: 1, Y: 2, Width: min(p.Crop.Width, 30), Height: 30}
		}
		return p
	})
}

// Animation returns a generator of valid animations.
func Animation() *rapid.Generator[recipe.Animation] {
	return rapid.Custom(func(t *rapid.T) recipe.Animation {
		a := recipe.Animation{Picture: Picture().Draw(t, "picture"), Frames: rapid.SampledFrom([]int{0, 1, 3, 72, 90}).Draw(t, "frames")}
		a.Picture.Sheet, a.Picture.Trim = 0, false
		a.Motion = rapid.SampledFrom([]string{"", "turntable", "still", "orbit", "flyby", "views", "keyframes"}).Draw(t, "motion")
		if a.Motion != "" && a.Motion != "turntable" && a.Motion != "still" {
			a.Picture.Camera.Eye = nil
			a.Picture.Camera.Target, a.Picture.Camera.Upward, a.Picture.Camera.Height, a.Picture.Camera.Shift = nil, nil, 0, [2]float64{}
		}
		if v := a.Picture.Camera.View; a.Motion == "orbit" && v != nil {
			v.Elevation = min(max(v.Elevation, -recipe.SteepestOrbit), recipe.SteepestOrbit)
		}
		if a.Motion == "flyby" && a.Picture.Camera.Projection == "orthographic" {
			a.Picture.Camera.Projection = ""
		}
		if a.Motion == "keyframes" {
			for k := range rapid.IntRange(1, 3).Draw(t, "keyframes") {
				eye := point().Draw(t, "eye")
				a.Keyframes = append(a.Keyframes, recipe.Keyframe{Frame: float64(k) * 2.5, Eye: &eye, Target: point().Draw(t, "target"), Fov: rapid.SampledFrom([]float64{0, 45}).Draw(t, "fov"), Zoom: rapid.SampledFrom([]float64{0, 2}).Draw(t, "zoom")})
			}
			if rapid.Bool().Draw(t, "motion is clear") {
				a.Motion = ""
			}
			return a
		}
		if a.Motion != "views" && rapid.Bool().Draw(t, "played") {
			a.Clip, a.Picture.Clip, a.Picture.Time = rapid.SampledFrom([]string{"walk", "2", "--x"}).Draw(t, "clip"), "", nil
			return a
		}
		for range rapid.IntRange(0, 2).Draw(t, "more") {
			a.More = append(a.More, recipe.Mesh{File: fileName().Draw(t, "further file"), Up: axisName().Draw(t, "further up")})
		}
		return a
	})
}

// Moving returns a generator of animations of a few frames. The pictures of the frames are those that Drawable
// generates. Most of these animations can be drawn.
func Moving(files, fields []string) *rapid.Generator[recipe.Animation] {
	return rapid.Custom(func(t *rapid.T) recipe.Animation {
		a := recipe.Animation{Picture: Drawable(files, fields).Draw(t, "picture"), Frames: rapid.IntRange(1, 4).Draw(t, "frames")}
		a.Picture.Sheet, a.Picture.Trim = 0, false
		if a.Picture.Camera.Eye == nil {
			// "views" is left out.
			a.Motion = rapid.SampledFrom([]string{"", "still", "orbit", "flyby", "keyframes"}).Draw(t, "motion")
		}
		switch v := a.Picture.Camera.View; {
		case a.Motion == "orbit" && v != nil:
			v.Elevation = min(max(v.Elevation, -recipe.SteepestOrbit), recipe.SteepestOrbit)
		case a.Motion == "flyby":
			a.Picture.Camera.Projection = ""
		case a.Motion == "keyframes":
			for k := range 2 {
				eye := recipe.Point{4 + rapid.Float64Range(-2, 2).Draw(t, "x"), 5, 3}
				a.Keyframes = append(a.Keyframes, recipe.Keyframe{Frame: 3 * float64(k), Eye: &eye})
			}
		}
		return a
	})
}
