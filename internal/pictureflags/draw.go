package pictureflags

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"lockstep/internal/budget"
	"lockstep/internal/cli"
	"lockstep/lb"
	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/render/recipe"
	"lockstep/vp/isa"
)

// Draw holds the flags that every command for drawing has.
type Draw struct {
	Mesh Path `arg:"" optional:"" name:"mesh" help:"Mesh file, - for standard input, or a scene."`

	Size recipe.Size  `short:"s" default:"1920x1080" placeholder:"WxH" help:"Pixels: WxH, W,H or N for a square (${default})."`
	View *recipe.View `placeholder:"VIEW" help:"AZ,EL, front, left, top, iso ... (30,20; flat 30,40)."`
	Zoom positiveFlag `default:"1" placeholder:"F" help:"Magnify about the picture's centre (${default})."`
	UpFlags
	Projection string      `enum:"perspective,orthographic" default:"perspective" placeholder:"KIND" help:"perspective or orthographic (${default})."`
	Fov        degreesFlag `default:"30" placeholder:"DEG" help:"Vertical field of view in degrees (${default})."`

	Look
	eyeFlags
	annotateFlags
	sectionFlags
	Config     configFlag `placeholder:"FILE" help:"TOML file of values for flags."`
	Recipe     recipeFlag `placeholder:"FILE" help:"Draw a recipe: JSON, or a PNG that render made."`
	DumpRecipe bool       `group:"data" help:"Print the recipe that the flags make, as JSON, and draw nothing."`
	DPI        dpiFlag    `name:"dpi" placeholder:"N" help:"Resolution that files state, in dots per inch."`
	Small      bool       `group:"data" help:"Smaller files, in more time."`

	ReadFlags
	MeshFormat string          `kong:"-"` // format of the mesh; empty if the contents determine it
	given      map[string]bool // names of the flags on the command line
	first      recipe.Mesh     // placement and colour of the first mesh, without its name
	namesSplit bool            // whether SplitMeshes was called
	Part       recipe.Picture  `kong:"-"` // Crop, Trim, Sheet and FirstAngle, set by commands that have these flags
	// ChecksSize means that the command checks the size of the picture itself. Commands for single pictures set it,
	// because they can draw pictures that are too large for one renderer.
	ChecksSize bool `kong:"-"`
	// Resident means that the whole mesh has to be in memory.
	Resident bool `kong:"-"`

	Workers Workers   `default:"0" placeholder:"N" help:"Worker threads (0: one a core)."`
	Stats   statsFlag `placeholder:"KIND" help:"Statistics on standard error: text or json."`

	Isa     string    `group:"balancing" enum:"auto,generic,avx2,avx512" default:"auto" placeholder:"SET" help:"Instruction set: auto (the best of this processor), generic, avx2 or avx512 (${default})."`
	Balance lb.Policy `group:"balancing" enum:"never,always,cost" default:"cost" placeholder:"WHEN" help:"When loops move work to idle lanes: never, always, or cost, where that saves more than it costs (${default})."`
	Leaves  Deferral  `group:"balancing" enum:"auto,never,always" default:"auto" placeholder:"WHEN" help:"When triangles that are probably hidden, and groups of them in large meshes, are drawn last or not at all: auto (where that pays), never or always (${default})."`
	Explain bool      `group:"balancing" help:"Print on standard error, after the work, how much time balancing saved, and then what was moved, the estimated cost and what came of it: a line for each loop."`
	Trace   Path      `group:"balancing" placeholder:"FILE" help:"Also write what the lockstep loops did, iteration by iteration, for lockstep-bench trace: JSON lines. Frames take longer."`
}

// SetGiven sets which flags are on the command line.
func (f *Draw) SetGiven(names map[string]bool) { f.given = names }

// IsGiven reports whether a flag is on the command line.
func (f *Draw) IsGiven(name string) bool { return f.given[name] }

// Picture returns the recipe that the flags describe.
func (f *Draw) Picture() recipe.Picture { return f.PictureOf(string(f.Mesh)) }

// PictureOf returns the recipe that the flags describe for one of several meshes.
func (f *Draw) PictureOf(mesh string) recipe.Picture {
	first := f.first
	first.File, first.Format, first.Up = mesh, f.MeshFormat, cmp.Or(f.upOf(mesh), f.first.Up)
	p := recipe.Picture{
		Meshes: append([]recipe.Mesh{first}, f.Add...),
		Size:   f.Size,
		Unit:   string(f.Unit),
		Clip:   f.Clip,
		Time:   (*float64)(f.Time),
		Camera: recipe.Camera{View: f.View, Zoom: float64(f.Zoom), Projection: f.Projection, Fov: float64(f.Fov), Fit: f.Fit, Eye: (*recipe.Point)(f.Eye), Target: (*recipe.Point)(f.Target), Upward: (*recipe.Point)(f.CameraUp), Height: float64(f.CameraHeight), Shift: f.CameraShift},
		Look: recipe.Look{
			Shading: f.Shading, Light: f.Light, Color: recipe.Color(f.Color), Background: recipe.Color(f.Background), Cull: f.Cull,
			Field: f.Field, Colormap: f.Colormap, Range: f.Range, PointSize: recipe.PointSize(f.PointSize), Crease: float64(f.Crease), Occlusion: f.Occlusion, EyeDome: f.EyeDome, Samples: int(f.Samples),
			Material: f.Material, Metallic: (*float64)(f.Metallic), Roughness: (*float64)(f.Roughness),
		},
		Parts: recipe.Parts{Colors: f.PartColor, Only: f.Only, Hide: f.Hide},
		Cuts:  recipe.Cuts{Sections: f.Section, Box: f.ClipBox, Color: recipe.Color(f.SectionColor)},
		Lines: recipe.Lines{
			Edges: f.Edges, Wireframe: f.Wireframe, Ground: f.Ground, Axes: f.Axes, Bounds: f.Bounds, ScaleBar: f.ScaleBar, Legend: f.Legend,
			Contours: int(f.Contours), LegendTitle: f.LegendTitle, Dimensions: f.Dimension, Label: f.Label, Width: float64(f.LineWidth), Color: recipe.Color(f.LineColor),
		},
		Crop: f.Part.Crop, Trim: f.Part.Trim, Sheet: f.Part.Sheet, FirstAngle: f.Part.FirstAngle,
	}
	for _, m := range f.Against {
		m.Against = true
		p.Meshes = append(p.Meshes, m)
	}
	p.Up = f.Up.text()
	if f.file != nil {
		f.file.fillCamera(&p.Camera)
	}
	if f.Fast {
		p.Fast()
	}
	return p
}

// Full returns the recipe with its defaults filled in.
func (f *Draw) Full() recipe.Picture { return f.Picture().Full() }

// Check returns an error for flags that contradict each other or that this version does not support.
func (f *Draw) Check() error {
	if err := f.eyeFlags.check(); err != nil {
		return err
	}
	p := f.Picture()
	if err := recipeError(p.Validate()); err != nil {
		return err
	}
	if _, err := isa.Select(f.Isa); err != nil {
		return cli.Usagef("--isa %s: %w", f.Isa, err)
	}
	if err := CheckThreads(int(f.Workers)); err != nil {
		return err
	}
	if f.ChecksSize {
		return nil
	}
	samples := p.Full().Look.Samples
	if most := MaxSide(samples); f.Size.Width > most || f.Size.Height > most {
		return cli.Usagef("--size %dx%d: expected at most %dx%d with --samples %d", f.Size.Width, f.Size.Height, most, most, samples)
	}
	return nil
}

// recipeError joins all faults of a recipe into one error of one line that names the flags. Other errors are returned
// unchanged.
func recipeError(err error) error {
	var faults recipe.Faults
	if !errors.As(err, &faults) {
		return err
	}
	lines := make([]string, len(faults))
	for i, fault := range faults {
		lines[i] = fault.FlagText()
	}
	return cli.Usagef("%s", strings.Join(lines, "; "))
}

// A Deferral decides whether groups of triangles that are probably hidden are drawn last. In text, lb.CostEffective is
// called auto.
type Deferral lb.Policy

// String returns auto, never or always.
func (d Deferral) String() string {
	if d == Deferral(lb.CostEffective) {
		return "auto"
	}
	return lb.Policy(d).String()
}

// UnmarshalText sets d to auto, never or always.
func (d *Deferral) UnmarshalText(text []byte) error {
	if string(text) == "auto" {
		*d = Deferral(lb.CostEffective)
		return nil
	}
	return (*lb.Policy)(d).UnmarshalText(text)
}

// Options returns the options of the renderer.
func (f *Draw) Options() render.Options {
	o := f.Picture().RenderOptions()
	o.Workers, o.Pin, o.Balance, o.ISA = int(f.Workers), true, f.Balance, f.Isa
	o.Leaves = lb.Policy(f.Leaves)
	return o
}

// CameraOptions returns the options of a camera for an input.
func (f *Draw) CameraOptions(in *recipe.Input) camera.Options {
	p := f.Picture()
	return p.CameraOptions(p.UpOf(in), in.Box)
}

// FitCamera returns the camera for a picture of the input.
func (f *Draw) FitCamera(ctx context.Context, in *recipe.Input) (render.Camera, error) {
	cam, err := f.Picture().Fit(ctx, in)
	return cam, f.FitError(ctx, err)
}

// FitError adds the exit code to an error of fitting a camera.
func (f *Draw) FitError(ctx context.Context, err error) error {
	return f.CameraError(recipe.FitError(ctx, err))
}

// CameraError adds the exit code to an error of drawing. If the camera comes from a file and cannot be used for the
// mesh, the error names that file.
func (f *Draw) CameraError(err error) error {
	var unfit *recipe.Error
	var coded *cli.Error
	if f.file != nil && !errors.As(err, &coded) && errors.As(err, &unfit) && unfit.Kind == recipe.Unfit {
		return cli.Inputf("%s: %w", f.Camera, unfit.Err)
	}
	return cli.DrawingError(err)
}

// CheckThreads returns an error if the limits of the process do not allow this many workers.
func CheckThreads(workers int) error {
	if err := budget.CheckWorkers(workers); err != nil {
		return cli.Usagef("%w", err)
	}
	return nil
}
