package threemf

import (
	"errors"
	"fmt"
	"math"
	"unsafe"

	"lockstep/scenes"
	"lockstep/scenes/internal/assembly"
	"lockstep/scenes/internal/text"
)

// A model is one model part of the archive.
type model struct {
	name    string
	unit    float64
	objects map[uint32]*object
	order   []*object // all objects, in the order of the file
	items   []component
	groups  map[uint32]*group
	files   map[uint32]*scenes.Texture // textures by the id of their element; nil if the picture cannot be read
}

// An object consists of triangles, a lattice or components.
type object struct {
	id        uint32
	name      string
	group     uint32 // id of the group of properties for triangles that do not name a group
	entry     uint32
	grouped   bool
	points    [][3]float64
	triangles [][3]uint32
	// material is the material of each triangle, or -1 for none. Triangles beyond its end have none.
	material   []int32
	color      [][3]uint32
	texCoord   [][3]uint32
	filament   []uint32 // filament with which each triangle is painted; 0: none
	components []component
	lattice    *lattice // nil: no lattice

	model    *model
	shape    map[uint32][]*assembly.Shape // shapes for each filament with which the object is printed
	isPlaced bool                         // a component of the model refers to the object
}

// A component places an object. Items of the build are components, too.
type component struct {
	object    uint32
	path      string // part of the archive that contains the object; empty: the same part
	transform scenes.Affine
}

// units maps names of units to their lengths in metres.
var units = map[string]float64{"micron": 1e-6, "millimeter": 1e-3, "centimeter": 1e-2, "inch": 0.0254, "foot": 0.3048, "meter": 1}

// readModel reads the model part called name. It reads each part only once.
func (r *reader) readModel(name string) (*model, error) {
	key := fileName(name)
	if m, ok := r.models[key]; ok {
		return m, nil
	}
	if r.models == nil {
		r.models = make(map[string]*model)
	}
	r.models[key] = nil
	f, err := r.openPart(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	m := &model{name: name, unit: 1e-3, objects: make(map[uint32]*object), groups: make(map[uint32]*group), files: make(map[uint32]*scenes.Texture)}
	r.scanner.reset(text.AsUTF8(f))
	p := &parser{reader: r, model: m, scanner: &r.scanner}
	if err := p.parse(); err != nil {
		return nil, err
	}
	r.models[key] = m
	return m, nil
}

// A parser is the state of reading one model part.
type parser struct {
	*reader
	*model
	*scanner
	of    *object // current object
	group *group  // current group
}

// place returns the position of the last tag, for warnings.
func (p *parser) place() string { return fmt.Sprintf("%s, byte %d", p.model.name, p.scanner.start) }

// parse reads all elements. If the text is damaged or ends early, it adds a warning and keeps what it has read.
func (p *parser) parse() error {
	for {
		ok, err := p.next()
		if err == nil && !ok {
			if p.depth != 0 {
				err = errEnd
			} else {
				return nil
			}
		}
		if err != nil {
			if done := p.reader.in.Context().Err(); done != nil {
				return done // the end of the context is reported instead of the damage
			}
			if p.isFatal(err) {
				return err
			}
			if errors.Is(err, errBomb) {
				return p.damageError(err)
			}
			return p.reader.warn.Add(p.place(), "%s", text.OneLine(err.Error()))
		}
		if p.closing {
			p.endElement(string(p.scanner.name))
			continue
		}
		if err := p.beginElement(); err != nil {
			return err
		}
	}
}

func (p *parser) damageError(err error) error { return p.reader.in.Damage(p.place(), "%w", err) }

func (p *parser) warnf(format string, args ...any) error {
	return p.reader.warn.Add(p.place(), format, args...)
}

func (p *parser) endElement(name string) {
	switch name {
	case "object":
		p.of = nil
	case "basematerials", "colorgroup", "texture2dgroup", "multiproperties", "compositematerials":
		p.group = nil
	}
}

// beginElement handles the start of an element. The most frequent elements come first.
func (p *parser) beginElement() error {
	switch string(p.scanner.name) {
	case "vertex":
		return p.readVertex()
	case "triangle":
		return p.readTriangle()
	case "object":
		return p.readObject()
	case "component":
		if p.of != nil {
			return p.readComponent(&p.of.components)
		}
	case "item":
		return p.readComponent(&p.items)
	case "model":
		return p.readRoot()
	case "basematerials", "colorgroup", "texture2dgroup", "multiproperties", "compositematerials":
		return p.beginGroup(string(p.scanner.name))
	case "base", "color", "tex2coord", "multi", "composite":
		return p.readProperty()
	case "texture2d":
		return p.readTexture()
	case "beamlattice":
		return p.beginLattice()
	case "beam":
		return p.readBeam()
	case "ball":
		return p.readBall()
	}
	return nil
}

// extensions holds parts of the names of the extensions that cause no warning if a model requires them. The elements of
// these extensions that this package ignores do not change the picture.
var extensions = []string{"/material/", "/production/", "/core/", "/beamlattice/"}

func (p *parser) readRoot() error {
	if unit := p.text("unit"); unit != "" {
		var ok bool
		if p.unit, ok = units[unit]; !ok {
			p.unit = 1e-3
			if err := p.warnf("unknown unit %s", text.Short(unit)); err != nil {
				return err
			}
		}
	}
	for _, prefix := range splitList(p.get("requiredextensions")) {
		uri := p.text(prefix)
		if uri == "" {
			uri = prefix // the file does not declare the prefix
		}
		if containsAny(uri, extensions) || p.reader.required[uri] {
			continue
		}
		if p.reader.required == nil {
			p.reader.required = make(map[string]bool)
		}
		p.reader.required[uri] = true
		if err := p.warnf("the model needs the extension %s, of which nothing is drawn", text.Name(uri)); err != nil {
			return err
		}
	}
	return nil
}

// appendCounted appends v to list and counts the added memory. The error is a *scenes.LimitError.
func appendCounted[T any](r *reader, list *[]T, v T) error {
	if len(*list) == cap(*list) {
		size := int64(unsafe.Sizeof(v))
		// While the list is copied, the old and the new list are both in memory.
		if err := r.in.Allow(0, r.Held+3*size*int64(cap(*list))); err != nil {
			return err
		}
		before := cap(*list)
		*list = append(*list, v)
		r.Held += size * int64(cap(*list)-before)
		return nil
	}
	*list = append(*list, v)
	return nil
}

func (p *parser) readObject() error {
	id, ok := parseIndex(p.get("id"))
	if !ok {
		return p.warnf("object left out: its id is %s", text.Short(p.get("id")))
	}
	if p.objects[id] != nil {
		return p.warnf("object left out: there is another of id %d", id)
	}
	o := &object{id: id, name: p.text("name"), model: p.model}
	if pid := p.get("pid"); pid != nil {
		o.group, o.grouped = parseIndex(pid)
		o.entry, _ = parseIndex(p.get("pindex"))
	}
	p.objects[id], p.of = o, o
	p.order = append(p.order, o)
	return p.reader.Reserve(512)
}

func (p *parser) readVertex() error {
	if p.of == nil {
		return nil
	}
	var v [3]float64
	for i := range p.n {
		a := &p.attributes[i]
		if len(a.name) != 1 || a.name[0]-'x' > 2 {
			continue
		}
		var ok bool
		if v[a.name[0]-'x'], ok = parseNumber(a.value); !ok {
			return p.addMissingVertex(text.Short(a.value))
		}
	}
	if p.n < 3 && (p.get("x") == nil || p.get("y") == nil || p.get("z") == nil) {
		return p.addMissingVertex("fewer than three coordinates")
	}
	return appendCounted(p.reader, &p.of.points, v)
}

// addMissingVertex warns about a damaged vertex. In its place it adds a vertex that is not finite, so that later
// vertices keep their numbers.
func (p *parser) addMissingVertex(what string) error {
	if err := p.warnf("vertex %d left out: %s", len(p.of.points), what); err != nil {
		return err
	}
	nan := math.NaN()
	return appendCounted(p.reader, &p.of.points, [3]float64{nan, nan, nan})
}

// A triangleAttributes holds the attributes of a triangle. v holds the number of each corner's vertex. properties holds
// the number of each corner's property. Bit k of `found` is set if corner k has a vertex. Bit k of `has` is set if
// corner k has a property.
type triangleAttributes struct {
	v, properties [3]uint32
	found, has    int
	pid, paint    []byte
	wrong         bool // the triangle is damaged and left out
}

// readTriangleAttributes reads the attributes of a triangle into c.
func (p *parser) readTriangleAttributes(c *triangleAttributes) error {
	for i := range p.n {
		a := &p.attributes[i]
		switch {
		case len(a.name) == 2 && a.name[1]-'1' < 3 && (a.name[0] == 'v' || a.name[0] == 'p'):
			k := a.name[1] - '1'
			n, ok := parseIndex(a.value)
			if !ok {
				c.wrong = true
				return p.warnf("triangle left out: %s is %s", a.name, text.Short(a.value))
			}
			if a.name[0] == 'v' {
				c.v[k] = n
				c.found |= 1 << k
			} else {
				c.properties[k] = n
				c.has |= 1 << k
			}
		case string(a.name) == "pid":
			c.pid = a.value
		case string(a.name) == "paint_color" || string(a.name) == "mmu_segmentation":
			c.paint = a.value
		}
	}
	return nil
}

func (p *parser) readTriangle() error {
	o := p.of
	if o == nil {
		return nil
	}
	var c triangleAttributes
	if err := p.readTriangleAttributes(&c); err != nil || c.wrong {
		return err
	}
	v, by, paint := c.v, c.properties, c.paint
	if c.found != 7 {
		return p.warnf("triangle left out: fewer than three corners")
	}
	if n := uint32(len(o.points)); max(v[0], v[1], v[2]) >= n {
		return p.warnf("triangle left out: vertex %d of %d", max(v[0], v[1], v[2]), n)
	}
	if most := p.reader.in.Options.MaxTriangles; most > 0 && int64(len(o.triangles)) >= most {
		return p.reader.in.Allow(int64(len(o.triangles))+1, 0)
	}
	if len(paint) > 0 && len(p.filaments()) == 0 {
		p.painted++
		paint = nil
	}
	if painted, err := p.paintOrWhole(v, paint); err != nil || painted {
		return err
	}
	g, ok := o.group, o.grouped
	if c.has&1 == 0 {
		by = [3]uint32{o.entry, o.entry, o.entry}
	} else {
		for k := 1; k < 3; k++ {
			if c.has>>k&1 == 0 {
				by[k] = by[0]
			}
		}
		if c.pid != nil {
			g, ok = parseIndex(c.pid)
		}
	}
	if !ok {
		return nil
	}
	return p.setTriangleProperty(o, g, by)
}

func (p *parser) readComponent(to *[]component) error {
	id, ok := parseIndex(p.get("objectid"))
	if !ok {
		return p.warnf("component left out: its object is %s", text.Short(p.get("objectid")))
	}
	c := component{object: id, path: p.text("path"), transform: scenes.Identity()}
	if t := p.get("transform"); t != nil {
		words := splitList(t)
		if len(words) != 12 {
			return p.warnf("component left out: a transform of %d numbers", len(words))
		}
		for i, word := range words {
			v, ok := parseNumber(append([]byte(word), ' ')[:len(word)])
			if !ok {
				return p.warnf("component left out: %s in its transform", text.Short(word))
			}
			c.transform[i%3][i/3] = v
		}
	}
	return appendCounted(p.reader, to, c)
}
