package report

import (
	"encoding/json"
	"math"
	"strings"
	"text/tabwriter"
)

// A Number is a float64 that JSON shows as null where it is infinite or
// undefined.
type Number float64

// MarshalJSON implements [json.Marshaler].
func (n Number) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(n)) || math.IsInf(float64(n), 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// NewTable begins a table of right-aligned columns.
func NewTable(text *strings.Builder) *tabwriter.Writer {
	return tabwriter.NewWriter(text, 0, 0, 2, ' ', tabwriter.AlignRight)
}
