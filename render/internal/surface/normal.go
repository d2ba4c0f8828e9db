package surface

// Normal returns the unit normal, turned towards the eye, by which a triangle is lit at a
// point of the picture.
func (s *Shader) Normal(t uint32, x, y float32) [3]float32 {
	p := s.scene.at(s.facet(t), x, y)
	return p.normal.array()
}
