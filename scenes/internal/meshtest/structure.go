package meshtest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
)

// These functions change files according to their structure. Changes of single bytes hardly ever produce a valid file
// with repetitions or loops.

// MutateGLTF returns a glTF document after a few changes. It repeats entries, puts nodes below themselves or below
// several others, lets entries share data, and writes invalid counts and indices. `most` is the largest number of
// repetitions. A text that is not a JSON object is returned unchanged.
func MutateGLTF(r *rand.Rand, text string, most int) string {
	var doc map[string]any
	if json.Unmarshal([]byte(text), &doc) != nil {
		return text
	}
	m := &gltfMutant{r, doc, most}
	for range 1 + r.IntN(4) {
		m.change()
	}
	out, err := json.Marshal(doc)
	if err != nil {
		return text
	}
	return string(out)
}

type gltfMutant struct {
	*rand.Rand
	doc  map[string]any
	most int
}

// repetitions returns a random number of repetitions, which is small in most cases.
func (m *gltfMutant) repetitions() int { return 1 + m.IntN(1+m.IntN(1+m.IntN(m.most))) }

// lists returns the sorted names of the lists in the document.
func (m *gltfMutant) lists() (names []string) {
	for name, v := range m.doc {
		if all, ok := v.([]any); ok && len(all) > 0 {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func (m *gltfMutant) change() {
	names := m.lists()
	if len(names) == 0 {
		return
	}
	name := names[m.IntN(len(names))]
	all := m.doc[name].([]any)
	one, _ := all[m.IntN(len(all))].(map[string]any)
	switch m.IntN(6) {
	case 0, 1: // repeat an entry of a list
		if one != nil {
			m.doc[name] = append(all, slices.Repeat([]any{one}, m.repetitions())...)
		}
	case 2: // add references between nodes
		m.addEdges()
	case 3: // repeat a part of an entry
		m.repeatEntry(one)
	case 4: // change a number in an entry
		m.changeNumber(m.doc)
	case 5: // replace an entry by another one
		all[m.IntN(len(all))] = all[m.IntN(len(all))]
	}
}

// addEdges adds nodes to the children of other nodes, or to a scene.
func (m *gltfMutant) addEdges() {
	nodes, _ := m.doc["nodes"].([]any)
	scenes, _ := m.doc["scenes"].([]any)
	if len(nodes) == 0 {
		return
	}
	for range 1 + m.IntN(8) {
		to, n := slices.Repeat([]any{float64(m.IntN(len(nodes)))}, m.repetitions()), nodes[m.IntN(len(nodes))]
		if len(scenes) > 0 && m.IntN(4) == 0 {
			n = scenes[m.IntN(len(scenes))]
			extend(n, "nodes", to)
		} else {
			extend(n, "children", to)
		}
	}
}

func extend(of any, list string, more []any) {
	if one, ok := of.(map[string]any); ok {
		have, _ := one[list].([]any)
		one[list] = append(have[:len(have):len(have)], more...)
	}
}

// repeatEntry repeats an entry of some list in v.
func (m *gltfMutant) repeatEntry(v any) {
	one, ok := v.(map[string]any)
	if !ok {
		return
	}
	for _, key := range m.keys(one) {
		if list, ok := one[key].([]any); ok && len(list) > 0 {
			one[key] = slices.Concat(list, slices.Repeat(list[m.IntN(len(list)):][:1], m.repetitions()))
			return
		}
		m.repeatEntry(one[key])
	}
}

// changeNumber changes some number in v. It reports whether v contains one.
func (m *gltfMutant) changeNumber(v any) bool {
	values := []float64{-1, 0, 1, 2, 3, 7, 255, 4096, 65536, 1 << 20, 1 << 31, 1 << 32, 1e15}
	switch v := v.(type) {
	case map[string]any:
		for _, key := range m.keys(v) {
			if _, ok := v[key].(float64); ok {
				v[key] = values[m.IntN(len(values))]
				return true
			}
			if m.changeNumber(v[key]) {
				return true
			}
		}
	case []any:
		return len(v) > 0 && m.changeNumber(v[m.IntN(len(v))])
	}
	return false
}

// keys returns the keys of an object in random order.
func (m *gltfMutant) keys(of map[string]any) (keys []string) {
	for key := range of {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	m.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	return keys
}

var (
	anElement = regexp.MustCompile(`<(component|item|triangle|vertex|base|m:color|m:tex2coord|m:texture2d|m:texture2dgroup)\b[^<>]*/>`)
	anID      = regexp.MustCompile(`\b(objectid|pid|texid|id|v1|p1|pindex)="[0-9]+"`)
	anObject  = regexp.MustCompile(`(?s)<object\b.*?</object>`)
)

// Mutate3MF is like MutateGLTF, for a 3MF model.
func Mutate3MF(r *rand.Rand, model string, most int) string {
	often := func() int { return 1 + r.IntN(1+r.IntN(1+r.IntN(most))) }
	// The function some returns where a random match of the pattern is.
	some := func(pattern *regexp.Regexp) []int {
		if all := pattern.FindAllStringIndex(model, 4096); len(all) > 0 {
			return all[r.IntN(len(all))]
		}
		return []int{0, 0}
	}
	for range 1 + r.IntN(4) {
		switch r.IntN(5) {
		case 0, 1: // repeat an element
			at := some(anElement)
			model = model[:at[1]] + strings.Repeat(model[at[0]:at[1]], often()) + model[at[1]:]
		case 2: // change a number
			at := some(anID)
			name, _, _ := strings.Cut(model[at[0]:at[1]], "=")
			if name != "" {
				model = model[:at[0]] + fmt.Sprintf(`%s="%d"`, name, r.IntN(12)) + model[at[1]:]
			}
		case 3: // let an object consist of other objects, or of itself
			at := some(anObject)
			var b strings.Builder
			for range often() {
				fmt.Fprintf(&b, `<component objectid="%d"/>`, 1+r.IntN(12))
			}
			model = model[:at[1]] + fmt.Sprintf(`<object id="%d"><components>%s</components></object>`, 1+r.IntN(12), b.String()) + model[at[1]:]
		case 4: // repeat objects with new ids
			at := some(anObject)
			for range r.IntN(4) {
				model = model[:at[1]] + strings.Replace(model[at[0]:at[1]], "<object id=\"", fmt.Sprintf("<object id=\"%d", 1+r.IntN(9)), 1) + model[at[1]:]
			}
		}
	}
	return model
}
