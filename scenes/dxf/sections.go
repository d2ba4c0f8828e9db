package dxf

import "lockstep/scenes/internal/text"

// readSections reads all sections of the file, and adds the entities of the drawing to model.
func (r *reader) readSections(model *block) error {
	p := &r.pairs
	ended := false
	for !ended && p.next() {
		if p.code != 0 || string(p.value) != "SECTION" {
			ended = p.code == 0 && string(p.value) == "EOF"
			continue
		}
		if !p.next() {
			break
		}
		var err error
		switch name := string(p.value); {
		case p.code != 2:
			p.pushedBack = true
		case name == "HEADER":
			err = r.readUnit()
		case name == "TABLES":
			err = r.readLayers()
		case name == "BLOCKS":
			err = r.readBlocks()
		case name == "ENTITIES":
			err = r.readEntities(model, "ENDSEC")
		}
		if err != nil {
			return err
		}
	}
	switch {
	case p.bad:
		return r.warn.Add(r.place(), "a group without a code, and nothing behind it is read")
	case !ended:
		return r.warn.Add(r.place(), "the file ends early")
	}
	return nil
}

// metres maps the numbers of units to their lengths in metres.
var metres = map[int]float64{
	1: 0.0254, 2: 0.3048, 3: 1609.344, 4: 0.001, 5: 0.01, 6: 1, 7: 1000, 8: 2.54e-8, 9: 2.54e-5, 10: 0.9144,
	11: 1e-10, 12: 1e-9, 13: 1e-6, 14: 0.1, 15: 10, 16: 100,
}

// readUnit reads the unit from the header section.
func (r *reader) readUnit() error {
	p := &r.pairs
	name := ""
	for p.next() {
		switch {
		case p.code == 0:
			return nil
		case p.code == 9:
			name = string(p.value)
		case p.code == 70 && name == "$INSUNITS":
			v, _ := parseNumber(p.value)
			r.unit = metres[v]
		}
	}
	return nil
}

// readLayers reads the colours of the layers from the tables section.
func (r *reader) readLayers() error {
	p := &r.pairs
	for p.next() {
		if p.code != 0 {
			continue
		}
		switch string(p.value) {
		case "ENDSEC":
			return nil
		case "LAYER":
			e, err := r.readEntity(nil)
			if err != nil {
				return err
			}
			i, err := r.layerNumber(e.name)
			if err != nil {
				return err
			}
			if e.color < 0 {
				e.color = -e.color // a negative colour marks a layer that is off
			}
			r.layerColors[i] = e.color
		}
	}
	return nil
}

// layerNumber returns the number of the layer called name. It adds the layer if it is new.
func (r *reader) layerNumber(name string) (int32, error) {
	if i, ok := r.layers[name]; ok {
		return i, nil
	}
	if err := r.Reserve(int64(128 + 2*len(name))); err != nil {
		return 0, err
	}
	i := int32(len(r.layerNames))
	r.layers[name] = i
	r.layerNames, r.layerColors = append(r.layerNames, name), append(r.layerColors, byLayer)
	return i, nil
}

// readBlocks reads the blocks section.
func (r *reader) readBlocks() error {
	p := &r.pairs
	for p.next() {
		if p.code != 0 {
			continue
		}
		switch string(p.value) {
		case "ENDSEC":
			return nil
		case "BLOCK":
			e, err := r.readEntity(nil)
			if err != nil {
				return err
			}
			b := &block{base: e.p[0]}
			if err := r.Reserve(int64(256 + 2*len(e.name))); err != nil {
				return err
			}
			if r.blocks[e.name] == nil {
				r.blocks[e.name] = b
			}
			if err := r.readEntities(b, "ENDBLK"); err != nil {
				return err
			}
		}
	}
	return nil
}

// readEntities reads entities into b, until it reaches a group whose value is `end`.
func (r *reader) readEntities(b *block, end string) error {
	p := &r.pairs
	for p.next() {
		if p.code != 0 {
			continue
		}
		switch string(p.value) {
		case "ENDSEC", "EOF":
			p.pushedBack = true
			if end == "ENDSEC" {
				p.pushedBack = false
			}
			return nil
		case end:
			return nil
		}
		if err := r.addEntity(b); err != nil {
			return err
		}
	}
	return nil
}

// A style is the layer and the colour of an entity.
type style struct {
	layer int32
	color int
}

// maxStyles is the greatest number of styles in a drawing.
const maxStyles = 1 << 12

// styleNumber returns the number of the style of an entity, or -1 if there are too many styles.
func (r *reader) styleNumber(e *entity) (int32, error) {
	layer, err := r.layerNumber(e.layer)
	if err != nil {
		return 0, err
	}
	s := style{layer, e.color}
	if i, ok := r.styleOf[s]; ok {
		return i, nil
	}
	if len(r.styles) == maxStyles {
		return -1, r.warn.Add(r.place(), "there are more than %d layers and colours: %s goes without", maxStyles, text.Short(e.layer))
	}
	i := int32(len(r.styles))
	r.styles = append(r.styles, s)
	r.styleOf[s] = i
	return i, nil
}
