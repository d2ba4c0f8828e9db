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

// A claimedClip is an animation as the document describes it: specification 2.0, section 3.11.
type claimedClip struct {
	Name     string           `json:"name"`
	Channels []claimedChannel `json:"channels"`
	Samplers []claimedCurve   `json:"samplers"`
}

// A claimedChannel names a node, the property of the node that is animated, and the curve that animates it.
type claimedChannel struct {
	Sampler integer `json:"sampler"`
	Target  struct {
		Node *integer `json:"node"`
		Path string   `json:"path"`
	} `json:"target"`
}

// A claimedCurve is a sampler of an animation. It names the accessors of its times and of its values.
type claimedCurve struct {
	Input         integer `json:"input"`
	Output        integer `json:"output"`
	Interpolation string  `json:"interpolation"`
}

// A claimedMax is the maximum of an accessor of single numbers, as the document states it. It is 0 for other accessors.
type claimedMax float64

// UnmarshalJSON accepts a list of one number. Anything else sets g to 0, because a wrong maximum is no reason to refuse
// the mesh.
func (g *claimedMax) UnmarshalJSON(data []byte) error {
	v, err := strconv.ParseFloat(strings.TrimSpace(strings.Trim(string(data), "[]")), 64)
	if *g = claimedMax(v); err != nil {
		*g = 0
	}
	return nil
}

// longestClip is the greatest length of a clip in seconds: 11 days. Greater times are damage and are ignored.
const longestClip = 1e6

// readClips decodes the animations of the document, and lists them for the report. If they are damaged, it adds a
// warning, but only if the options ask for a pose.
func (r *reader) readClips() error {
	if len(r.doc.Animations) == 0 {
		return nil
	}
	if err := json.Unmarshal(r.doc.Animations, &r.animations); err != nil {
		r.animations = nil
		if r.in.Options.Pose != nil {
			return r.warn.Add("animations", "%s", text.OneLine(describeError(err)))
		}
		return nil
	}
	r.clips = make([]scenes.Clip, len(r.animations))
	for i := range r.animations {
		c := &r.animations[i]
		r.clips[i] = scenes.Clip{Name: c.Name[:min(len(c.Name), text.MaxName)], Seconds: r.clipSeconds(c)}
	}
	return nil
}

// clipSeconds returns the length of a clip. Each accessor of times states its maximum, and the length is the greatest
// of these maxima. If an accessor states no maximum, clipSeconds reads the accessor's last time, unless the accessor
// is compressed.
func (r *reader) clipSeconds(c *claimedClip) float64 {
	last := 0.0
	for _, s := range c.Samplers {
		a, err := entry(r.doc.Accessors, "accessor", s.Input)
		if err != nil {
			continue
		}
		end := float64(a.Max)
		if end == 0 && !r.isCompressed(a) {
			end = r.lastTime(s.Input)
		}
		if end <= longestClip {
			last = max(last, end)
		}
	}
	return last
}

// isCompressed reports whether the bytes of an accessor are compressed.
func (r *reader) isCompressed(a *claimedAccessor) bool {
	if a.BufferView == nil {
		return false
	}
	v, err := entry(r.doc.BufferViews, "buffer view", *a.BufferView)
	return err == nil && len(v.Extensions) > 0
}

// lastTime returns the last number of accessor i. It returns 0 if there is none.
func (r *reader) lastTime(i integer) float64 {
	e, err := r.accessor(i, 1)
	if err != nil || e.n == 0 {
		return 0
	}
	var last [1]float64
	e.decodeNumbers(e.n-1, 1, last[:])
	return last[0]
}

// applyPose applies the pose of the options. It replaces transforms and weights of nodes in the document by values of
// the animation. Nodes of damaged channels are not changed.
func (r *reader) applyPose() error {
	pose := r.in.Options.Pose
	if pose == nil {
		return nil
	}
	i := scenes.FindClip(r.clips, pose.Clip)
	if i < 0 {
		return nil // the report tells which clips exist
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
		err := r.applyChannel(clip, ch, width, pose.Seconds)
		var limit *scenes.LimitError
		switch {
		case err == nil:
			continue
		case errors.As(err, &limit) || r.in.Context().Err() != nil:
			return r.warnUnlessFatal(where, err)
		case broken == 0:
			first = fmt.Errorf("channel %d: %w", k, err)
		}
		broken++
	}
	if broken > 1 {
		first = fmt.Errorf("%w; so are %d more", first, broken-1)
	}
	if broken > 0 {
		if err := r.warnUnlessFatal(where, first); err != nil {
			return err
		}
	}
	if unknown > 0 {
		return r.warn.Add(where, "%d channels move nothing that is known of a node, and are left out", unknown)
	}
	return nil
}

// widthsOf maps the path of a channel to the number of numbers in a value. The path is the property that the channel
// animates. The weights of all morph targets at one time count as several values of one number each.
var widthsOf = map[string]int{"translation": 3, "rotation": 4, "scale": 3, "weights": 1}

// applyChannel sets the property that a channel animates to the value of its curve at time `at`.
func (r *reader) applyChannel(clip *claimedClip, ch *claimedChannel, width int, at float64) error {
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
	c, err := r.readCurve(s, width, count)
	if err != nil {
		return err
	}
	value := make([]float64, width*count)
	c.writeAt(at, ch.Target.Path == "rotation", value)
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

// weightsOf returns the number of weights of the mesh of node n. It returns an error if a list of so many weights
// exceeds the limits.
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
	return count, r.Reserve(8 * int64(count))
}
