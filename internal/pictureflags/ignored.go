package pictureflags

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/alecthomas/kong"

	"lockstep/scenes/distance"
	"lockstep/scenes/procedural"
)

// RuleContext holds the properties of a command that determine which flags for pictures have no effect.
type RuleContext struct {
	Sheet            bool // the command draws several views in one picture
	Cells            bool // the command draws several meshes in one picture
	Keyframes, Flyby bool // motions that place the camera
	// Kind is the format of the files: png, webp and so on.
	Kind string
	// Lines means that the output is a line drawing. A line drawing has edges even without flags for edges.
	Lines bool
	// Read means that --format, if given, names the format of the mesh. Otherwise it names the format of the picture.
	Read bool
}

// A Rule says why some flags of a picture have no effect.
type Rule struct {
	Flags string // names, separated by spaces
	Why   string // empty if the flags have an effect
}

// Rules returns the rules for flags of pictures. Flags that contradict others are not included, because Check rejects
// them.
func (d *Draw) Rules(b RuleContext) []Rule {
	return []Rule{
		{"view", d.reasonToIgnoreView(b, "--contact-sheet has views of its own")},
		{"fit", cmp.Or(d.reasonToIgnoreView(b, ""), reasonUnless(!b.Sheet, sheetScale))},
		{"zoom", d.cameraFileReason(func(c *cameraFile) bool { return c.Zoom != 0 || c.Height != 0 })},
		{"first-angle", reasonUnless(b.Sheet, "it is for --contact-sheet")},
		{"fov", cmp.Or(reasonUnless(!b.Sheet, "an orthographic picture has none"), d.cameraFileReason(func(c *cameraFile) bool { return c.FOV != 0 }), reasonUnless(!d.isOrthographic(), "an orthographic picture has none"))},
		{"projection", cmp.Or(reasonUnless(!b.Sheet, "--contact-sheet is orthographic"), d.cameraFileReason(func(c *cameraFile) bool { return c.Projection != "" }))},
		{"colormap", reasonUnless(d.Field != "" || d.drawsDistances(), "without --field there are no numbers to colour by")},
		{"against", reasonUnless(d.drawsDistances(), "--field colours the mesh")},
		{"color", reasonUnless(!d.drawsDistances() || d.Color == "source", "--against colours the mesh")},
		{"crease", reasonUnless(d.Full().Look.Shading == "smooth" || d.Edges || b.Lines, "it is for smooth shading and --edges")},
		{"section-color", reasonUnless(d.hasCuts(), "without --section and --clip-box there is no cut")},
		{"unit", reasonUnless(d.Bounds || d.ScaleBar || len(d.Dimension) > 0 || d.drawsDistances(), "no length is written: it is for --bounds, --dimension and --scale-bar")},
		{"line-width", reasonUnless(d.hasLines() || b.Lines, "there are no lines")},
		{"line-color", reasonUnless(d.hasLines() || d.Label != "" || b.Lines, "there are no lines and no text")},
		{"legend-title", reasonUnless(d.Legend, "it is for --legend")},
		{"label", reasonUnless(!b.Cells, "--sheet writes the names of meshes")},
		{"format", reasonUnless(!b.Read || !strings.HasPrefix(string(d.Mesh), procedural.Prefix), "a scene is no file")},
		{"small", reasonUnless(b.Kind == "png" || b.Kind == "webp", "it is for PNG and WebP")},
	}
}

const sheetScale = "views of --contact-sheet have one scale"

// drawsDistances reports whether distances from another mesh are drawn.
func (d *Draw) drawsDistances() bool {
	return len(d.Against) > 0 && (d.Field == "" || d.Field == distance.FieldName)
}

// reasonToIgnoreView returns the reason why --view has no effect, or "" if it has an effect. For example, another flag
// may place the camera. The reason for a contact sheet, which has its own views, is the parameter `sheet`.
//
// With "" for `sheet`, the result is the reason why --fit has no effect. The flag --fit works for contact sheets, but
// not with --flyby.
func (d *Draw) reasonToIgnoreView(b RuleContext, sheet string) string {
	switch {
	case d.IsCameraPlaced():
		return d.placingFlag() + " places the eye"
	case b.Sheet && sheet != "":
		return sheet
	case b.Keyframes:
		return "--keyframes places the eye"
	case b.Flyby && sheet == "":
		return "--flyby goes past the box"
	}
	return ""
}

// reasonUnless returns "" if a flag has an effect (`counts` is true). Otherwise it returns `why`, the reason why the
// flag is ignored.
func reasonUnless(counts bool, why string) string {
	if counts {
		return ""
	}
	return why
}

// placingFlag returns the flag that places the camera.
func (f *eyeFlags) placingFlag() string {
	if f.Eye != nil {
		return "--eye"
	}
	return "--camera"
}

// cameraFileReason returns a reason to ignore a flag if the file of --camera has a value for it. The function has
// reports whether the file has that value.
func (d *Draw) cameraFileReason(has func(c *cameraFile) bool) string {
	return reasonUnless(d.file == nil || !has(d.file), "the file of --camera has its own")
}

// isOrthographic reports whether the picture is orthographic, by a flag or by the file of --camera.
func (d *Draw) isOrthographic() bool {
	if d.file != nil && d.file.Projection != "" {
		return d.file.Projection == "orthographic"
	}
	return d.Projection == "orthographic"
}

// hasLines reports whether any lines are drawn.
func (f *annotateFlags) hasLines() bool {
	return f.Edges || f.Wireframe || f.Axes || f.Bounds || f.ScaleBar || f.Legend || len(f.Dimension) > 0 || f.Contours > 0
}

// givenFlags returns the names of the flags on the command line.
func givenFlags(ctx *kong.Context) map[string]bool {
	given := map[string]bool{}
	for _, p := range ctx.Path {
		if p.Flag != nil && !p.Resolved {
			given[p.Flag.Name] = true
		}
	}
	return given
}

// Ignored returns a warning for each flag on the command line that has no effect. The parameter more holds further
// rules of the command. Ignored must be called after Check.
func (d *Draw) Ignored(b RuleContext, more ...Rule) (warnings []string) {
	for _, r := range append(d.Rules(b), more...) {
		for name := range strings.FieldsSeq(r.Flags) {
			if d.given[name] && r.Why != "" {
				warnings = append(warnings, fmt.Sprintf("--%s is ignored: %s", name, r.Why))
			}
		}
	}
	return warnings
}
