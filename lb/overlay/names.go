package overlay

import (
	"fmt"
	"slices"
	"strings"
)

// names holds the names of an enumeration's values, in order.
type names []string

func (n names) text(i int) string {
	if i < len(n) {
		return n[i]
	}
	return fmt.Sprintf("value %d", i)
}

func (n names) parse(kind, name string) (int, error) {
	i := slices.Index(n, strings.ToLower(name))
	if i < 0 {
		return 0, fmt.Errorf("unknown %s %q: expected %s", kind, name, strings.Join(n, ", "))
	}
	return i, nil
}
