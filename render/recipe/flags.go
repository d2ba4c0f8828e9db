package recipe

import (
	"fmt"
	"strings"

	"lockstep/render/recipe/internal/fields"
)

// shortFlags maps short names of flags to long names.
var shortFlags = map[string]string{"s": "size"}

// Args returns the shortest arguments with which the command render draws the picture. They are flags for all values
// that differ from the default, and the mesh. Parse returns the recipe again, in its normal form.
func (p Picture) Args() (args []string) {
	p = p.Normal()
	args = fields.Args(&p)
	fast := p.withoutFast()
	// If the recipe does not set samples and fit, their values depend on the mesh. But --fast would set both.
	if !p.hasFineSamples(0) && fast.Camera.Fit == "" {
		if fast := fields.Args(&fast); len(fast)+1 < len(args) {
			args = append([]string{"--fast"}, fast...)
		}
	}
	for i, m := range p.Meshes {
		switch {
		case i == 0:
		case m.Against:
			args = append(args, "--against="+m.argument(true))
		default:
			args = append(args, "--add="+m.argument(true))
		}
	}
	if len(p.Meshes) > 0 {
		first := p.Meshes[0]
		if first.Format != "" {
			args = append(args, "--format="+first.Format)
		}
		name := first.argument(false)
		if looksLikeFlag(name) {
			args = append(args, "--")
		}
		args = append(args, name)
	}
	return args
}

// withoutFast returns the recipe whose arguments are needed in addition to --fast. A field that --fast sets to the
// right value is empty. A field that --fast sets to another value has the value of the recipe.
func (p Picture) withoutFast() Picture {
	fast, full := p, p.full()
	l := &fast.Look
	l.Shading, l.Occlusion, l.Samples, l.Background, fast.Camera.Fit, fast.Lines.Ground = "", "", 0, "", "", nil
	fast.setFast()
	fast = fast.full()
	leave := func(field *string, full, fast string) {
		if *field = full; full == fast {
			*field = ""
		}
	}
	leave(&p.Look.Shading, full.Look.Shading, fast.Look.Shading)
	leave(&p.Look.Occlusion, full.Look.Occlusion, fast.Look.Occlusion)
	leave((*string)(&p.Look.Background), string(full.Look.Background), string(fast.Look.Background))
	leave(&p.Camera.Fit, full.Camera.Fit, fast.Camera.Fit)
	if p.Look.Samples = full.Look.Samples; p.Look.Samples == fast.Look.Samples {
		p.Look.Samples = 0
	}
	if p.Lines.Ground = full.Lines.Ground; *p.Lines.Ground == *fast.Lines.Ground {
		p.Lines.Ground = nil
	}
	return p
}

// Parse reads arguments in the form of Args, in any order. It returns the recipe in its normal form. It does not accept
// flags of outputs and of workers.
func Parse(args []string) (Picture, error) {
	var p Picture
	r := commandLine{fields: map[string]fields.Field{}}
	for _, f := range fields.Of(&p) {
		r.fields[f.Flag] = f
	}
	for len(args) > 0 {
		var err error
		if args, err = r.readNext(args); err != nil {
			return Picture{}, err
		}
	}
	p.Meshes = r.meshes
	if r.format != "" {
		if len(r.meshes) == 0 {
			return Picture{}, fmt.Errorf("--format: there is no mesh")
		}
		p.Meshes[0].Format = r.format
	}
	if r.fast {
		p.setFast()
	}
	return p.Normal(), nil
}

// A commandLine collects values during Parse before they are stored in the recipe.
type commandLine struct {
	fields map[string]fields.Field // field of each flag
	meshes []Mesh
	format string
	fast   bool
}

// readNext reads the first argument and its value. It returns the remaining arguments.
func (r *commandLine) readNext(args []string) (rest []string, err error) {
	arg, args := args[0], args[1:]
	name, isFlag := flagName(arg)
	if !isFlag {
		if arg == "--" {
			return nil, r.addMeshes(args)
		}
		return args, r.addMeshes([]string{arg})
	}
	name, value, given := strings.Cut(name, "=")
	if long := shortFlags[name]; long != "" {
		name = long
	}
	f, known := r.fields[name]
	if positive, no := strings.CutPrefix(name, "no-"); no && !known && r.fields[positive].IsChoice() {
		f, known = r.fields[positive], true
	}
	isBool := name == "fast" || known && f.IsBool()
	switch {
	case isBool && given:
		return nil, fmt.Errorf("--%s: expected no value", name)
	case !isBool && !given && len(args) == 0:
		return nil, fmt.Errorf("--%s: expected a value", name)
	case !isBool && !given:
		value, args = args[0], args[1:]
	}
	return args, r.set(name, value, f, known)
}

// addMeshes inserts the named meshes before those of --add, which were read already. The mesh without a flag comes
// first.
func (r *commandLine) addMeshes(names []string) error {
	for _, name := range names {
		m, err := parseMesh(name)
		if err != nil {
			return err
		}
		r.meshes = append([]Mesh{m}, r.meshes...)
	}
	return nil
}

// set sets the field of a flag to a value. If `known` is true, f is the field of the flag.
func (r *commandLine) set(name, value string, f fields.Field, known bool) error {
	switch {
	case name == "fast":
		r.fast = true
	case name == "format":
		r.format = value
	case name == "add" || name == "against":
		m, err := parseMesh(value)
		if err != nil {
			return fmt.Errorf("--%s: %w", name, err)
		}
		m.Against = name == "against"
		r.meshes = append(r.meshes, m)
	case !known:
		return fmt.Errorf("--%s: no flag of a picture has this name", name)
	case f.IsBool():
		f.Choose(name == f.Flag)
	default:
		if err := f.Set(value); err != nil {
			return fmt.Errorf("--%s: %w", name, err)
		}
	}
	return nil
}

// flagName returns an argument without its dashes, and whether it is a flag. The result includes a value after =.
func flagName(arg string) (string, bool) {
	if name, ok := strings.CutPrefix(arg, "--"); ok && name != "" {
		return name, true
	}
	if len(arg) == 2 && arg[0] == '-' && shortFlags[arg[1:]] != "" {
		return arg[1:], true
	}
	return "", false
}
