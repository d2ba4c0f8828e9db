package gltf

import (
	"fmt"

	"lockstep/scenes"
	"lockstep/scenes/internal/assembly"
)

// A pose holds, for each joint of a skin, the transform of the vertices that follow the joint.
type pose []scenes.Affine

// A poseResult holds the pose of a skin, or the error of reading it.
type poseResult struct {
	pose *pose
	err  error
}

// pose returns the pose of skin i. worlds holds the transforms of all nodes to the scene.
func (r *reader) pose(i integer, worlds []scenes.Affine) (*pose, error) {
	p, ok := r.poses[i]
	if !ok {
		p.pose, p.err = r.newPose(i, worlds)
		r.poses[i] = p
	}
	return p.pose, p.err
}

func (r *reader) newPose(i integer, worlds []scenes.Affine) (*pose, error) {
	s, err := entry(r.doc.Skins, "skin", i)
	if err != nil {
		return nil, err
	}
	var bind *elements
	if s.InverseBindMatrices != nil {
		if bind, err = r.accessor(*s.InverseBindMatrices, 16); err != nil {
			return nil, err
		}
		if bind.n < len(s.Joints) {
			return nil, fmt.Errorf("skin %d has %d matrices for %d joints", i, bind.n, len(s.Joints))
		}
	}
	if err := r.Reserve(96 * int64(len(s.Joints))); err != nil {
		return nil, err
	}
	all := make(pose, len(s.Joints))
	for k, j := range s.Joints {
		if _, err := entry(r.doc.Nodes, "joint", j); err != nil {
			return nil, err
		}
		all[k] = worlds[j]
		if bind == nil {
			continue
		}
		var m [16]float64
		bind.decodeNumbers(k, 16, m[:])
		inverse, err := matrix(m[:])
		if err != nil {
			return nil, err
		}
		all[k] = all[k].Mul(&inverse)
	}
	return &all, nil
}

// moveVertices makes the functions of points move positions and normals with their joints in pose p.
func (p *pose) moveVertices(points *assembly.Points, joints, weights *elements) {
	weights = weights.scaled()
	straight := points.Positions
	points.Positions = func(lo, hi int, to [][3]float64) {
		straight(lo, hi, to)
		for i := range to {
			m := p.blend(joints, weights, lo+i)
			to[i] = m.Point(to[i])
		}
	}
	if normals := points.Normals; normals != nil {
		points.Normals = func(lo, hi int, to [][3]float64) {
			normals(lo, hi, to)
			for i := range to {
				m := p.blend(joints, weights, lo+i)
				n := m.Cofactors()
				to[i] = n.Point(to[i])
			}
		}
	}
}

// blend returns the weighted mean of the transforms of the joints of vertex i.
func (p *pose) blend(joints, weights *elements, i int) (m scenes.Affine) {
	var j, w [4]float64
	joints.decodeNumbers(i, 4, j[:])
	weights.decodeNumbers(i, 4, w[:])
	sum := 0.0
	for k := range 4 {
		if !(w[k] > 0) || !(j[k] >= 0) || j[k] >= float64(len(*p)) {
			continue
		}
		sum += w[k]
		a := &(*p)[int(j[k])]
		for r := range 3 {
			for c := range 4 {
				m[r][c] += float64(w[k] * a[r][c])
			}
		}
	}
	if !(sum > 0) {
		return scenes.Identity()
	}
	for r := range 3 {
		for c := range 4 {
			m[r][c] /= sum
		}
	}
	return m
}
