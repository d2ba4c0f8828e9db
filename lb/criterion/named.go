package criterion

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// named are the criteria by name. takes says what the parameter is that may follow
// the name after a colon; "" for none.
var named = []struct {
	name, takes string
	make        func(parameter float64, iterations int) Criterion
}{
	{"menon", "", func(float64, int) Criterion { return &Menon{} }},
	{"boulmier", "", func(float64, int) Criterion { return &Boulmier{} }},
	{"zhai", "", func(float64, int) Criterion { return &Zhai{} }},
	{"pearce", "", func(float64, int) Criterion { return &Pearce{} }},
	{"ours", "", func(_ float64, n int) Criterion { return &Bounded{Iterations: n} }},
	{"ours-open", "", func(float64, int) Criterion { return &Bounded{} }},
	{"never", "", func(float64, int) Criterion { return Never{} }},
	{"always", "", func(float64, int) Criterion { return Always{} }},
	{"periodic", "period", func(v float64, _ int) Criterion { return &Periodic{Period: int(v)} }},
	{"procassini", "rho", func(v float64, _ int) Criterion { return &Procassini{Rho: v} }},
	{"marquez", "xi", func(v float64, _ int) Criterion { return &Marquez{Tolerance: v} }},
}

// Named returns a function that makes a criterion for a run of the given number of
// iterations. spec is the criterion's name, for some followed by a colon and a
// parameter greater than 0, such as "periodic:600" or "procassini:1.25".
func Named(spec string) (func(iterations int) Criterion, error) {
	name, text, given := strings.Cut(spec, ":")
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

func names() []string {
	var all []string
	for _, n := range named {
		all = append(all, usage(n.name, n.takes))
	}
	return all
}

func usage(name, takes string) string {
	if takes == "" {
		return name
	}
	return name + ":" + strings.ToUpper(takes)
}
