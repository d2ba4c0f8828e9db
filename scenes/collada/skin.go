package collada

import (
	"lockstep/scenes"
	"lockstep/scenes/internal/assembly"
	"lockstep/scenes/internal/text"
	"lockstep/scenes/internal/xmltree"
)

// A controllerInstance is an instance of a controller. It is drawn after the transforms of all joints are known.
type controllerInstance struct {
	node, instance, of xmltree.Node
	world              scenes.Affine
}

// A bentGeometry is the geometry of a controller's instance. `by` holds the transforms that bend it, or nil if it is
// not bent.
type bentGeometry struct {
	geometry xmltree.Node
	by       *skinTransforms
}

// maxControllers is the greatest length of a chain of controllers. In a chain, each controller bends the result of
// the next controller.
const maxControllers = 8

// affineBytes is the memory of a transform in bytes.
const affineBytes = 96

// drawSkins appends the geometries of all instances of controllers to s.
func (r *reader) drawSkins(s *assembly.Scene, top xmltree.Node) error {
	known := make(map[int32]bentGeometry)
	for i := range r.skins {
		one := &r.skins[i]
		c, ok := known[one.instance.Key()]
		if !ok {
			var err error
			if c, err = r.findGeometry(one, top); err != nil {
				return err
			}
			known[one.instance.Key()] = c
		}
		if !c.geometry.Exists() {
			continue
		}
		world := one.world
		if c.by != nil {
			world = scenes.Identity() // the transforms of the joints already map to the scene
		}
		if err := r.addInstance(s, one.node, one.instance, c.geometry, world, c.by); err != nil {
			return err
		}
	}
	return nil
}

// findGeometry returns the geometry of an instance of a controller, and how it is bent.
func (r *reader) findGeometry(one *controllerInstance, top xmltree.Node) (c bentGeometry, err error) {
	skin, of, err := r.skinOf(one.of)
	if err != nil || !of.Exists() {
		return bentGeometry{xmltree.None(), nil}, err
	}
	c.geometry = of
	if skin.Exists() {
		b := &bender{reader: r, skin: skin, instance: one.instance, top: top}
		c.by, err = b.bend(of)
	}
	return c, err
}

// skinOf returns the outermost skin of controller n, or xmltree.None if there is none. It also returns the geometry
// that is bent (of). If that geometry does not exist, skinOf adds a warning, and of is xmltree.None.
func (r *reader) skinOf(n xmltree.Node) (skin, of xmltree.Node, err error) {
	skin = xmltree.None()
	for range maxControllers {
		by := n.Child("morph") // a morph is drawn in its base shape
		if s := n.Child("skin"); s.Exists() {
			by = s
			if !skin.Exists() {
				skin = s
			}
		}
		address := by.Attr("source")
		if of := r.find("geometry", address); of.Exists() {
			return skin, of, nil
		}
		next := r.find("controller", address)
		if !next.Exists() {
			return skin, next, r.warnMissing(n, "geometry", address)
		}
		n = next
	}
	return skin, xmltree.None(), r.warn.Add(placeOf(n), "controllers that bend one another, more than %d", maxControllers)
}

// A bender computes how one instance of a skin bends its geometry: the transform of each position.
type bender struct {
	*reader
	skin, instance, top xmltree.Node
	sources             map[string]xmltree.Node
	bindShape           scenes.Affine   // transform that is applied to the geometry first
	joints              []scenes.Affine // transform of each joint, from the bind shape to the scene
	weights             rows
	offsets             [2]int // positions of the joint and of the weight among the numbers of a pair
	stride              int
}

// bend returns the transforms by which the skin bends the geometry `of`. If the joints of the skin do not exist, it
// adds a warning and returns nil.
func (b *bender) bend(of xmltree.Node) (*skinTransforms, error) {
	g, err := b.geometry(of)
	if g == nil || err != nil {
		return nil, err
	}
	positions := int64(len(g.builder.Positions))
	// The budget counts all data of the skin, because each instance of the skin reads the data again.
	if err := b.bendBudget.Spend(b.in, positions+int64(len(b.skin.Body())/4)); err != nil {
		return nil, err
	}
	held := b.Held
	by, err := b.positionTransforms(positions)
	if b.Held = held; by != nil {
		err = b.Reserve(affineBytes * positions)
	}
	return by, err
}

// positionTransforms returns the transform of each position. If the joints or weights of the skin do not exist, it adds
// a warning and returns nil.
func (b *bender) positionTransforms(positions int64) (*skinTransforms, error) {
	b.bindShape = scenes.Identity()
	if m := b.skin.Child("bind_shape_matrix"); m.Exists() {
		b.bindShape, _ = matrixOf(m)
	}
	var err error
	if b.sources, err = b.reader.findSources(b.skin); err != nil {
		return nil, err
	}
	ok, err := b.readJoints()
	if err != nil {
		return nil, err
	}
	list := b.skin.Child("vertex_weights")
	if ok {
		ok, err = b.readInputs(list)
	}
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, b.warn.Add(placeOf(b.skin), "the joints or weights of a skin do not exist: its mesh is read without the skin")
	}
	if err := b.Reserve(affineBytes * positions); err != nil {
		return nil, err
	}
	by := &skinTransforms{controller: b.instance.Key(), maps: make([]scenes.Affine, positions)}
	b.blend(by.maps, list)
	return by, nil
}

// readJoints computes the transforms of the joints. ok is false if the skin has no joints.
func (b *bender) readJoints() (ok bool, err error) {
	names, binds := xmltree.None(), xmltree.None()
	for in := range b.skin.Child("joints").Each("input") {
		switch in.Attr("semantic") {
		case "JOINT":
			names = findSource(b.sources, in.Attr("source"))
		case "INV_BIND_MATRIX":
			binds = findSource(b.sources, in.Attr("source"))
		}
	}
	inverse, err := b.readFloats(binds.Child("float_array"))
	if err != nil {
		return false, err
	}
	list := names.Child("Name_array")
	byID := false
	if !list.Exists() {
		list, byID = names.Child("IDREF_array"), true
	}
	roots, err := b.skeletons()
	if err != nil {
		return false, err
	}
	words := text.NumbersOf(list.Words())
	for i := 0; words.More() && 16*i+16 <= len(inverse); i++ {
		name := string(words.Word())
		joint := b.find("node", "#"+name)
		for _, sids := range roots {
			if n := sids[name]; !byID && n.Exists() {
				joint = n
				break
			}
		}
		world, known := b.worlds[joint.Key()]
		if !joint.Exists() || !known {
			world = b.unboundTransform(inverse[16*i:])
		}
		bind := rowsOf(inverse[16*i:])
		if err := b.Reserve(affineBytes); err != nil {
			return false, err
		}
		all := world.Mul(&bind)
		b.joints = append(b.joints, all.Mul(&b.bindShape))
	}
	return len(b.joints) > 0, nil
}

// unboundTransform returns the transform of a joint that is not in the scene. Such a joint must not bend anything. The
// transform therefore undoes the inverse bind matrix of the joint: it is the inverse of that matrix.
func (b *bender) unboundTransform(inverse []float64) scenes.Affine {
	bind := rowsOf(inverse)
	back, ok := invert(&bind)
	if !ok {
		return scenes.Identity()
	}
	return back
}

// invert returns the inverse of a transform. ok is false if the transform has no inverse.
func invert(a *scenes.Affine) (inverse scenes.Affine, ok bool) {
	n, det := a.Cofactors(), a.Det()
	if det == 0 || det-det != 0 {
		return inverse, false
	}
	for r := range 3 {
		for c := range 3 {
			inverse[r][c] = n[c][r] / det
		}
	}
	at := inverse.Point([3]float64{a[0][3], a[1][3], a[2][3]})
	for r := range 3 {
		inverse[r][3] = -at[r]
	}
	return inverse, true
}

// maxRoots is the greatest number of skeletons that an instance may name.
const maxRoots = 64

// skeletons returns, for each skeleton of the instance, its joints by sid (scoped identifier). If the instance names no
// skeleton, all joints of the scene are one skeleton.
func (b *bender) skeletons() (all []map[string]xmltree.Node, err error) {
	nodes := []xmltree.Node{}
	for s := range b.instance.Each("skeleton") {
		if root := b.find("node", s.Text()); root.Exists() && len(nodes) < maxRoots {
			nodes = append(nodes, root)
		}
	}
	if len(nodes) == 0 {
		nodes = append(nodes, b.top)
	}
	for _, root := range nodes {
		sids, ok := b.sids[root.Key()]
		if !ok {
			sids = make(map[string]xmltree.Node)
			if err := b.addJoints(sids, root); err != nil {
				return nil, err
			}
			b.sids[root.Key()] = sids
		}
		all = append(all, sids)
	}
	return all, nil
}

// addJoints adds node n and all nodes below it to `all`, by sid. If several nodes have the same sid, it adds only the
// first.
func (b *bender) addJoints(all map[string]xmltree.Node, n xmltree.Node) error {
	if err := b.bendBudget.Spend(b.in, 1); err != nil {
		return err
	}
	if sid := n.Attr("sid"); sid != "" && !all[sid].Exists() {
		all[sid] = n
	}
	for c := range n.Each("node") {
		if err := b.addJoints(all, c); err != nil {
			return err
		}
	}
	return nil
}

// readInputs determines the meaning of the numbers in the list of weights. ok is false if joints or weights are
// missing.
func (b *bender) readInputs(list xmltree.Node) (ok bool, err error) {
	b.offsets = [2]int{-1, -1}
	for in := range list.Each("input") {
		offset, _ := in.Int("offset")
		if offset >= maxStride {
			continue
		}
		b.stride = max(b.stride, offset+1)
		switch in.Attr("semantic") {
		case "JOINT":
			b.offsets[0] = offset
		case "WEIGHT":
			b.offsets[1] = offset
			var fine bool
			if b.weights, fine, err = b.readRows(findSource(b.sources, in.Attr("source"))); err != nil || !fine {
				return false, err
			}
		}
	}
	return b.offsets[0] >= 0 && b.offsets[1] >= 0, nil
}

// blend sets the transform of each position, which is the weighted mean of the transforms of its joints.
func (b *bender) blend(maps []scenes.Affine, list xmltree.Node) {
	counts, numbers := text.NumbersOf(list.Child("vcount").Words()), text.NumbersOf(list.Child("v").Words())
	one := make([]int64, b.stride)
	for i := range maps {
		n, _ := counts.Int()
		total := 0.0
		for k := int64(0); k < n && numbers.More(); k++ {
			for c := range one {
				one[c], _ = numbers.Int()
			}
			joint, entry := one[b.offsets[0]], one[b.offsets[1]]
			if entry < 0 || entry >= int64(b.weights.n) || joint < -1 || joint >= int64(len(b.joints)) {
				continue
			}
			weight := b.weights.number(int(entry), 0, 0)
			m := &b.bindShape
			if joint >= 0 {
				m = &b.joints[joint]
			}
			total += weight
			for r := range m {
				for c := range m[r] {
					maps[i][r][c] += float64(weight * m[r][c])
				}
			}
		}
		if !(total > 0) {
			maps[i] = b.bindShape
			continue
		}
		for r := range maps[i] {
			for c := range maps[i][r] {
				maps[i][r][c] /= total
			}
		}
	}
}
