package collada

import (
	"net/url"
	"strings"

	"lockstep/scenes/internal/text"
	"lockstep/scenes/internal/xmltree"
)

// An identity identifies an element by its name, such as geometry, and its id. Elements of different kinds must not
// have the same id, but some programs write such files.
type identity struct{ kind, id string }

// referable holds the names of elements to which other elements can refer.
var referable = map[string]bool{"geometry": true, "controller": true, "node": true, "visual_scene": true, "material": true, "effect": true, "image": true}

// indexElements finds all elements to which others refer. If several elements have the same identity, it ignores all
// but the first.
func (r *reader) indexElements() error {
	r.ids = make(map[identity]xmltree.Node)
	for library := range r.root.All() {
		if strings.HasPrefix(library.Name(), "library_") {
			if err := r.indexBelow(library); err != nil {
				return err
			}
		}
	}
	return nil
}

// indexBelow adds the elements below an element to the index. It is recursive. Package xmltree limits the depth of
// the tree, and so the depth of the recursion.
func (r *reader) indexBelow(of xmltree.Node) error {
	for n := range of.All() {
		kind := n.Name()
		if id := n.Attr("id"); referable[kind] && id != "" {
			if err := r.Reserve(int64(128 + len(id))); err != nil {
				return err
			}
			if key := (identity{kind, id}); !r.ids[key].Exists() {
				r.ids[key] = n
			}
		}
		if kind == "mesh" {
			continue // ids in a mesh are looked up when the mesh is read
		}
		if err := r.indexBelow(n); err != nil {
			return err
		}
	}
	return nil
}

// The method find returns the element of a kind at an address such as #id, or xmltree.None if there is none.
func (r *reader) find(kind, address string) xmltree.Node {
	id, ok := strings.CutPrefix(address, "#")
	if !ok && strings.Contains(address, "#") {
		return xmltree.None() // the address leads to another document
	}
	if n, ok := r.ids[identity{kind, id}]; ok {
		return n
	}
	if plain, err := url.PathUnescape(id); err == nil {
		if n, ok := r.ids[identity{kind, plain}]; ok {
			return n
		}
	}
	return xmltree.None()
}

// warnMissing adds the warning that an element does not exist. kind and address identify the element.
func (r *reader) warnMissing(n xmltree.Node, kind, address string) error {
	why := "it is not there"
	if i := strings.IndexByte(address, '#'); i > 0 || i < 0 && strings.Contains(address, ".") {
		why = "it is in another document, which is not opened"
	}
	return r.warn.Add(placeOf(n), "%s %s left out: %s", kind, text.Short(address), why)
}
