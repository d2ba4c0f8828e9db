package draco

import (
	"bytes"
	"errors"
	"fmt"

	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/internal/indexed"
)

type fileFormat struct{}

// Format reads Draco's own files (.drc).
var Format format.Format = fileFormat{}

// Names implements format.Format.
func (fileFormat) Names() []string { return []string{"drc"} }

// Detect recognises the bytes of Mark at the start.
func (fileFormat) Detect(prefix []byte, _ int64) format.Likelihood {
	if bytes.HasPrefix(prefix, []byte(Mark)) {
		return format.Marked
	}
	return format.No
}

// FileLimits returns the Limits for all Draco buffers of an input. The options of the input limit memory and
// triangles. The function held returns the number of bytes that the caller itself holds. The limit for work applies
// to the sum over all buffers.
func FileLimits(in *format.Input, held func() int64) Limits {
	work := format.Budget{Unit: "steps of unpacking", Free: FreeWork, PerByte: WorkPerByte}
	return Limits{
		Hold: func(triangles, bytes int64) error {
			if err := in.Repeated(triangles); err != nil {
				return err
			}
			return in.Allow(triangles, held()+bytes)
		},
		Work: func(units int64) error {
			if err := in.Context().Err(); err != nil {
				return err
			}
			return work.Spend(in, units)
		},
	}
}

// Read reads a whole file. It needs memory for the bytes of the file and for the decoder, see the package comment.
func (fileFormat) Read(in *format.Input) (*scenes.Mesh, *scenes.Report, error) {
	data, err := in.ReadAll()
	if err != nil {
		return nil, nil, err
	}
	from, err := Decode(data, FileLimits(in, func() int64 { return int64(len(data)) }))
	if err != nil {
		var damage *DamageError
		if errors.As(err, &damage) {
			err = in.Damage(fmt.Sprintf("byte %d", damage.At), "%w", damage.Err)
		}
		return nil, nil, err
	}
	if from.Cloud { // points are drawn as small octahedra
		if err := in.Repeated(8 * int64(from.Points)); err != nil {
			return nil, nil, err
		}
	}
	r := &reader{in: in, from: from, to: indexed.New(in)}
	r.to.Cloud = from.Cloud
	for i := range from.Attributes {
		a := &from.Attributes[i]
		r.to.Extra += int64(len(a.Data))
		r.useAttribute(a)
	}
	r.to.Extra += int64(len(data)) + 12*int64(len(from.Triangles))
	if r.position == nil {
		return nil, nil, in.Damage("its attributes", "none is a position of two or three numbers")
	}
	if err := r.fillMesh(); err != nil {
		return nil, nil, err
	}
	return r.to.Finish(scenes.PlusY, "draco")
}

// A reader turns a decoded Mesh into a scenes.Mesh.
type reader struct {
	in   *format.Input
	from *Mesh
	to   *indexed.Mesh

	position, normal, color, texCoord *Attribute
	fields                            []field
}

// A field is one component of an attribute, which pictures can show as colours.
type field struct {
	of *Attribute
	at int
}

// maxFields is the greatest number of fields of a mesh. Each component of an attribute without a known type becomes a
// field.
const maxFields = 32

// useAttribute uses an attribute as positions, normals, colours or texture coordinates, according to its type. It makes
// a field of each component of any other attribute.
func (r *reader) useAttribute(a *Attribute) {
	for _, use := range []struct {
		of    Type
		as    **Attribute
		least int
	}{{Position, &r.position, 2}, {Normal, &r.normal, 3}, {Color, &r.color, 1}, {TexCoord, &r.texCoord, 2}} {
		if a.Type == use.of && *use.as == nil && a.Width >= use.least {
			*use.as = a
			return
		}
	}
	if a.Type <= TexCoord {
		return // it is the second attribute of its type, or has too few components
	}
	for c := range a.Width {
		if len(r.fields) < maxFields {
			r.fields = append(r.fields, field{a, c})
		}
	}
}

// fieldNames returns a name for each field. The format has no names, so they are made from the IDs of attributes.
func (r *reader) fieldNames() (names []string) {
	for _, f := range r.fields {
		name := fmt.Sprintf("attribute%d", f.of.ID)
		switch {
		case f.of.Width > 1 && f.of.Width <= 4:
			name += ":" + "xyzw"[f.at:f.at+1]
		case f.of.Width > 4:
			name += fmt.Sprintf(":%d", f.at+1)
		}
		names = append(names, name)
	}
	return names
}

// fillMesh gives the mesh its points and triangles.
func (r *reader) fillMesh() error {
	kind := indexed.PointKind{Normals: r.normal != nil, Colors: r.color != nil, TexCoords: r.texCoord != nil, Fields: len(r.fields) > 0}
	if len(r.fields) > 0 {
		r.to.PointFields(r.fieldNames()...)
	}
	for at := 0; at < r.from.Points; {
		if err := r.in.Context().Err(); err != nil {
			return err
		}
		rows, err := r.to.ExtendPoints(r.from.Points-at, kind)
		if err != nil {
			return err
		}
		for i := range rows.Points {
			r.writePoint(&rows, i, at+i)
		}
		at += len(rows.Points)
	}
	for from := r.from.Triangles; len(from) > 0; {
		to, err := r.to.ExtendTriangles(len(from))
		if err != nil {
			return err
		}
		if len(to) == 0 {
			return r.in.Allow(int64(len(r.from.Triangles)), 0)
		}
		for i := range to {
			to[i] = [3]int32{int32(from[i][0]), int32(from[i][1]), int32(from[i][2])}
		}
		from = from[len(to):]
	}
	return nil
}

// writePoint writes the values of a point to row i of the mesh.
func (r *reader) writePoint(rows *indexed.PointRows, i, point int) {
	r.position.Numbers(point, rows.Points[i][:])
	var v [3]float64
	if r.normal != nil {
		r.normal.Numbers(point, v[:])
		rows.Normals[i] = [3]float32{float32(v[0]), float32(v[1]), float32(v[2])}
	}
	if r.texCoord != nil {
		r.texCoord.Numbers(point, v[:2])
		rows.TexCoords[i] = [2]float32{float32(v[0]), float32(1 - v[1])} // in Draco, v is 0 at the lower edge
	}
	if r.color != nil {
		r.color.Numbers(point, v[:])
		if r.color.Width < 3 {
			v[1], v[2] = v[0], v[0]
		}
		rows.Colors[i] = indexed.RGB(v, 255/r.color.Kind.valueOfOne())
	}
	for k, f := range r.fields {
		at := (point*f.of.Width + f.at) * f.of.Kind.Size()
		rows.Fields[k][i] = float32(f.of.Kind.number(f.of.Data[at:]))
	}
}

// valueOfOne returns the number that means 1 in a colour of kind k.
func (k Kind) valueOfOne() float64 {
	switch k {
	case Int8:
		return 1<<7 - 1
	case Uint8:
		return 1<<8 - 1
	case Int16:
		return 1<<15 - 1
	case Uint16:
		return 1<<16 - 1
	case Int32:
		return 1<<31 - 1
	case Uint32:
		return 1<<32 - 1
	}
	return 1
}
