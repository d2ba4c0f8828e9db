package procedural

import (
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"lockstep/scenes/internal/text"
)

// A params reads the parameters of a scene. It records which parameters were read, so that check can find parameters
// that the scene does not have.
type params struct {
	values url.Values
	known  []string
	err    error // error about the first wrong value
}

// count returns the integer parameter called key, or def if it is missing. The parameter must be from lo to hi.
func (p *params) count(key string, def, lo, hi int) int {
	text, ok := p.get(key)
	if !ok {
		return def
	}
	digits, unit := text, 1
	switch {
	case strings.HasSuffix(text, "k"):
		digits, unit = text[:len(text)-1], 1000
	case strings.HasSuffix(text, "M"):
		digits, unit = text[:len(text)-1], 1_000_000
	}
	n, err := strconv.Atoi(digits)
	if err != nil || n < 0 || n > hi/unit || n*unit < lo {
		p.fail(key, text, fmt.Sprintf("an integer from %d to %d", lo, hi))
		return def
	}
	return n * unit
}

// number returns the parameter called key, or def if it is missing. The parameter must be from lo to hi.
func (p *params) number(key string, def, lo, hi float64) float64 {
	text, ok := p.get(key)
	if !ok {
		return def
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v >= lo && v <= hi) {
		p.fail(key, text, fmt.Sprintf("a number from %v to %v", lo, hi))
		return def
	}
	return v
}

// triangles returns the parameter "triangles", or def if it is missing. The parameter must be at least `least`.
func (p *params) triangles(def, least int) int {
	return p.count("triangles", def, least, maxTriangles)
}

// seed returns the parameter "seed".
func (p *params) seed() uint64 { return uint64(p.count("seed", 1, 0, math.MaxInt)) }

func (p *params) get(key string) (string, bool) {
	p.known = append(p.known, key)
	v, ok := p.values[key]
	if !ok {
		return "", false
	}
	if len(v) > 1 && p.err == nil {
		p.err = fmt.Errorf("parameter %s is given %d times", key, len(v))
	}
	return v[0], true
}

func (p *params) fail(key, value, want string) {
	if p.err == nil {
		p.err = fmt.Errorf("%s=%s: expected %s", key, text.OneLine(value), want)
	}
}

// check returns the error about the first wrong value, or an error that names the parameters that the scene does not
// have.
func (p *params) check() error {
	var unknown []string
	for key := range p.values {
		if !slices.Contains(p.known, key) {
			unknown = append(unknown, key)
		}
	}
	if len(unknown) > 0 {
		return fmt.Errorf("no parameter %q, there are %s", slices.Min(unknown), strings.Join(p.known, ", "))
	}
	return p.err
}
