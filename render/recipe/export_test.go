package recipe

// SetOctahedra sets the largest number of points that d draws as octahedra.
func (d *Drawer) SetOctahedra(most int) { d.octahedra = most }
