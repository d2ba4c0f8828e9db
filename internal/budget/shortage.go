package budget

import "fmt"

// A Shortage describes a resource of which there is too little.
type Shortage struct {
	Resource   string // memory or address space
	Need, Have int64  // needed and available bytes
}

// Text returns a message for people.
func (s *Shortage) Text() string {
	const gib = 1 << 30
	return fmt.Sprintf("needs at least %.2f GiB of %s, and %.2f GiB are available", float64(s.Need)/gib, s.Resource, float64(max(s.Have, 0))/gib)
}
