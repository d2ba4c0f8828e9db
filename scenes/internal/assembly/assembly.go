// Package assembly makes one mesh of shapes that are placed by transforms, some of
// them several times. glTF and 3MF files are such scenes.
package assembly

import (
	"math"

	"lockstep/scenes"
	"lockstep/scenes/format"
)

// Points are vertices that triangles share. Every function writes what belongs to
// vertices lo up to hi (exclusive), and may be called by several goroutines at once;
// those for what the points do not have are nil.
type Points struct {
	N         int
	Positions func(lo, hi int, to [][3]float64)
	Normals   func(lo, hi int, to [][3]float64) // of any length
	Colors    func(lo, hi int, to []scenes.RGBA)
	TexCoords func(lo, hi int, to [][2]float64) // from the upper left corner
	// Passes is how many more lists Positions reads, such as those of targets of a morph.
	Passes int
}

// A Shape is triangles of one set of points. The functions are as those of Points,
// for triangles.
type Shape struct {
	Points  *Points
	N       int
	Corners func(lo, hi int, to [][3]uint32) // indices below Points.N

	// Material of all triangles, -1 for none, unless MaterialOf tells of each.
	Material   int32
	MaterialOf func(lo, hi int, to []int32)
	// Indices into Scene.Palette and Scene.TexCoords, for scenes that have these.
	ColorOf, TexCoordOf func(lo, hi int, to [][3]uint32)
	// Thin has what is drawn instead of triangles; nil: nothing.
	Thin *Thin
}

// size returns the number of triangles that s is drawn with, at most.
func (s *Shape) size() int64 {
	if s.Thin != nil {
		return s.Thin.triangles()
	}
	return int64(s.N)
}

// An Instance is shapes at a place.
type Instance struct {
	Name      string
	Shapes    []*Shape
	Transform scenes.Affine
}

// A Scene is all that a file draws.
type Scene struct {
	Instances []Instance
	Materials []scenes.Material
	// Palette and TexCoords, if not nil, hold the colours and texture coordinates of
	// all corners instead of those of points. Entry 0 is for corners without one.
	Palette   []scenes.RGBA
	TexCoords [][2]float32
	Up        scenes.Axis
	Unit      float64
	// None is the end of the message that there are no triangles; it may say why.
	None string
	// Held is how many bytes the reader holds besides.
	Held int64
	// Warn collects damage.
	Warn *format.Warnings
}

// A use is where the points of an instance lie among all vertices.
type use struct {
	points *Points
	at     *Instance
	first  int
}

// A draw is where the triangles of a shape of an instance lie among all triangles.
type draw struct {
	shape  *Shape
	first  int
	vertex int  // of the first of its points
	mirror bool // corners change places, so that the front stays in front
}

// Memory of a vertex or triangle while a mesh is built.
const (
	placeBytes    = 3 * 4
	indexBytes    = 3 * 4
	normalBytes   = 3 * 4
	colorBytes    = 4
	texCoordBytes = 2 * 4
	materialBytes = 4
	drawBytes     = 64 // and a use
	drawTriangles = 2  // that take as much
)

// A builder is the state of Build.
type builder struct {
	*Scene
	in    *format.Input
	uses  []use
	draws []draw
	parts []scenes.Part

	vertices, triangles        int64
	normals, colors, texCoords bool // some points have them

	mesh   *scenes.Mesh
	places [][3]float32 // of vertices, where they are drawn
}

// Build returns the mesh of a scene and the report on it, in which Format is not set.
func Build(in *format.Input, s *Scene) (*scenes.Mesh, *scenes.Report, error) {
	b := &builder{Scene: s, in: in}
	if err := b.plan(); err != nil {
		return nil, nil, err
	}
	if b.triangles == 0 {
		if err := s.Warn.First(); err != nil {
			return nil, nil, err
		}
		if err := s.Warn.Add("its triangles", "there are none%s", s.None); err != nil {
			return nil, nil, err
		}
	}
	b.allocate()
	found, err := b.fill()
	if err != nil {
		return nil, nil, err
	}
	if b.colored() {
		if err := b.flatten(); err != nil {
			return nil, nil, err
		}
	}
	if in.Options.Flat {
		b.mesh.Attributes = nil
	}
	if err := s.Warn.NotFinite(place(found.FirstBad), found.Bad, found.Large); err != nil {
		return nil, nil, err
	}
	return b.mesh, &scenes.Report{
		Bytes:        in.Done(),
		Triangles:    b.mesh.Len(),
		BadTriangles: found.Bad,
		Bounds:       scenes.BoxOf(found.Lo, found.Hi),
		Warnings:     s.Warn.Lines(),
	}, nil
}

// A size is what shapes take where they are drawn.
type size struct{ triangles, draws, reads int64 }

// sizeOf returns the size of shapes that are drawn at one place.
func sizeOf(shapes []*Shape) (z size) {
	seen := make(map[*Points]bool, 1)
	for _, s := range shapes {
		if s.size() == 0 {
			continue
		}
		z.triangles += s.size()
		z.draws++
		if t := s.Thin; t != nil { // whose points are read for themselves
			z.reads += int64(len(t.Points)+2*len(t.Lines)) * int64(1+s.Points.Passes)
		}
		if !seen[s.Points] {
			seen[s.Points] = true
			z.reads += int64(s.Points.N) * int64(1+s.Points.Passes)
		}
	}
	return z
}

// measure returns a *scenes.LimitError, before anything is allocated, if the file asks for more than its size
// may: it may draw the same shapes again and again.
func (b *builder) measure() error {
	sizes := make(map[**Shape]size) // by the start of a list of shapes, which instances share
	var sum size
	for i := range b.Instances {
		shapes := b.Instances[i].Shapes
		if len(shapes) == 0 {
			continue
		}
		z, ok := sizes[&shapes[0]]
		if !ok {
			z = sizeOf(shapes)
			sizes[&shapes[0]] = z
		}
		sum.triangles += z.triangles
		sum.draws += z.draws
		sum.reads += z.reads
		// A draw takes the memory of some triangles, and a read about the time of a vertex.
		if err := b.in.Repeated(max(sum.triangles+drawTriangles*sum.draws, sum.reads/3)); err != nil {
			return err
		}
	}
	return nil
}

// plan gives all shapes of all instances their places in the mesh, within the limits.
func (b *builder) plan() error {
	if err := b.measure(); err != nil {
		return err
	}
	if err := b.thicken(); err != nil {
		return err
	}
	for i := range b.Instances {
		at := &b.Instances[i]
		first := make(map[*Points]int, 1)
		part := scenes.Part{Name: at.Name, First: int(b.triangles)}
		if at.Transform != scenes.Identity() {
			part.Transform = &at.Transform
		}
		mirror := at.Transform.Det() < 0
		for _, s := range at.Shapes {
			if s.N == 0 {
				continue
			}
			v, seen := first[s.Points]
			if !seen {
				v = int(b.vertices)
				first[s.Points] = v
				b.uses = append(b.uses, use{s.Points, at, v})
				b.vertices += int64(s.Points.N)
				b.normals = b.normals || s.Points.Normals != nil
				b.colors = b.colors || s.Points.Colors != nil
				b.texCoords = b.texCoords || s.Points.TexCoords != nil
			}
			b.draws = append(b.draws, draw{s, int(b.triangles), v, mirror})
			b.triangles += int64(s.N)
		}
		if b.vertices > math.MaxUint32 {
			return b.in.Damage("its vertices", "there are more than %d", uint32(math.MaxUint32))
		}
		if err := b.in.Allow(b.triangles, b.Held+drawBytes*int64(len(b.draws))); err != nil {
			return err
		}
		if part.Count = int(b.triangles) - part.First; part.Count > 0 {
			b.parts = append(b.parts, part)
		}
	}
	return b.in.Allow(b.triangles, b.Held+b.memory())
}

// colored reports whether flat pictures have colours.
func (b *builder) colored() bool { return len(b.Materials) > 0 || b.Palette != nil || b.colors }

// memory returns the bytes that allocate takes.
func (b *builder) memory() int64 {
	perVertex, perTriangle := int64(placeBytes), int64(scenes.TriangleBytes+indexBytes)
	add := func(has bool, to *int64, bytes int64) {
		if has {
			*to += bytes
		}
	}
	add(b.normals, &perVertex, normalBytes)
	add(b.colors && b.Palette == nil, &perVertex, colorBytes)
	add(b.texCoords && b.Scene.TexCoords == nil, &perVertex, texCoordBytes)
	add(b.Palette != nil, &perTriangle, indexBytes)
	add(b.Scene.TexCoords != nil, &perTriangle, indexBytes)
	add(len(b.Materials) > 0, &perTriangle, materialBytes)
	add(b.colored(), &perTriangle, scenes.ColorBytes)
	return b.vertices*perVertex + b.triangles*perTriangle
}

// allocate makes a mesh of zeros.
func (b *builder) allocate() {
	n, v := int(b.triangles), int(b.vertices)
	a := &scenes.Attributes{Index: columns(n), Vertices: v, Materials: b.Materials}
	if b.normals {
		a.Normals = scenes.Attribute[[3]float32]{Values: make([][3]float32, v), Index: a.Index}
	}
	if b.Palette != nil {
		a.Colors = scenes.Attribute[scenes.RGBA]{Values: b.Palette, Index: columns(n)}
	} else if b.colors {
		a.Colors = scenes.Attribute[scenes.RGBA]{Values: make([]scenes.RGBA, v), Index: a.Index}
	}
	if b.Scene.TexCoords != nil {
		a.TexCoords = scenes.Attribute[[2]float32]{Values: b.Scene.TexCoords, Index: columns(n)}
	} else if b.texCoords {
		a.TexCoords = scenes.Attribute[[2]float32]{Values: make([][2]float32, v), Index: a.Index}
	}
	if len(b.Materials) > 0 {
		a.MaterialOf = make([]int32, n)
	}
	b.places = make([][3]float32, v)
	b.mesh = &scenes.Mesh{Block: scenes.MakeBlock(n), Up: b.Up, Unit: b.Unit, Parts: b.parts, Attributes: a}
}

// columns returns three columns of n numbers.
func columns(n int) (c [3][]uint32) {
	all := make([]uint32, 3*n)
	for k := range c {
		c[k], all = all[:n:n], all[n:]
	}
	return c
}
