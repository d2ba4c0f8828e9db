package recipe

import (
	"strings"

	"lockstep/render/recipe/internal/fields"
	"lockstep/render/recipe/internal/material"
	"lockstep/render/recipe/internal/units"
	"lockstep/scenes"
	"lockstep/scenes/distance"
)

// DefaultSize is the size of pictures if the recipe has no size.
var DefaultSize = Size{1920, 1080}

// Defaults of fields that are zero or empty.
const (
	defaultZoom   = 1
	defaultFov    = 30
	defaultCrease = 35
	defaultCut    = "c9885b"
	defaultMap    = "viridis"
)

// setFast sets all fields without a value to the fast look: flat shading, no occlusion and no shadow, one sample per
// pixel, a camera fitted by the box, and a plain background.
func (p *Picture) setFast() {
	fill := func(field *string, value string) {
		if *field == "" || *field == "auto" {
			*field = value
		}
	}
	fill(&p.Look.Shading, "flat")
	fill(&p.Look.Occlusion, "off")
	fill(&p.Camera.Fit, "box")
	if p.Look.Light != "headlight" {
		fill((*string)(&p.Look.Background), FastBackground)
	}
	if p.Lines.Ground == nil {
		p.Lines.Ground = new(bool)
	}
	if p.Look.Samples == 0 {
		p.Look.Samples = 1
	}
}

// full returns the recipe with all defaults filled in, except for pointers of the camera, which may stay nil.
func (p Picture) full() Picture {
	fill := func(field *string, value string) {
		if *field == "" || *field == "auto" {
			*field = value
		}
	}
	if p.Size == (Size{}) {
		p.Size = DefaultSize
	}
	l := &p.Look
	fill(&l.Light, "studio")
	if l.Light == "headlight" { // a headlight has no smooth shading, no occlusion and no eye-dome light
		l.Shading, l.Occlusion, l.EyeDome = "flat", "off", "off"
	}
	fill(&l.Shading, "smooth")
	fill(&l.Occlusion, "on")
	fill(&l.EyeDome, "on")
	fill(&l.Cull, "none")
	fill(&l.Material, material.Plaster)
	plainMap := defaultMap
	if p.showsDistances() {
		l.Field, plainMap = distance.FieldName, againstMap
	}
	fill(&l.Colormap, plainMap)
	l.Color = p.bodyText()
	fill((*string)(&l.Color), "source")
	background := Color("none")
	if l.Light != "headlight" {
		background = Gradient
		if p.Sheet > 0 { // a sheet is a drawing on plain paper
			background = FastBackground
		}
	}
	fill((*string)(&l.Background), string(background))
	if p.Lines.Ground == nil {
		p.Lines.Ground = new(l.Light != "headlight" && l.Background != "none" && p.Sheet == 0)
	}
	if l.Crease == 0 {
		l.Crease = defaultCrease
	}
	if l.Samples == 0 {
		l.Samples = autoSamples(p.Size)
	}
	p.fillCamera(fill)
	fill((*string)(&p.Cuts.Color), defaultCut)
	return p
}

// fillCamera fills in the defaults of the camera. fill sets a field that is empty or auto.
func (p *Picture) fillCamera(fill func(field *string, value string)) {
	c := &p.Camera
	fit := "tight"
	if p.Lines.Bounds {
		fit = "box"
	}
	fill(&c.Fit, fit)
	if c.Fit == "vertices" {
		c.Fit = "tight"
	}
	if p.Sheet > 0 {
		c.Projection, c.Fit = "orthographic", "box"
	}
	fill(&c.Projection, "perspective")
	if c.Zoom == 0 {
		c.Zoom = defaultZoom
	}
	if c.Fov == 0 {
		c.Fov = defaultFov
	}
}

// Normal returns the recipe in its normal form. Recipes with the same normal form give the same picture. In it:
//
//   - Values are zero if they are the default or have no effect because of other values.
//   - Colours are RRGGBB.
//   - The colour and up axis of the first mesh are stored in the picture.
func (p Picture) Normal() Picture {
	p = p.clone()
	p.normalWords()
	p.normalizeAgainst()
	p.dropIgnored()
	full := p.full()
	drop := func(field *string, value string) {
		if *field == value || *field == "auto" {
			*field = ""
		}
	}
	if p.Size == DefaultSize {
		p.Size = Size{}
	}
	c, l := &p.Camera, &p.Look
	// Set values to zero that are equal to their defaults. A default may depend on other values.
	without := p
	without.Look.Shading, without.Look.Occlusion, without.Look.EyeDome, without.Look.Samples, without.Camera.Fit = "", "", "", 0, ""
	without.Lines.Ground = nil
	auto := without.full()
	without.Look.Background, without.Look.Colormap = "", ""
	plain := without.full().Look.Background
	drop(&l.Light, "studio")
	drop(&l.Shading, auto.Look.Shading)
	drop(&l.Occlusion, auto.Look.Occlusion)
	drop(&l.EyeDome, auto.Look.EyeDome)
	drop((*string)(&l.Background), string(plain))
	if p.Lines.Ground != nil && *p.Lines.Ground == *auto.Lines.Ground {
		p.Lines.Ground = nil
	}
	drop((*string)(&l.Color), "source")
	drop(&l.Cull, "none")
	if plainMap := without.full().Look.Colormap; l.Colormap == plainMap {
		l.Colormap = ""
	}
	drop(&c.Projection, "perspective")
	if c.Fit = full.Camera.Fit; c.Fit == auto.Camera.Fit || p.hasEye() {
		c.Fit = ""
	}
	if finer := (&without).hasFineSamples(0); l.Samples == auto.Look.Samples && !finer { // if finer, the default depends on the mesh
		l.Samples = 0
	}
	for field, value := range map[*float64]float64{&l.Crease: defaultCrease, &c.Zoom: defaultZoom, &c.Fov: defaultFov} {
		if *field == value {
			*field = 0
		}
	}
	drop((*string)(&p.Cuts.Color), defaultCut)
	fields.PositiveZeros(&p)
	return p
}

// clone returns a deep copy of the recipe.
func (p Picture) clone() Picture {
	p.Meshes = append([]Mesh(nil), p.Meshes...)
	p.Cuts.Sections = append([]Plane(nil), p.Cuts.Sections...)
	p.Parts.Colors = append([]PartColor(nil), p.Parts.Colors...)
	p.Parts.Only, p.Parts.Hide = append([]Part(nil), p.Parts.Only...), append([]Part(nil), p.Parts.Hide...)
	if v := p.Camera.View; v != nil {
		view := *v
		p.Camera.View = &view
	}
	if ground := p.Lines.Ground; ground != nil {
		p.Lines.Ground = new(*ground)
	}
	for _, number := range []**float64{&p.Look.Metallic, &p.Look.Roughness, &p.Time} {
		if *number != nil {
			*number = new(**number)
		}
	}
	for _, point := range []**Point{&p.Camera.Eye, &p.Camera.Target, &p.Camera.Upward} {
		if *point != nil {
			q := **point
			*point = &q
		}
	}
	return p
}

// normalWords converts words, colours and axes to their normal form.
func (p *Picture) normalWords() {
	for _, c := range []*Color{&p.Look.Color, &p.Look.Background, &p.Cuts.Color, &p.Lines.Color} {
		*c = c.normalForm()
	}
	for i := range p.Parts.Colors {
		p.Parts.Colors[i].Color = p.Parts.Colors[i].Color.normalForm()
	}
	if p.Lines.Color == "auto" {
		p.Lines.Color = ""
	}
	p.Up, p.Unit = normalAxis(p.Up), units.Normal(p.Unit)
	if p.Clip != "" && p.Time == nil {
		p.Time = new(float64)
	}
	for i := range p.Meshes {
		m := &p.Meshes[i]
		m.Color, m.Up, m.Format = m.Color.normalForm(), normalAxis(m.Up), strings.ToLower(m.Format)
		if m.Format == "auto" || m.IsScene() {
			m.Format = ""
		}
		if m.Scale == 1 {
			m.Scale = 0
		}
	}
	if len(p.Meshes) == 0 {
		return
	}
	first := &p.Meshes[0]
	p.Look.Color, first.Color = p.bodyText(), ""
	if first.Up != "" {
		p.Up, first.Up = first.Up, ""
	}
}

// bodyText returns the colour that the recipe gives to the first mesh. Look.Color takes precedence over the colour of
// the mesh.
func (p *Picture) bodyText() Color {
	if (p.Look.Color == "" || p.Look.Color == "source") && len(p.Meshes) > 0 {
		return p.Meshes[0].Color
	}
	return p.Look.Color
}

// normalAxis returns the normal name of an axis. It returns "" for auto. If s is not an axis, it returns s.
func normalAxis(s string) string {
	if axis, err := scenes.ParseAxis(s); err == nil {
		return axis.String()
	}
	if s == "auto" {
		return ""
	}
	return s
}

// hasEye reports whether the recipe has a position of the eye. In that case no camera is fitted.
func (p *Picture) hasEye() bool { return p.Camera.Eye != nil }

// hasLines reports whether any lines are drawn.
func (l *Lines) hasLines() bool {
	return l.Edges || l.Wireframe || l.Axes || l.Bounds || l.ScaleBar || l.Legend || len(l.Dimensions) > 0 || l.Contours > 0
}

// dropIgnored sets fields to zero if they have no effect because of other fields. The program cmd/render warns about
// flags of such fields.
func (p *Picture) dropIgnored() {
	full := p.full()
	l := &p.Look
	if full.Look.Field == "" {
		l.Colormap, l.Range = "", [2]float64{}
	} else {
		l.Color = ""
	}
	if l.Range[0] == l.Range[1] {
		l.Range = [2]float64{}
	}
	if full.Look.Light == "headlight" {
		l.Shading, l.Occlusion = "", ""
	}
	if full.Look.showsFinish() {
		material.Normal(&l.Material, &l.Metallic, &l.Roughness)
	} else {
		l.Material, l.Metallic, l.Roughness = "", nil, nil
	}
	if full.Look.Shading != "smooth" && !p.Lines.Edges {
		l.Crease = 0
	}
	p.dropIgnoredCamera(full.Camera.Projection)
	if len(p.Cuts.Sections) == 0 {
		p.Cuts.Sections = nil
		if p.Cuts.Box == (Box{}) {
			p.Cuts.Color = ""
		}
	}
	if !p.Lines.Legend {
		p.Lines.LegendTitle = ""
	}
	if len(p.Lines.Dimensions) == 0 {
		p.Lines.Dimensions = nil
	}
	if !p.Lines.Bounds && !p.Lines.ScaleBar && len(p.Lines.Dimensions) == 0 && !p.showsDistances() {
		p.Unit = ""
	}
	if !p.Lines.hasLines() {
		p.Lines.Width = 0
		if p.Lines.Label == "" {
			p.Lines.Color = ""
		}
	}
	if whole := full.Size; p.Crop == (Rect{0, 0, whole.Width, whole.Height}) {
		p.Crop = Rect{}
	}
}

// dropIgnoredCamera is like dropIgnored, for the camera. projection is the projection with its default filled in.
func (p *Picture) dropIgnoredCamera(projection string) {
	c := &p.Camera
	if projection == "orthographic" {
		c.Fov = 0
	} else {
		c.Height = 0
	}
	if p.hasEye() {
		c.View, c.Fit = nil, ""
		if c.Height != 0 {
			c.Zoom = 0
		}
	} else {
		c.Target, c.Upward, c.Height, c.Shift = nil, nil, 0, [2]float64{}
	}
	if p.Sheet != 0 {
		c.View, c.Projection, c.Fit = nil, "", ""
	} else {
		p.FirstAngle = false
	}
}

// Fast sets all fields without a value to the fast look: flat shading, no occlusion and no shadow, one sample per
// pixel, a camera fitted by the box, and a plain background. Such pictures stream files of any size in constant memory.
func (p *Picture) Fast() { p.setFast() }
