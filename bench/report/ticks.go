package report

import (
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
)

// Ticks marks about five to nine multiples of 1, 2 or 5 times a power of ten.
type Ticks struct{}

// Ticks implements plot.Ticker.
func (Ticks) Ticks(low, high float64) []plot.Tick {
	// If high-low is much smaller than the numbers, adding a step to low may not change it. Then there is only one
	// tick.
	if !(high-low > 1e-9*max(math.Abs(low), math.Abs(high))) || math.IsInf(high-low, 0) {
		return []plot.Tick{{Value: low, Label: strconv.FormatFloat(low, 'g', 4, 64)}}
	}
	step := math.Pow(10, math.Floor(math.Log10(high-low)))
	for _, f := range []float64{0.1, 0.2, 0.5, 1} {
		if (high-low)/(step*f) <= 9 {
			step *= f
			break
		}
	}
	var ticks []plot.Tick
	// The factor 1+1e-12 includes a tick that is above high only because of rounding. The limit of ten ticks makes sure
	// that the loop ends.
	for i := math.Ceil(low / step); i*step <= high*(1+1e-12) && len(ticks) < 10; i++ {
		ticks = append(ticks, plot.Tick{Value: i * step, Label: strconv.FormatFloat(i*step, 'g', 6, 64)})
	}
	return ticks
}

// TicksUpTo(v) marks the same numbers as Ticks, up to v. The axis may be longer, to have room for the legend above the
// ticks.
type TicksUpTo float64

// Ticks implements plot.Ticker.
func (most TicksUpTo) Ticks(low, _ float64) []plot.Tick { return Ticks{}.Ticks(low, float64(most)) }

// WholeTicks marks about ten whole multiples of a round number, up to Last. The axis may be longer, to have room for
// the legend to the right of the ticks.
type WholeTicks struct{ Last float64 }

// maxWholeTicks limits the number of ticks. The distance of two ticks is at most 1000, so a very large Last would give
// too many ticks.
const maxWholeTicks = 100

// Ticks implements plot.Ticker.
func (w WholeTicks) Ticks(low, _ float64) (ticks []plot.Tick) {
	every := 1.0
	for _, e := range []float64{2, 5, 10, 20, 50, 100, 200, 500, 1000} {
		if (w.Last-low)/every > 10 {
			every = e
		}
	}
	for i := range maxWholeTicks {
		v := (math.Ceil(low/every) + float64(i)) * every
		if !(v <= w.Last) {
			break
		}
		ticks = append(ticks, plot.Tick{Value: v, Label: strconv.FormatFloat(v, 'g', -1, 64)})
	}
	return ticks
}

// DecadeTicks marks digits times powers of ten on a logarithmic axis:
//
//   - up to 3.5 decades: multiples by 1 to 9, with labels at 1, 2 and 5;
//   - up to 10 decades: multiples by 1, 2 and 5, with labels at 1;
//   - more decades: powers of ten.
//
// At most about eight powers of ten have labels. A range that is not positive and finite gets no ticks.
type DecadeTicks struct{}

// A decade is a factor of ten. These are the largest numbers of decades for which labels or ticks fit on an axis of six
// centimetres.
const (
	maxLabelledDecades = 3.5 // for labels at the digits 2 and 5
	maxDividedDecades  = 10  // for ticks between powers of ten, without labels
)

// Ticks implements plot.Ticker. It returns at most about 630 ticks, one for each decade of a float64.
func (DecadeTicks) Ticks(low, high float64) (ticks []plot.Tick) {
	if !(low > 0 && high >= low) || math.IsInf(high, 1) {
		return nil
	}
	first, last := int(math.Floor(math.Log10(low))), int(math.Ceil(math.Log10(high)))
	decades := math.Log10(high) - math.Log10(low)
	every := max(1, (last-first+7)/8)
	for e := first; e <= last; e++ {
		for m := 1; m <= 9; m++ {
			v := float64(m) * math.Pow(10, float64(e))
			round := m == 1 || m == 2 || m == 5
			if v < low || v > high || m != 1 && decades > maxDividedDecades || !round && decades > maxLabelledDecades {
				continue
			}
			t := plot.Tick{Value: v}
			if m == 1 && (e-first)%every == 0 || round && decades <= maxLabelledDecades {
				t.Label = strings.Replace(strconv.FormatFloat(v, 'g', -1, 64), "e+0", "e", 1)
			}
			ticks = append(ticks, t)
		}
	}
	return ticks
}

// SetLog makes an axis logarithmic and adds "(log scale)" to its label.
func SetLog(a *plot.Axis) {
	a.Scale, a.Tick.Marker = plot.LogScale{}, DecadeTicks{}
	a.Label.Text = strings.TrimSpace(a.Label.Text + " (log scale)")
}
