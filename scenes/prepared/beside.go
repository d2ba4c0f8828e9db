package prepared

// Beside tells which data of a mesh is in the file but not in the blocks that File.ReadBlock returns.
type Beside struct {
	Parts, Normals, Colors, TexCoords, Materials, Textures, Finishes, Fields bool
}

// Beside tells which data of the file is returned only by format.Read, and not by ReadBlock.
func (f *File) Beside() Beside {
	b := Beside{Parts: len(f.parts) > 0}
	a := f.d.Attributes
	if a == nil {
		return b
	}
	b.Normals, b.Colors, b.TexCoords = a.Normals.Values > 0, a.Colors.Values > 0, a.TexCoords.Values > 0
	b.Materials, b.Fields = a.MaterialOf > 0, len(a.Fields) > 0
	for _, m := range a.Materials {
		b.Textures = b.Textures || m.Texture > 0
		b.Finishes = b.Finishes || m.Finish != nil
	}
	return b
}
