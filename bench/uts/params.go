package uts

import (
	"fmt"
	"strconv"
	"strings"
)

// ParseParams reads parameters in the form of the command line of the reference implementation, UTS 2.1:
//
//   - -t: kind of tree, 0 binomial, 1 geometric, 2 hybrid, 3 balanced;
//   - -a: shape, 0 linear, 1 exponential, 2 cyclic, 3 fixed;
//   - -b, -q, -m, -d, -f and -r: see [Params].
//
// Spaces and hyphens are optional: "-t 1 -a3 -d10" is the same as "t1 a3 d10". Missing parameters have the defaults of
// the reference: -t 1 -a 0 -b 4 -q 0.234375 -m 4 -d 6 -f 0.5 -r 0. An error names the parameter that cannot be read.
func ParseParams(text string) (Params, error) {
	p := Params{Kind: Geometric, Shape: Linear, Branches: 4, Q: 15. / 64, M: 4, Depth: 6, Fraction: 0.5}
	words := strings.Fields(text)
	for i := 0; i < len(words); i++ {
		word := strings.TrimPrefix(words[i], "-")
		if word == "" {
			return p, fmt.Errorf("%q: expected a letter of t, a, b, q, m, d, f, r and a number", words[i])
		}
		name, value := word[:1], word[1:]
		if value == "" && i+1 < len(words) {
			i++
			value = words[i]
		}
		if err := p.set(name, value); err != nil {
			return p, fmt.Errorf("-%s %s: %w", name, value, err)
		}
	}
	return p, p.validate()
}

// set sets the parameter with the given name.
func (p *Params) set(name, value string) error {
	number, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return fmt.Errorf("expected a number")
	}
	switch name {
	case "b":
		p.Branches = number
		return nil
	case "q":
		p.Q = number
		return nil
	case "f":
		if p.Fraction = number; number == 0 {
			return fmt.Errorf("expected more than 0")
		}
		return nil
	}
	most := map[string]float64{"t": float64(Balanced), "a": float64(Fixed), "m": maxChildren, "d": maxDepth, "r": 1<<31 - 1}[name]
	switch {
	case most == 0:
		return fmt.Errorf("expected one of t, a, b, q, m, d, f, r")
	case !(number >= 0 && number <= most) || number != float64(uint32(number)):
		return fmt.Errorf("expected a whole number from 0 to %.0f", most)
	}
	switch name {
	case "t":
		p.Kind = Kind(number)
	case "a":
		p.Shape = Shape(number)
	case "m":
		p.M = int(number)
	case "d":
		p.Depth = int(number)
	case "r":
		p.Seed = uint32(number)
	}
	return nil
}

// String returns the parameters in the form that ParseParams reads, without hyphens. It omits parameters that the kind
// of tree does not use, and -f if it has the default value.
func (p Params) String() string {
	number := func(name string, v float64) string { return " " + name + strconv.FormatFloat(v, 'f', -1, 64) }
	text := fmt.Sprintf("t%d", p.Kind)
	if p.Kind == Geometric || p.Kind == Hybrid {
		text += fmt.Sprintf(" a%d", p.Shape)
	}
	if p.Kind != Binomial {
		text += fmt.Sprintf(" d%d", p.Depth)
	}
	text += number("b", p.Branches)
	if p.Kind == Binomial || p.Kind == Hybrid {
		text += number("q", p.Q) + fmt.Sprintf(" m%d", p.M)
	}
	if p.Kind == Hybrid && p.Fraction != 0 && p.Fraction != 0.5 {
		text += number("f", p.Fraction)
	}
	return text + fmt.Sprintf(" r%d", p.Seed)
}
