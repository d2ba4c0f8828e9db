package recipe

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"lockstep/render/recipe/internal/contents"
	"lockstep/render/recipe/internal/numbers"
	"lockstep/render/recipe/internal/reading"
	"lockstep/scenes"
	"lockstep/scenes/procedural"
)

// meshKeys are the keys that may follow the name of a mesh in an argument.
var meshKeys = []string{"color", "scale", "rotate", "move", "up"}

// argument returns a mesh in the form of an argument, FILE:key=value:... It leaves out the format.
func (m Mesh) argument(added bool) string {
	s := ""
	if m.Color != "" {
		s += ":color=" + string(m.Color)
	}
	if m.Up != "" {
		s += ":up=" + m.Up
	}
	if m.Scale != 0 {
		s += ":scale=" + numbers.Exact(m.Scale)
	}
	if m.Rotate != (Point{}) {
		s += ":rotate=" + numbers.ExactList(m.Rotate[:])
	}
	if m.Move != (Point{}) {
		s += ":move=" + numbers.ExactList(m.Move[:])
	}
	name := m.File
	if _, _, keyed := lastKey(name); keyed || strings.HasSuffix(name, ":") {
		name += ":" // marks the end of a name that contains text like a key
	}
	return name + s
}

// lastKey splits the argument s at its last key. The result rest is the part before the key. The part of s after the
// key is the key's value.
func lastKey(s string) (rest, key string, ok bool) {
	at := strings.LastIndexByte(s, ':')
	if at < 1 {
		return s, "", false
	}
	key, _, ok = strings.Cut(s[at+1:], "=")
	if !ok || !slices.Contains(meshKeys, key) {
		return s, "", false
	}
	return s[:at], key, true
}

// parseMesh reads FILE:key=value:... starting at the end, because names of files may contain colons. It drops one
// colon at the end of FILE. Such a colon marks the end of a name that contains text like a key.
func parseMesh(s string) (m Mesh, err error) {
	text := s
	for {
		rest, key, ok := lastKey(s)
		if !ok {
			break
		}
		if !m.set(key, s[len(rest)+len(key)+2:]) {
			return m, fmt.Errorf("%s: expected %s behind :%s=", text, keyValues[key], key)
		}
		s = rest
	}
	if len(s) > 1 {
		s = strings.TrimSuffix(s, ":")
	}
	if m.File = s; s == "" {
		return m, fmt.Errorf("%q: expected a file or a scene", text)
	}
	return m, nil
}

// ParseMesh reads a mesh in the form of an argument: FILE, optionally followed by :color=RRGGBB, :up=AXIS, :scale=F,
// :rotate=X,Y,Z in degrees and :move=X,Y,Z.
func ParseMesh(text string) (Mesh, error) { return parseMesh(text) }

// keyValues maps each key to a description of its values.
var keyValues = map[string]string{
	"color": "RRGGBB or the name of a colour", "up": "x, y, z, -x, -y or -z", "scale": "a number that is not 0",
	"rotate": "X,Y,Z in degrees", "move": "X,Y,Z",
}

// set sets the field of a key, and reports whether the value is valid.
func (m *Mesh) set(key, value string) (ok bool) {
	switch key {
	case "color":
		m.Color = Color(value)
		_, ok = m.Color.RGB()
	case "up":
		axis, err := scenes.ParseAxis(value)
		m.Up, ok = axis.String(), err == nil
	case "scale":
		x, err := strconv.ParseFloat(value, 64)
		m.Scale, ok = x, err == nil && numbers.IsFinite(x) && x != 0
	case "rotate", "move":
		to := &m.Rotate
		if key == "move" {
			to = &m.Move
		}
		var v []float64
		if v, ok = numbers.Parse(value, len(to)); ok {
			copy(to[:], v)
		}
	}
	return ok
}

// Name returns the name of a mesh in messages: its own name, or "standard input" for "-".
func Name(mesh string) string { return reading.Name(mesh) }

// Folder returns the name that stands for the folder of the i-th mesh in the list of files on which a picture depends.
func Folder(i int) string { return reading.Folder(i) }

// UnknownContents stands for the hash of pipes and devices, which cannot be read twice. It counts as different from
// all other contents, even from other unknown contents.
const UnknownContents = contents.Unknown

// IsScene reports whether the mesh is a procedural scene.
func (m Mesh) IsScene() bool { return strings.HasPrefix(m.File, procedural.Prefix) }

// Placement returns the affine map that places the mesh, or nil if the mesh is not placed. It scales, then rotates
// about x, y and z in this order, then moves.
func (m Mesh) Placement() *scenes.Affine {
	if (m.Scale == 0 || m.Scale == 1) && m.Rotate == (Point{}) && m.Move == (Point{}) {
		return nil
	}
	s := m.Scale
	if s == 0 {
		s = 1
	}
	t := scenes.Affine{{s, 0, 0, 0}, {0, s, 0, 0}, {0, 0, s, 0}}
	for axis, degrees := range m.Rotate {
		sin, cos := math.Sincos(degrees * math.Pi / 180)
		if q := math.Mod(degrees, 90); q == 0 {
			sin, cos = math.Round(sin), math.Round(cos)
		}
		turn := scenes.Identity()
		i, j := (axis+1)%3, (axis+2)%3
		turn[i][i], turn[i][j], turn[j][i], turn[j][j] = cos, -sin, sin, cos
		t = turn.Mul(&t)
	}
	for axis := range 3 {
		t[axis][3] = m.Move[axis]
	}
	return &t
}
