package report

import (
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
)

// Ticks marks multiples of 1, 2 or 5 times a power of ten, about five to nine of them.
type Ticks struct{}

// Ticks implements plot.Ticker.
func (Ticks) Ticks(low, high float64) []plot.Tick {
	// If the numbers are much larger than their differences, steps vanish by rounding.
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
	// There is room for at most ten ticks, and rounding of high must not add more.
	for i := math.Ceil(low / step); i*step <= high*(1+1e-12) && len(ticks) < 10; i++ {
		ticks = append(ticks, plot.Tick{Value: i * step, Label: strconv.FormatFloat(i*step, 'g', 6, 64)})
	}
	return ticks
}

// TicksUpTo are Ticks up to the given value. The axis above it is room for the legend.
type TicksUpTo float64

// Ticks implements plot.Ticker.
func (most TicksUpTo) Ticks(low, _ float64) []plot.Tick { return Ticks{}.Ticks(low, float64(most)) }

// WholeTicks are about ten round whole numbers up to Last. The axis to the right of it is room for the legend.
type WholeTicks struct{ Last float64 }

// wholeTicksMost bounds the number of ticks if the last value is too large for steps of 1000, the largest steps.
const wholeTicksMost = 100

// Ticks implements plot.Ticker.
func (w WholeTicks) Ticks(low, _ float64) (ticks []plot.Tick) {
	every := 1.0
	for _, e := range []float64{2, 5, 10, 20, 50, 100, 200, 500, 1000} {
		if (w.Last-low)/every > 10 {
			every = e
		}
	}
	for i := range wholeTicksMost {
		v := (math.Ceil(low/every) + float64(i)) * every
		if !(v <= w.Last) {
			break
		}
		ticks = append(ticks, plot.Tick{Value: v, Label: strconv.FormatFloat(v, 'g', -1, 64)})
	}
	return ticks
}

// DecadeTicks are the ticks of a logarithmic axis. The digits 1, 2 and 5 times powers of ten have numbers, and the
// other digits have ticks without numbers. If the axis has more than three and a half decades, only powers of ten have
// numbers, and 2 and 5 times these have ticks without numbers as long as there is room. A range that a logarithmic axis
// cannot have gets no ticks.
type DecadeTicks struct{}

// These are the largest numbers of decades for which there is room on an axis of six centimetres.
const (
	decadesLabelled = 3.5 // for numbers at 2 and 5
	decadesParted   = 10  // for ticks between powers of ten
)

// Ticks implements plot.Ticker. Over many decades it returns at most one tick for each decade of a float64, some 630.
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
			if v < low || v > high || m != 1 && decades > decadesParted || !round && decades > decadesLabelled {
				continue
			}
			t := plot.Tick{Value: v}
			if m == 1 && (e-first)%every == 0 || round && decades <= decadesLabelled {
				t.Label = strings.Replace(strconv.FormatFloat(v, 'g', -1, 64), "e+0", "e", 1)
			}
			ticks = append(ticks, t)
		}
	}
	return ticks
}

// SetLog makes an axis logarithmic and adds that to its label.
func SetLog(a *plot.Axis) {
	a.Scale, a.Tick.Marker = plot.LogScale{}, DecadeTicks{}
	a.Label.Text = strings.TrimSpace(a.Label.Text + " (log scale)")
}
