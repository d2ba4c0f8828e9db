package main

import (
	"strings"

	"github.com/alecthomas/kong"

	"lockstep/internal/framename"
)

// allFlags are the flags of a command that draws.
type allFlags struct {
	*drawFlags
	image   *imageCommand   // nil: another command
	animate *animateCommand // of render film, too
	film    *filmCommand
}

// A rule says beside what flags are ignored.
type rule struct {
	flags string                   // names with spaces between them
	why   func(d *allFlags) string // empty: they count
}

// unheededRules are the rules for flags that the user gave. What contradicts another flag, and is no
// mere addition to it, is refused elsewhere.
var unheededRules = []rule{
	{"view", func(d *allFlags) string {
		switch {
		case d.placed():
			return d.placedBy() + " places the eye"
		case d.image != nil && d.image.ContactSheet > 0:
			return "--contact-sheet has views of its own"
		case d.animate != nil && d.animate.Keyframes != "":
			return "--keyframes places the eye"
		}
		return ""
	}},
	{"fit", func(d *allFlags) string {
		switch {
		case d.placed():
			return d.placedBy() + " places the eye"
		case d.animate != nil && d.animate.Keyframes != "":
			return "--keyframes places the eye"
		case d.animate != nil && d.animate.Flyby:
			return "--flyby goes past the box"
		}
		return ""
	}},
	{"zoom", func(d *allFlags) string {
		return d.cameraHas(func(c *cameraFile) bool { return c.Zoom != 0 || c.Height != 0 })
	}},
	{"fov", func(d *allFlags) string {
		if why := d.cameraHas(func(c *cameraFile) bool { return c.FOV != 0 }); why != "" {
			return why
		}
		return map[bool]string{true: "an orthographic picture has none"}[d.orthographic()]
	}},
	{"projection", func(d *allFlags) string { return d.cameraHas(func(c *cameraFile) bool { return c.Projection != "" }) }},
	{"colormap", func(d *allFlags) string {
		return unless(d.Field != "", "without --field there are no numbers to colour by")
	}},
	{"crease", func(d *allFlags) string {
		return unless(d.full().Look.Shading == "smooth" || d.Edges, "it is for smooth shading and --edges")
	}},
	{"section-color", func(d *allFlags) string { return unless(d.cuts(), "without --section and --clip-box there is no cut") }},
	{"unit", func(d *allFlags) string {
		return unless(d.Bounds || d.ScaleBar, "no length is written: it is for --bounds and --scale-bar")
	}},
	{"line-width", func(d *allFlags) string { return unless(d.lines(), "there are no lines") }},
	{"line-color", func(d *allFlags) string { return unless(d.lines() || d.Label != "", "there are no lines and no text") }},
	{"format", func(d *allFlags) string {
		read := d.image == nil || d.image.Format.mesh != ""
		return unless(!read || !strings.HasPrefix(string(d.Mesh), sceneScheme), "a scene is no file")
	}},
	{"small", func(d *allFlags) string {
		kind := d.kind()
		return unless(kind == "png" || kind == "webp", "it is for PNG and WebP")
	}},
	{"explain", func(d *allFlags) string {
		return unless(d.film == nil || d.film.splits(), "processes draw frames of their own: it is for --split")
	}},
	{"resume", func(d *allFlags) string { return unless(d.film == nil, "a film keeps its pictures anyway") }},
	{"when how", func(d *allFlags) string {
		return unless(d.film.splits(), "no frame is drawn by several processes: it is for --split")
	}},
	{"via", func(d *allFlags) string { return unless(!d.film.splits(), "all processes draw each frame") }},
	{"key", func(d *allFlags) string { return unless(d.film.Server != "", "it is for --server") }},
	{"priority", func(d *allFlags) string {
		return unless(d.film.isOpen(), "no other film is beside this one: it is for --server")
	}},
}

// unless returns why a flag is ignored, unless it does.
func unless(counts bool, why string) string {
	if counts {
		return ""
	}
	return why
}

// placedBy returns the flag that places the eye.
func (f *eyeFlags) placedBy() string {
	if f.Eye != nil {
		return "--eye"
	}
	return "--camera"
}

// cameraHas says that the file of --camera has what a flag says, if so.
func (d *allFlags) cameraHas(has func(c *cameraFile) bool) string {
	return unless(d.file == nil || !has(d.file), "the file of --camera has its own")
}

// orthographic reports whether pictures are, by a flag or the file of --camera.
func (d *allFlags) orthographic() bool {
	if d.file != nil && d.file.Projection != "" {
		return d.file.Projection == "orthographic"
	}
	return d.Projection == "orthographic"
}

// lines reports whether any lines are drawn.
func (f *annotateFlags) lines() bool {
	return f.Edges || f.Wireframe || f.Axes || f.Bounds || f.ScaleBar || f.Legend
}

// kind returns the format of the pictures or the film: an extension, where it has no other name.
func (d *allFlags) kind() string {
	switch {
	case d.image != nil && !d.image.several():
		return pictureKind(string(d.image.Output), d.image.Format.picture)
	case d.animate != nil && framename.IsAnimation(string(d.animate.Output)):
		name := strings.ToLower(string(d.animate.Output))
		if strings.HasSuffix(name, ".apng") {
			return "png"
		}
		return name[strings.LastIndexByte(name, '.')+1:]
	}
	return "png"
}

// givenFlags returns the names of the flags of the command line.
func givenFlags(ctx *kong.Context) map[string]bool {
	given := map[string]bool{}
	for _, p := range ctx.Path {
		if p.Flag != nil && !p.Resolved {
			given[p.Flag.Name] = true
		}
	}
	return given
}

// warnUnheeded warns of flags of the command line that do not count, after they were checked.
func (a *app) warnUnheeded(d allFlags) {
	for _, r := range unheededRules {
		for name := range strings.FieldsSeq(r.flags) {
			if !d.given[name] {
				continue
			}
			if why := r.why(&d); why != "" {
				a.Warn("--%s is ignored: %s", name, why)
			}
		}
	}
}
