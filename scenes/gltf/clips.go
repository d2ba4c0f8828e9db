package gltf

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"lockstep/scenes"
	"lockstep/scenes/internal/text"
)

// A claimedClip is an animation: specification 2.0, section 3.11.
type claimedClip struct {
	Name     string           `json:"name"`
	Channels []claimedChannel `json:"channels"`
	Samplers []claimedCurve   `json:"samplers"`
}

// A claimedChannel says what of which node a curve moves.
type claimedChannel struct {
	Sampler integer `json:"sampler"`
	Target  struct {
		Node *integer `json:"node"`
		Path string   `json:"path"`
	} `json:"target"`
}

// A claimedCurve is a sampler of an animation: the accessors of its times and values.
type claimedCurve struct {
	Input         integer `json:"input"`
	Output        integer `json:"output"`
	Interpolation string  `json:"interpolation"`
}

// greatest is the greatest number of an accessor of single numbers, as the document claims it; 0 of others.
type greatest float64

// UnmarshalJSON takes a list of one number. No claim is worth refusing a mesh: of anything else it makes 0.
func (g *greatest) UnmarshalJSON(data []byte) error {
	v, err := strconv.ParseFloat(strings.TrimSpace(strings.Trim(string(data), "[]")), 64)
	if *g = greatest(v); err != nil {
		*g = 0
	}
	return nil
}

// longestClip bounds the length of a clip in seconds: 11 days. Longer ones are no animations, but damage.
const longestClip = 1e6

// readClips decodes the animations of the document and tells of them in the report. What is wrong with them is one
// warning if a pose is wanted, and else no matter.
func (r *reader) readClips() error {
	if len(r.doc.Animations) == 0 {
		return nil
	}
	if err := json.Unmarshal(r.doc.Animations, &r.animations); err != nil {
		r.animations = nil
		if r.in.Options.Pose != nil {
			return r.warn.Add("animations", "%s", text.OneLine(fault(err)))
		}
		return nil
	}
	r.clips = make([]scenes.Clip, len(r.animations))
	for i := range r.animations {
		c := &r.animations[i]
		r.clips[i] = scenes.Clip{Name: c.Name[:min(len(c.Name), text.MaxName)], Seconds: r.seconds(c)}
	}
	return nil
}

// seconds returns the length of a clip: the greatest time that its accessors claim. Where one claims nothing it is the
// last that it has, unless its bytes would have to be unpacked for that.
func (r *reader) seconds(c *claimedClip) float64 {
	last := 0.0
	for _, s := range c.Samplers {
		a, err := entry(r.doc.Accessors, "accessor", s.Input)
		if err != nil {
			continue
		}
		end := float64(a.Max)
		if end == 0 && !r.packedView(a) {
			end = r.lastTime(s.Input)
		}
		if end <= longestClip {
			last = max(last, end)
		}
	}
	return last
}

// packedView reports whether the bytes of an accessor are compressed.
func (r *reader) packedView(a *claimedAccessor) bool {
	if a.BufferView == nil {
		return false
	}
	v, err := entry(r.doc.BufferViews, "buffer view", *a.BufferView)
	return err == nil && len(v.Extensions) > 0
}

// lastTime returns the last number of an accessor; 0 where there is none.
func (r *reader) lastTime(i integer) float64 {
	e, err := r.accessor(i, 1)
	if err != nil || e.n == 0 {
		return 0
	}
	var last [1]float64
	e.numbers(e.n-1, 1, last[:])
	return last[0]
}

// strikePose puts the nodes where the pose that is wanted has them: it writes their transforms and weights over those
// of the document. What is damaged stays as it is.
func (r *reader) strikePose() error {
	pose := r.in.Options.Pose
	if pose == nil {
		return nil
	}
	i := scenes.FindClip(r.clips, pose.Clip)
	if i < 0 {
		return nil // who wants the pose sees the clips that there are
	}
	clip, where := &r.animations[i], fmt.Sprintf("animation %d", i)
	unknown, broken := 0, 0
	var first error
	for k := range clip.Channels {
		ch := &clip.Channels[k]
		width := widthsOf[ch.Target.Path]
		if ch.Target.Node == nil || width == 0 {
			unknown++
			continue
		}
		err := r.move(clip, ch, width, pose.Seconds)
		var limit *scenes.LimitError
		switch {
		case err == nil:
			continue
		case errors.As(err, &limit) || r.in.Context().Err() != nil:
			return r.note(where, err)
		case broken == 0:
			first = fmt.Errorf("channel %d: %w", k, err)
		}
		broken++
	}
	if broken > 1 {
		first = fmt.Errorf("%w; so are %d more", first, broken-1)
	}
	if broken > 0 {
		if err := r.note(where, first); err != nil {
			return err
		}
	}
	if unknown > 0 {
		return r.warn.Add(where, "%d channels move nothing that is known of a node, and are left out", unknown)
	}
	return nil
}

// widthsOf is how many numbers the values of paths have; those of weights are one a value.
var widthsOf = map[string]int{"translation": 3, "rotation": 4, "scale": 3, "weights": 1}

// move gives the node of a channel the value of its curve at a time.
func (r *reader) move(clip *claimedClip, ch *claimedChannel, width int, at float64) error {
	n, err := entry(r.doc.Nodes, "node", *ch.Target.Node)
	if err != nil {
		return err
	}
	s, err := entry(clip.Samplers, "sampler", ch.Sampler)
	if err != nil {
		return err
	}
	count := 1
	if ch.Target.Path == "weights" {
		if count, err = r.weightsOf(n); err != nil || count == 0 {
			return err
		}
	} else if n.Matrix != nil {
		return fmt.Errorf("node %d has a matrix, and no translation, rotation or scale that could move", *ch.Target.Node)
	}
	c, err := r.curve(s, width, count)
	if err != nil {
		return err
	}
	value := make([]float64, width*count)
	c.at(at, ch.Target.Path == "rotation", value)
	for _, v := range value {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("a value of accessor %d is not finite", s.Output)
		}
	}
	switch ch.Target.Path {
	case "translation":
		n.Translation = value
	case "rotation":
		n.Rotation = value
	case "scale":
		n.Scale = value
	default:
		n.Weights = value
	}
	return nil
}

// weightsOf returns how many weights the mesh of a node has, once it may have a list of as many.
func (r *reader) weightsOf(n *claimedNode) (int, error) {
	if n.Mesh == nil {
		return 0, nil
	}
	m, err := entry(r.doc.Meshes, "mesh", *n.Mesh)
	if err != nil || len(m.Primitives) == 0 {
		return 0, err
	}
	count := len(m.Primitives[0].Targets)
	if err := r.posing.Spend(r.in, int64(count)); err != nil {
		return 0, err
	}
	return count, r.hold(8 * int64(count))
}
