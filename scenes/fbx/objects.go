package fbx

import "lockstep/scenes/internal/text"

// An object is a record that other records refer to: by number since version 7000, by name before.
type object struct {
	node     node
	name     string // in old versions of the format, the name includes the class
	class    string
	children []link  // connected objects, in the order of the connections
	model    *object // parent model; nil: none

	// models and geometries are those children that are models or geometries. They have lists of their own because they
	// are needed often.
	models, geometries []*object
	skin               *object // the skin of a geometry; nil: none
}

// A link is a connection from an object to another object. If property is not empty, the other object is the value of
// the property of this name.
type link struct {
	to       *object
	property string
}

// Sizes in bytes of an object and of a link, including the unused capacity of lists.
const (
	objectBytes = 256
	linkBytes   = 96
)

// indexObjects finds all objects. If several objects have the same key, it ignores all but the first.
func (r *reader) indexObjects() error {
	for section := range r.doc.root().children() {
		if section.name() != "Objects" {
			continue
		}
		for n := range section.children() {
			first := n.value(0)
			key := n.key(first)
			if key == "" {
				continue
			}
			o := &object{node: n, name: key, class: n.text(1)}
			if first.kind != 'S' {
				o.name, o.class = n.text(1), n.text(2)
			}
			if err := r.Reserve(objectBytes + 2*int64(len(key)+len(o.name))); err != nil {
				return err
			}
			if r.objects[key] == nil {
				r.objects[key] = o
				r.objectList = append(r.objectList, o)
			}
		}
	}
	return nil
}

// kind returns the name of the record of an object, such as Model or Geometry.
func (o *object) kind() string { return o.node.name() }

// connectObjects adds the links between objects that the connections of the file describe.
func (r *reader) connectObjects() error {
	for section := range r.doc.root().children() {
		if section.name() != "Connections" {
			continue
		}
		for c := range section.children() {
			if name := c.name(); name != "C" && name != "Connect" {
				continue
			}
			child, parent := r.objects[c.key(c.value(1))], r.objects[c.key(c.value(2))]
			if child == nil || parent == nil {
				continue // one end of the connection is the root, or is not an object
			}
			if err := r.Reserve(linkBytes); err != nil {
				return err
			}
			one := link{to: child}
			if c.text(0) == "OP" {
				one.property = c.text(3)
				one.property = one.property[:min(len(one.property), text.MaxName)]
			}
			parent.children = append(parent.children, one)
			switch {
			case one.property != "":
			case child.kind() == "Model":
				parent.models = append(parent.models, child)
			case child.kind() == "Geometry":
				parent.geometries = append(parent.geometries, child)
			case child.kind() == "Deformer" && child.class == "Skin" && parent.skin == nil:
				parent.skin = child
			}
			r.linkCount++
			if parent.kind() == "Model" && one.property == "" {
				child.model = parent
			}
		}
	}
	return nil
}
