package budget

import "fmt"

// A Shortage says what there is too little of.
type Shortage struct {
	Of         string // memory or address space
	Need, Have int64  // bytes
}

// Text says so.
func (s *Shortage) Text() string {
	const gib = 1 << 30
	return fmt.Sprintf("needs at least %.2f GiB of %s, and %.2f GiB are available", float64(s.Need)/gib, s.Of, float64(max(s.Have, 0))/gib)
}
