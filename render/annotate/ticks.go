package annotate

import (
	"math"
	"strconv"
	"strings"
)

// A tick is a number beside a bar of colours. The field at is the tick's position on the bar, from 0 (lower end) to 1
// (upper end).
type tick struct {
	at   float64
	text string
}

// roundLevels returns the multiples of step from low to high, and step itself. A candidate for step is 1, 2 or 5
// times a power of ten. step is the smallest candidate that has at most `most` multiples from low to high. levels may
// be empty.
func roundLevels(low, high float64, most int) (levels []float64, step float64) {
	parts := float64(max(most, 1))
	least := high/parts - low/parts // high-low might overflow
	if !(least > 0) || math.IsInf(least, 0) {
		return nil, 0
	}
	exponent := math.Floor(math.Log10(least))
	for _, m := range [...]float64{1, 2, 5, 10, 20, 50} {
		step = float64(m * math.Pow(10, exponent))
		first, last := math.Ceil(low/step-1e-9), math.Floor(high/step+1e-9)
		const exact = 1 << 52
		if !(math.Abs(first) < exact && math.Abs(last) < exact) {
			return nil, 0
		}
		if last-first+1 > float64(most) {
			continue
		}
		for k := first; k <= last; k++ {
			levels = append(levels, multiple(k, m, exponent))
		}
		return levels, step
	}
	return nil, 0
}

// multiple returns k * m * 10^exponent.
func multiple(k, m, exponent float64) float64 {
	if exponent < 0 && exponent > -300 { // 0.1 is not exact in binary, but its inverse is
		return float64(k*m) / math.Pow(10, -exponent)
	}
	return float64(float64(k*m) * math.Pow(10, exponent))
}

// ticks returns at most `most` ticks at round numbers. If there are fewer than two round numbers between Low and High,
// it returns ticks at Low and High.
func (l *Legend) ticks(most int) (ticks []tick) {
	if most < 2 {
		return nil
	}
	levels, step := roundLevels(l.Low, l.High, most)
	if len(levels) < 2 {
		levels, step = []float64{l.Low, l.High}, l.High-l.Low
	}
	for _, v := range levels {
		at := (v/2 - l.Low/2) / (l.High/2 - l.Low/2)
		ticks = append(ticks, tick{min(max(at, 0), 1), tickText(v, step)})
	}
	return ticks
}

// tickText formats v with just enough digits to show a hundredth of step.
func tickText(v, step float64) string {
	const digits = 2 // number of digits after the first digit of step
	place := func(x float64) int { return int(math.Floor(math.Log10(math.Abs(x)))) }
	last := place(step) - digits
	if v == 0 || place(v) < last {
		return "0"
	}
	if text := strconv.FormatFloat(v, 'e', min(max(place(v)-last, 0), 15), 64); place(v) < -4 || place(v) > 6 {
		mantissa, exponent, _ := strings.Cut(text, "e")
		return trimZeros(mantissa) + "e" + exponent
	}
	return trimZeros(strconv.FormatFloat(v, 'f', min(max(-last, 0), 15), 64))
}

// trimZeros removes trailing zeros of a decimal fraction.
func trimZeros(s string) string {
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}
