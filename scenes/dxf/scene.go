package dxf

import (
	"math"
	"strings"

	"lockstep/scenes"
	"lockstep/scenes/internal/assembly"
	"lockstep/scenes/internal/corners"
	"lockstep/scenes/internal/surface"
	"lockstep/scenes/internal/text"
	"lockstep/scenes/internal/tree"
	"lockstep/scenes/internal/turn"
	"lockstep/scenes/internal/vector"
)

// An insert places a block, once or as an array of rows and columns.
type insert struct {
	of     string
	line   int
	style  int32
	entity entity
}

// Limits of a scene, far above the numbers in any known drawing: how many copies of blocks are drawn (maxVisits), and
// how deep blocks may be nested (maxLevels). instanceBytes is the memory in bytes of an instance with its name and
// transform.
const (
	maxVisits     = 1 << 18
	maxLevels     = 256
	maxArray      = 1 << 16 // greatest number of copies of an insert
	instanceBytes = 512
)

// An insertCopy is one copy of an insert.
type insertCopy struct {
	*insert
	column, row int
}

// A state is the transform from a block to the scene, and the style of its insert.
type state struct {
	world scenes.Affine
	style style
}

// draw appends the model and all inserted blocks to s.
func (r *reader) draw(s *assembly.Scene, model *block) error {
	top := state{scenes.Identity(), style{0, 7}}
	if err := r.addShapes(s, model, "", top); err != nil {
		return err
	}
	w := &tree.Walk[*block, state, insertCopy]{In: r.in, Unit: "inserts", Most: maxVisits, Levels: maxLevels}
	w.Find = func(_ state, e insertCopy) (*block, []insertCopy, bool, error) {
		b := r.blocks[e.of]
		if b == nil {
			return nil, nil, false, r.warn.Add(r.pairs.place(e.line), "block %s left out: it is not there", text.Short(e.of))
		}
		below, err := r.insertCopies(b)
		return b, below, true, err
	}
	w.Visit = func(above state, e insertCopy, b *block) (state, error) {
		local := e.localTransform(b.base)
		at := state{above.world.Mul(&local), r.effectiveStyle(e.style, above.style)}
		return at, r.addShapes(s, b, e.of, at)
	}
	w.Skip = func(_ state, e insertCopy, _ tree.Reason) error {
		return r.warn.Add(r.pairs.place(e.line), "block %s left out: it is within itself, or within too many", text.Short(e.of))
	}
	edges, err := r.insertCopies(model)
	if err != nil {
		return err
	}
	return w.From(top, edges)
}

// insertCopies returns all copies of all inserts of a block.
func (r *reader) insertCopies(b *block) (all []insertCopy, err error) {
	for i := range b.inserts {
		e := &b.inserts[i]
		columns, rows := max(1, e.entity.ints[0]), max(1, e.entity.ints[1])
		if int64(columns)*int64(rows) > maxArray {
			if err := r.warn.Add(r.pairs.place(e.line), "%d times %d copies of a block: one is drawn", columns, rows); err != nil {
				return nil, err
			}
			columns, rows = 1, 1
		}
		if len(all)+columns*rows > maxVisits {
			return nil, &scenes.LimitError{File: r.in.Options.Name, Unit: "inserts", Want: int64(len(all) + columns*rows), Limit: maxVisits, Fixed: true}
		}
		for k := range columns * rows {
			all = append(all, insertCopy{e, k % columns, k / columns})
		}
	}
	return all, nil
}

// localTransform returns the transform of a copy of an insert to the block that contains the insert. base is the base
// point of the inserted block.
func (e *insertCopy) localTransform(base [3]float64) scenes.Affine {
	of := &e.entity
	a := axesOf(of.normal)
	sin, cos := turn.Sincos(of.turn)
	place := scenes.Affine{{cos, -sin, 0, of.p[0][0]}, {sin, cos, 0, of.p[0][1]}, {0, 0, 1, of.p[0][2]}}
	a = a.Mul(&place)
	move := scenes.Identity()
	move[0][3], move[1][3] = float64(e.column)*of.spacing[0], float64(e.row)*of.spacing[1]
	a = a.Mul(&move)
	var scale scenes.Affine
	for i, v := range of.scale {
		if v == 0 {
			v = 1 // flat drawings have a z scale of 0, but blocks must not be flattened
		}
		scale[i][i], scale[i][3] = v, -float64(v*base[i])
	}
	return a.Mul(&scale)
}

// axesOf returns the coordinate axes of an entity. They depend only on its normal.
func axesOf(normal [3]float64) scenes.Affine {
	length := math.Sqrt(vector.Dot(normal, normal))
	if !(length > 0) || math.IsInf(length, 0) || normal == [3]float64{0, 0, 1} {
		return scenes.Identity()
	}
	const nearZ = 1.0 / 64
	z := vector.Scale(1/length, normal)
	side := [3]float64{0, 0, 1}
	if math.Abs(z[0]) < nearZ && math.Abs(z[1]) < nearZ {
		side = [3]float64{0, 1, 0}
	}
	x := vector.Cross(side, z)
	x = vector.Scale(1/math.Sqrt(vector.Dot(x, x)), x)
	y := vector.Cross(z, x)
	return scenes.Affine{{x[0], y[0], z[0], 0}, {x[1], y[1], z[1], 0}, {x[2], y[2], z[2], 0}}
}

// effectiveStyle returns the layer and colour with which style i of a block is drawn. `above` is the style of the
// insert. An entity on layer 0 is drawn as if it were on the layer of the insert. The colour of an entity may be that
// of the insert or that of the layer.
func (r *reader) effectiveStyle(i int32, above style) style {
	if i < 0 {
		return above
	}
	s := r.styles[i]
	if s.layer == 0 {
		s.layer = above.layer
	}
	switch s.color {
	case byBlock:
		s.color = above.color
	case byLayer:
		s.color = r.layerColors[s.layer]
		if s.layer == above.layer && s.color == byLayer {
			s.color = 7
		}
	}
	if s.color == byLayer || s.color < 0 {
		s.color = 7 // the default, because the file states no colour for the layer
	}
	return s
}

// addShapes appends the shapes of a block to s.
func (r *reader) addShapes(s *assembly.Scene, b *block, name string, at state) error {
	if err := r.buildTriangles(b); err != nil {
		return err
	}
	if b.builder.Len() == 0 && len(b.lines) == 0 {
		return nil
	}
	all, err := r.shapes(b, at.style)
	if err != nil {
		return err
	}
	s.Instances = append(s.Instances, assembly.Instance{Name: strings.ToValidUTF8(name, "?"), Shapes: all, Transform: at.world})
	return r.Reserve(instanceBytes)
}

// buildTriangles makes triangles from the faces of a block, once for each block.
func (r *reader) buildTriangles(b *block) (err error) {
	if b.built {
		return nil
	}
	b.built = true
	if b.builder, err = corners.New(r.in, corners.Lists{Positions: b.positions}, &r.Held); err != nil {
		return err
	}
	slots := make(map[int32]int)
	for i := range b.faces {
		f := &b.faces[i]
		var one [4]corners.Corner
		n := 4
		for k, v := range f.corners {
			one[k] = corners.Corner{Position: v, Normal: corners.None, Color: corners.None, TexCoord: corners.None}
			if v < 0 {
				n = 3
			}
		}
		to, ok := slots[f.style]
		if !ok {
			to = b.builder.Slot(f.style)
			slots[f.style] = to
		}
		if err := b.builder.Add(to, one[:n]); err != nil {
			return err
		}
	}
	r.Held -= faceBytes * int64(cap(b.faces))
	b.faces = nil
	return nil
}

// shapes returns the shapes of a block for an insert of style `above`, which affects the colours.
func (r *reader) shapes(b *block, above style) ([]*assembly.Shape, error) {
	if all, ok := b.shapes[above]; ok {
		return all, nil
	}
	var failed error
	all := b.builder.Shapes(func(i int32) int32 {
		m, err := r.material(r.effectiveStyle(i, above))
		if err != nil {
			failed = err
		}
		return m
	}, nil)
	if failed != nil {
		return nil, failed
	}
	if len(b.lines) > 0 {
		thin, err := r.lineShapes(b, above)
		if err != nil {
			return nil, err
		}
		all = append(all, thin...)
	}
	if b.shapes == nil {
		b.shapes = make(map[style][]*assembly.Shape)
	}
	b.shapes[above] = all
	return all, r.Reserve(int64(512 * (1 + len(all))))
}

// material returns the index of the material for a style. The material has the name of the layer and the colour of the
// style.
func (r *reader) material(s style) (int32, error) {
	if i, ok := r.materialOf[s]; ok {
		return i, nil
	}
	if err := r.Reserve(512); err != nil {
		return 0, err
	}
	i := int32(len(r.materials))
	r.materials = append(r.materials, scenes.Material{Name: strings.ToValidUTF8(r.layerNames[s.layer], "?"), BaseColor: surface.BaseColor(colorOf(s.color), 1)})
	r.materialOf[s] = i
	return i, nil
}

// colorOf returns a colour of the format as sRGB. i is trueColor plus a 24-bit colour, or an index into a table of
//
//   - nine plain colours
//   - 24 hues, each in five brightnesses, full and pale
//   - six greys
func colorOf(i int) uint32 {
	switch {
	case i >= trueColor:
		return uint32(i & 0xffffff)
	case i < 1 || i > 255 || i == 7:
		return scenes.DefaultColor // this colour is black on a light background and white on a dark one
	case i < 10:
		return [...]uint32{1: 0xff0000, 2: 0xffff00, 3: 0x00ff00, 4: 0x00ffff, 5: 0x0000ff, 6: 0xff00ff, 8: 0x808080, 9: 0xc0c0c0}[i]
	case i >= 250:
		return [...]uint32{0x333333, 0x505050, 0x696969, 0x828282, 0xbebebe, 0xffffff}[i-250]
	}
	bright := [...]float64{255, 189, 129, 104, 79}[i%10/2]
	full := 1.0
	if i%2 == 1 {
		full = 1.0 / 3
	}
	hue := float64(i/10-1) / 4 // position on the circle of hues, in sixths
	rgb := uint32(0)
	for part := range 3 {
		away := math.Abs(math.Mod(hue+6-2*float64(part)+3, 6) - 3) // distance on the circle of hues from this component's hue
		share := min(1, max(0, 2-away))
		rgb = rgb<<8 | uint32(bright*(1-full*(1-share))+0.5)
	}
	return rgb
}
