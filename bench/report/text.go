package report

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"
)

// A Number is a float64. If it is infinite or undefined, it is null in JSON and a dash in tables.
type Number float64

func (n Number) finite() bool { return !math.IsNaN(float64(n)) && !math.IsInf(float64(n), 0) }

// Text formats the number. It returns a dash if the number is infinite or undefined.
func (n Number) Text(format string) string {
	if !n.finite() {
		return "-"
	}
	return fmt.Sprintf(format, float64(n))
}

// MarshalJSON implements [json.Marshaler].
func (n Number) MarshalJSON() ([]byte, error) {
	if !n.finite() {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// WriteJSON writes each object as a line of JSON.
func WriteJSON[T any](w io.Writer, objects ...T) error {
	encoder := json.NewEncoder(w)
	for _, o := range objects {
		if err := encoder.Encode(o); err != nil {
			return fmt.Errorf("write JSON: %w", err)
		}
	}
	return nil
}

// Plural returns "1 thing" or "n things".
func Plural[T int | int64](n T, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// WriteText writes text to w. Its error says that text was being written.
func WriteText(w io.Writer, text *strings.Builder) error {
	if _, err := io.WriteString(w, text.String()); err != nil {
		return fmt.Errorf("write text: %w", err)
	}
	return nil
}

// NewTable returns a writer for a table of right-aligned columns.
func NewTable(text *strings.Builder) *tabwriter.Writer {
	return tabwriter.NewWriter(text, 0, 0, 2, ' ', tabwriter.AlignRight)
}
