// Package assembly builds one mesh from a scene, in which transforms place shapes, possibly several times each. The
// files of glTF, 3MF and others are such scenes.
package assembly

import (
	"math"

	"lockstep/scenes"
	"lockstep/scenes/format"
)

// Points holds vertices that triangles share, as functions that deliver values of the vertices. Each function writes
// the values of vertices lo to hi (exclusive). Several goroutines may call a function at once. A function is nil if
// the points have no such attribute.
type Points struct {
	N         int
	Positions func(lo, hi int, to [][3]float64)
	Normals   func(lo, hi int, to [][3]float64) // normals may have any length
	Colors    func(lo, hi int, to []scenes.RGBA)
	TexCoords func(lo, hi int, to [][2]float64) // measured from the upper left corner of the picture
	// TexCoords2 writes the second set of texture coordinates.
	TexCoords2 func(lo, hi int, to [][2]float64)
	// Passes estimates the work of Positions. It is the number of further lists that Positions reads for each call,
	// for example the targets of a morph.
	Passes int
}

// A Shape holds triangles between Points. Its functions are like those of Points, but for triangles lo to hi
// (exclusive).
type Shape struct {
	Points  *Points
	N       int
	Corners func(lo, hi int, to [][3]uint32) // indices below Points.N

	// Material is the material of all triangles; -1 means none. If MaterialOf is not nil, it gives each triangle a
	// material and Material is ignored.
	Material   int32
	MaterialOf func(lo, hi int, to []int32)
	// ColorOf and TexCoordOf write, for each corner, an index into Scene.Palette and Scene.TexCoords. They are used if
	// the scene has these lists.
	ColorOf, TexCoordOf func(lo, hi int, to [][3]uint32)
	// Thin, if not nil, holds points or lines. A Shape with Thin has no triangles of its own.
	Thin *Thin
}

// size returns the largest number of triangles that s can add to the mesh.
func (s *Shape) size() int64 {
	if s.Thin != nil {
		return s.Thin.triangleCount()
	}
	return int64(s.N)
}

// An Instance is a list of shapes with a transform to the scene.
type Instance struct {
	Name      string
	Shapes    []*Shape
	Transform scenes.Affine
}

// A Scene is everything that is drawn from a file.
type Scene struct {
	Instances []Instance
	Materials []scenes.Material
	// Palette and TexCoords, if not nil, hold the colours and texture coordinates of all corners. The colours and
	// texture coordinates in Points are then ignored. Entry 0 of each list is for corners without a value.
	Palette   []scenes.RGBA
	TexCoords [][2]float32
	Up        scenes.Axis
	Unit      float64
	// EmptyReason is added to the message about a scene without triangles. It may state the reason.
	EmptyReason string
	// Held is the number of bytes that the reader itself holds.
	Held int64
	// Warn collects warnings about damage.
	Warn *format.Warnings
}

// A vertexRange is the part of the mesh's vertices that comes from the points of one instance.
type vertexRange struct {
	points *Points
	at     *Instance
	first  int
}

// A triangleRange is the part of the mesh's triangles that comes from one shape of one instance.
type triangleRange struct {
	shape  *Shape
	first  int
	vertex int  // index of the first vertex of its points
	mirror bool // whether the transform mirrors; two corners are then swapped, so that the front stays the front
}

// Sizes in bytes per vertex or per triangle while a mesh is built.
const (
	placeBytes    = 3 * 4
	indexBytes    = 3 * 4
	normalBytes   = 3 * 4
	colorBytes    = 4
	texCoordBytes = 2 * 4
	materialBytes = 4
	drawBytes     = 64 // bytes of a triangleRange and a vertexRange
	drawTriangles = 2  // number of triangles that take about drawBytes
)

// A builder is the state of Build.
type builder struct {
	*Scene
	in             *format.Input
	vertexRanges   []vertexRange
	triangleRanges []triangleRange
	parts          []scenes.Part

	vertices, triangles        int64
	normals, colors, texCoords bool // whether any points have normals, colours or texture coordinates
	texCoords2                 bool // whether any points have a second set of texture coordinates

	mesh   *scenes.Mesh
	places [][3]float32 // transformed positions of all vertices
}

// Build returns the mesh of a scene and a report. name is the report's Format.
func Build(in *format.Input, s *Scene, name string) (*scenes.Mesh, *scenes.Report, error) {
	b := &builder{Scene: s, in: in}
	if err := b.assignRanges(); err != nil {
		return nil, nil, err
	}
	if b.triangles == 0 {
		if err := s.Warn.First(); err != nil {
			return nil, nil, err
		}
		if err := s.Warn.Add("its triangles", "there are none%s", s.EmptyReason); err != nil {
			return nil, nil, err
		}
	}
	b.allocate()
	found, err := b.fill()
	if err != nil {
		return nil, nil, err
	}
	if b.needsColors() {
		if err := b.setTriangleColors(); err != nil {
			return nil, nil, err
		}
	}
	if in.Options.Flat {
		b.mesh.Attributes = nil
	}
	if err := s.Warn.NotFinite(trianglePlace(found.FirstBad), found.Bad, found.Large); err != nil {
		return nil, nil, err
	}
	return b.mesh, &scenes.Report{
		Format:       name,
		Bytes:        in.Done(),
		Triangles:    b.mesh.Len(),
		BadTriangles: found.Bad,
		Bounds:       scenes.BoxOf(found.Lo, found.Hi),
		Warnings:     s.Warn.Lines(),
	}, nil
}

// A size is the cost of shapes: numbers of triangles, of triangleRanges, and of vertices that are read.
type size struct{ triangles, draws, reads int64 }

// sizeOf returns the cost of the shapes of one instance.
func sizeOf(shapes []*Shape) (z size) {
	seen := make(map[*Points]bool, 1)
	for _, s := range shapes {
		if s.size() == 0 {
			continue
		}
		z.triangles += s.size()
		z.draws++
		if t := s.Thin; t != nil { // the points are read a second time to make solids of them
			z.reads += int64(len(t.Points)+2*len(t.Lines)) * int64(1+s.Points.Passes)
		}
		if !seen[s.Points] {
			seen[s.Points] = true
			z.reads += int64(s.Points.N) * int64(1+s.Points.Passes)
		}
	}
	return z
}

// checkSize checks how much the file draws, before memory is allocated. Files can draw the same shapes repeatedly.
// The error is a *scenes.LimitError if the total exceeds the limit for the size of the file.
func (b *builder) checkSize() error {
	sizes := make(map[**Shape]size) // by the address of the first shape, because instances share lists
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
		// A triangleRange takes the memory of drawTriangles triangles. Reading a vertex takes about a third of the time
		// of a triangle.
		if err := b.in.Repeated(max(sum.triangles+drawTriangles*sum.draws, sum.reads/3)); err != nil {
			return err
		}
	}
	return nil
}

// assignRanges gives each shape of each instance its ranges of vertices and triangles, and checks the limits.
func (b *builder) assignRanges() error {
	if err := b.checkSize(); err != nil {
		return err
	}
	if err := b.makeSolids(); err != nil {
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
				b.vertexRanges = append(b.vertexRanges, vertexRange{s.Points, at, v})
				b.vertices += int64(s.Points.N)
				b.normals = b.normals || s.Points.Normals != nil
				b.colors = b.colors || s.Points.Colors != nil
				b.texCoords = b.texCoords || s.Points.TexCoords != nil
				b.texCoords2 = b.texCoords2 || s.Points.TexCoords2 != nil
			}
			b.triangleRanges = append(b.triangleRanges, triangleRange{s, int(b.triangles), v, mirror})
			b.triangles += int64(s.N)
		}
		if b.vertices > math.MaxUint32 {
			return b.in.Damage("its vertices", "there are more than %d", uint32(math.MaxUint32))
		}
		if err := b.in.Allow(b.triangles, b.Held+drawBytes*int64(len(b.triangleRanges))); err != nil {
			return err
		}
		if part.Count = int(b.triangles) - part.First; part.Count > 0 {
			b.parts = append(b.parts, part)
		}
	}
	return b.in.Allow(b.triangles, b.Held+b.memoryNeeded())
}

// needsColors reports whether the mesh needs a colour for each triangle, which flat shading uses.
func (b *builder) needsColors() bool { return len(b.Materials) > 0 || b.Palette != nil || b.colors }

// memoryNeeded returns the number of bytes that the method allocate will take.
func (b *builder) memoryNeeded() int64 {
	perVertex, perTriangle := int64(placeBytes), int64(scenes.TriangleBytes+indexBytes)
	add := func(has bool, to *int64, bytes int64) {
		if has {
			*to += bytes
		}
	}
	add(b.normals, &perVertex, normalBytes)
	add(b.colors && b.Palette == nil, &perVertex, colorBytes)
	add(b.texCoords && b.Scene.TexCoords == nil, &perVertex, texCoordBytes)
	add(b.texCoords2, &perVertex, texCoordBytes)
	add(b.Palette != nil, &perTriangle, indexBytes)
	add(b.Scene.TexCoords != nil, &perTriangle, indexBytes)
	add(len(b.Materials) > 0, &perTriangle, materialBytes)
	add(b.needsColors(), &perTriangle, scenes.ColorBytes)
	return b.vertices*perVertex + b.triangles*perTriangle
}

// allocate makes the mesh with all values zero.
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
	if b.texCoords2 {
		a.TexCoords2 = scenes.Attribute[[2]float32]{Values: make([][2]float32, v), Index: a.Index}
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
