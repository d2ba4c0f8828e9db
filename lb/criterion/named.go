package criterion

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// named lists the criteria with their names. A criterion may take a number after its name and a colon. The field
// `takes` is the name of that number, or "" if the criterion takes none.
var named = []struct {
	name, takes string
	make        func(parameter float64, iterations int) Criterion
}{
	{"menon", "", func(float64, int) Criterion { return &Menon{} }},
	{"boulmier", "", func(float64, int) Criterion { return &Boulmier{} }},
	{"zhai", "", func(float64, int) Criterion { return &Zhai{} }},
	{"pearce", "", func(float64, int) Criterion { return &Pearce{} }},
	{"metalb", "", func(float64, int) Criterion { return &MetaLB{} }},
	{"amrex", "period", func(v float64, _ int) Criterion { return &AMReX{Every: int(v)} }},
	{"ours", "", func(_ float64, n int) Criterion { return &Bounded{Iterations: n} }},
	{"ours-open", "", func(float64, int) Criterion { return &Bounded{} }},
	{"never", "", func(float64, int) Criterion { return Never{} }},
	{"always", "", func(float64, int) Criterion { return Always{} }},
	{"periodic", "period", func(v float64, _ int) Criterion { return &Periodic{Period: int(v)} }},
	{"procassini", "rho", func(v float64, _ int) Criterion { return &Procassini{Rho: v} }},
	{"marquez", "xi", func(v float64, _ int) Criterion { return &Marquez{Tolerance: v} }},
}

// Named returns a function that makes a criterion for a run of the given number of iterations. spec is the criterion's
// name. For some criteria a colon and a parameter greater than 0 follow, such as "periodic:600" or "procassini:1.25".
// For a guard, a colon, its bound, another colon and the spec of its advisor follow, such as "guard:3:boulmier".
func Named(spec string) (func(iterations int) Criterion, error) {
	name, text, given := strings.Cut(spec, ":")
	if name == "guard" {
		return namedGuard(spec, text)
	}
	i := slices.IndexFunc(named, func(n struct {
		name, takes string
		make        func(float64, int) Criterion
	}) bool {
		return n.name == name
	})
	if i < 0 {
		return nil, fmt.Errorf("criterion %q: expected one of %s", name, strings.Join(names(), ", "))
	}
	n := named[i]
	if given != (n.takes != "") {
		return nil, fmt.Errorf("criterion %q: expected %s", spec, usage(n.name, n.takes))
	}
	v := 0.0
	if given {
		var err error
		if v, err = strconv.ParseFloat(text, 64); err != nil || !(v > 0) || v > 1e9 {
			return nil, fmt.Errorf("criterion %q: expected %s of more than 0 and at most 1e9 after the colon", spec, n.takes)
		}
	}
	return func(iterations int) Criterion { return n.make(v, iterations) }, nil
}

const guardUsage = "guard:R:CRITERION"

// namedGuard returns a function that makes a guard. text is the part of spec after the name and its colon.
func namedGuard(spec, text string) (func(iterations int) Criterion, error) {
	bound, of, given := strings.Cut(text, ":")
	if !given {
		return nil, fmt.Errorf("criterion %q: expected %s", spec, guardUsage)
	}
	r, err := strconv.ParseFloat(bound, 64)
	if err != nil {
		return nil, fmt.Errorf("criterion %q: expected a number of at least 2 for R in %s", spec, guardUsage)
	}
	advisor, err := Named(of)
	if err != nil {
		return nil, fmt.Errorf("criterion %q: %w", spec, err)
	}
	if _, err := Guard(Never{}, r); err != nil {
		return nil, fmt.Errorf("criterion %q: %w", spec, err)
	}
	return func(iterations int) Criterion {
		g, err := Guard(advisor(iterations), r)
		if err != nil {
			panic("criterion: a checked guard: " + err.Error())
		}
		return g
	}, nil
}

func names() []string {
	var all []string
	for _, n := range named {
		all = append(all, usage(n.name, n.takes))
	}
	return append(all, guardUsage)
}

func usage(name, takes string) string {
	if takes == "" {
		return name
	}
	return name + ":" + strings.ToUpper(takes)
}
