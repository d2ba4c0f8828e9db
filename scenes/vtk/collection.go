package vtk

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"lockstep/scenes/internal/surface"
	"lockstep/scenes/internal/text"
	"lockstep/scenes/internal/xmltree"
)

// maxFiles and maxLevels limit how many files a document may name, and how deep such files may name others.
const (
	maxFiles  = 1 << 12
	maxLevels = 4
)

// readCollection reads the files that a document names. They are pieces of a data set, blocks, or files of the first of
// several time steps.
func (d *document) readCollection(kind string, set xmltree.Node, level int) error {
	if level >= maxLevels {
		return d.r.warn.Add(d.placeOf(set), "left out: files that name each other, more than %d deep", maxLevels)
	}
	var names []string
	switch {
	case kind == "Collection":
		names = firstStep(set)
	case strings.HasPrefix(kind, "P"):
		for p := range set.Each("Piece") {
			names = append(names, p.Attr("Source"))
		}
	default:
		names = appendBlocks(set, nil)
	}
	for _, name := range names {
		if err := d.readBeside(name, level); err != nil {
			return err
		}
	}
	return nil
}

// firstStep returns the names of the files of the first time step of a collection.
func firstStep(set xmltree.Node) (names []string) {
	first := ""
	for n := range set.Each("DataSet") {
		step := n.Attr("timestep")
		if len(names) == 0 {
			first = step
		}
		if step == first {
			names = append(names, n.Attr("file"))
		}
	}
	return names
}

// appendBlocks appends to names the files of all blocks below an element.
func appendBlocks(of xmltree.Node, names []string) []string {
	for n := range of.All() {
		switch n.Name() {
		case "DataSet":
			if file := n.Attr("file"); file != "" {
				names = append(names, file)
			}
		case "Block", "Piece", "Partitions":
			names = appendBlocks(n, names)
		}
	}
	return names
}

// readBeside reads a file that the document names.
func (d *document) readBeside(name string, level int) error {
	r := d.r
	what := "file " + text.Short(name)
	if r.files++; r.files > maxFiles {
		return r.in.Damage(d.placeOf(d.root), "it names more than %d files", maxFiles)
	}
	found, err := r.in.FindBeside(folderOf(d.name) + name)
	if err == nil {
		var data []byte
		if data, err = surface.ReadBeside(r.in, found, r.Held); err == nil {
			if err := r.Reserve(int64(len(data))); err != nil {
				return err
			}
			if !isXML(data) {
				return r.warn.Add(d.placeOf(d.root), "%s: it is no XML of VTK", what)
			}
			return r.readXML(data, found, level+1)
		}
	}
	return surface.WarnMissing(r.in, r.warn, d.placeOf(d.root), what, err)
}

// folderOf returns name up to and including the last slash, or "" if it has no slash.
func folderOf(name string) string { return name[:strings.LastIndexByte(name, '/')+1] }

// A Step is a time step of a collection, with the names of its files.
type Step struct {
	Time  float64
	Files []string
}

// Steps returns the time steps of a collection (.pvd), in the order of the document. It returns nil if data is not a
// collection.
func Steps(data []byte) (steps []Step, err error) {
	if !isXML(data) || !bytes.Contains(text.AfterComments(data, headSize), []byte("Collection")) {
		return nil, nil
	}
	tree, err := xmltree.Parse(nil, data, 0)
	if err != nil {
		return nil, err
	}
	if tree.Bad != "" {
		return nil, fmt.Errorf("byte %d: %s", tree.At, tree.Bad)
	}
	last := ""
	for n := range tree.Root().Child("VTKFile", "Collection").Each("DataSet") {
		step := n.Attr("timestep")
		if len(steps) == 0 || step != last {
			t, err := strconv.ParseFloat(strings.TrimSpace(step), 64)
			if err != nil {
				t = float64(len(steps))
			}
			steps, last = append(steps, Step{Time: t}), step
		}
		s := &steps[len(steps)-1]
		s.Files = append(s.Files, n.Attr("file"))
	}
	return steps, nil
}
