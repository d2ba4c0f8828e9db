package main

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"

	"lockstep/render"
	"lockstep/scenes"
	"lockstep/scenes/join"
)

// An addition is a further mesh of a picture.
type addition struct {
	text, mesh string
	color      *uint32
	transform  *scenes.Affine
	up         *scenes.Axis // that is turned to the picture's; nil: none
}

// additionsFlag are further meshes.
type additionsFlag []addition

// Decode implements kong.MapperValue. Every call adds a mesh.
func (f *additionsFlag) Decode(ctx *kong.DecodeContext) error {
	s, err := popValue(ctx, func(string) bool { return false })
	if err != nil {
		return err
	}
	a, err := parseAddition(s)
	if err != nil {
		return err
	}
	*f = append(*f, a)
	return nil
}

var additionKeys = []string{"color", "scale", "rotate", "move", "up"}

// parseAddition reads MESH:key=value:..., from its end, for meshes may have colons.
func parseAddition(s string) (a addition, err error) {
	a.text = s
	scale, rotate, move := 1.0, []float64{0, 0, 0}, []float64{0, 0, 0}
	placed := false
	for {
		at := strings.LastIndexByte(s, ':')
		key, value, ok := strings.Cut(s[at+1:], "=")
		if at < 1 || !ok || !slices.Contains(additionKeys, key) {
			break // of the mesh's name
		}
		good := true
		switch key {
		case "color":
			var rgb render.RGB
			rgb, good = parseColor(value)
			color := uint32(rgb)
			a.color = &color
		case "scale":
			scale, err = strconv.ParseFloat(value, 64)
			good, placed = err == nil && finite(scale) && scale != 0, true
		case "rotate":
			rotate, good = numbers(value, 3)
			placed = true
		case "up":
			var axis scenes.Axis
			axis, err = scenes.ParseAxis(value)
			a.up, good = &axis, err == nil
		case "move":
			move, good = numbers(value, 3)
			placed = true
		}
		if !good {
			return a, fmt.Errorf("%q: expected MESH, then :color=RRGGBB, :up=AXIS, :scale=F, :rotate=X,Y,Z in degrees or :move=X,Y,Z", a.text)
		}
		s = s[:at]
	}
	if a.mesh = s; s == "" || s == "-" {
		return a, fmt.Errorf("%q: expected a file or a scene", a.text)
	}
	if placed {
		a.transform = placement(scale, rotate, move)
	}
	return a, nil
}

// placement returns the map that scales, turns about x, y and then z, and moves.
func placement(scale float64, rotate, move []float64) *scenes.Affine {
	m := scenes.Affine{{scale, 0, 0, 0}, {0, scale, 0, 0}, {0, 0, scale, 0}}
	for axis, degrees := range rotate {
		sin, cos := math.Sincos(degrees * math.Pi / 180)
		if q := math.Mod(degrees, 90); q == 0 {
			sin, cos = math.Round(sin), math.Round(cos)
		}
		turn := scenes.Identity()
		i, j := (axis+1)%3, (axis+2)%3
		turn[i][i], turn[i][j], turn[j][i], turn[j][j] = cos, -sin, sin, cos
		m = turn.Mul(&m)
	}
	for axis := range 3 {
		m[axis][3] = move[axis]
	}
	return &m
}

// join puts the further meshes beside that of an input.
func (f *drawFlags) join(ctx context.Context, a *app, in *input) error {
	mesh := in.mesh()
	if mesh == nil {
		return usagef("%s: --add wants all of the mesh in memory, and there is none for it", in.name)
	}
	items := []join.Item{{Mesh: mesh, Name: in.name}}
	if f.Color.RGB != nil && f.Field == "" {
		color := uint32(*f.Color.RGB)
		items[0].Color = &color
	}
	contents := []string{in.contents}
	for i, add := range f.Add {
		more, has, err := f.readAddition(ctx, a, i)
		if err != nil {
			return err
		}
		if add.up != nil {
			more.Stand(*add.up, f.Up.of(in))
		}
		contents = append(contents, has)
		items = append(items, join.Item{Mesh: more, Name: add.mesh, Transform: add.transform, Color: add.color})
	}
	if a.noteContents {
		in.contents = joinContents(contents...)
	}
	joined, err := join.Meshes(items, uint32(f.baseColor()))
	if err != nil {
		return usagef("--add: %w", err)
	}
	in.src, in.parts, in.box = joined, joined.Parts, joined.Bounds()
	in.held = int64(joined.Len()) * (scenes.TriangleBytes + scenes.ColorBytes)
	return nil
}

// readAddition reads the i-th of the further meshes, and returns with it the contents of its files, if they
// are wanted.
func (f *drawFlags) readAddition(ctx context.Context, a *app, i int) (*scenes.Mesh, string, error) {
	add, opts := f.Add[i], f.readFlags.options("")
	var in *input
	var err error
	if strings.HasPrefix(add.mesh, sceneScheme) {
		in, err = readScene(ctx, add.mesh, true, opts)
	} else {
		opened, done := a.recordBeside(addFolder(i), add.mesh, &opts)
		defer done()
		if in, err = readFile(ctx, add.mesh, false, true, opts); err == nil {
			in.beside = slices.Sorted(maps.Keys(opened))
			err = a.hashInput(ctx, in, add.mesh)
		}
	}
	if err != nil {
		return nil, "", inputError(ctx, add.mesh, nil, err)
	}
	if mesh := in.mesh(); mesh != nil {
		return mesh, in.contents, nil
	}
	in.close()
	return nil, "", usagef("%s: --add wants all of the mesh in memory, and there is none for it", add.mesh)
}

// added reports whether there are further meshes, whose colours the mesh itself holds.
func (f *drawFlags) added() bool { return len(f.Add) > 0 }
