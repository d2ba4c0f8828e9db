package scenario

import (
	"fmt"
	"math"
)

// A Growth names one of the four ways in which the imbalance of the synthetic benchmarks grows with the age k, the
// number of iterations since the last balancing (Boulmier et al., Table 2).
type Growth uint8

// The four growths. Each comment gives the increment of the imbalance from age k to age k+1.
const (
	Constant    Growth = iota // 0.1
	Linear                    // 0.02 k
	Sublinear                 // 1/(0.4 k + 1)
	Autocorrect               // 0.8 - 0.1 (k mod 17), which sums to 0 over any 17 successive ages
)

var growthNames = [...]string{Constant: "constant", Linear: "linear", Sublinear: "sublinear", Autocorrect: "autocorrect"}

// Growths lists the four growths in the order of the tables of Boulmier et al.
var Growths = [...]Growth{Constant, Linear, Sublinear, Autocorrect}

// String returns the name, such as "autocorrect".
func (g Growth) String() string {
	if int(g) < len(growthNames) {
		return growthNames[g]
	}
	return fmt.Sprintf("Growth(%d)", uint8(g))
}

// At returns the increment of the imbalance from age k to age k+1.
func (g Growth) At(k int) float64 {
	switch g {
	case Constant:
		return 0.1
	case Linear:
		return 0.02 * float64(k)
	case Sublinear:
		return 1 / (float64(0.4*float64(k)) + 1)
	case Autocorrect:
		return 0.8 - float64(0.1*float64(k%17))
	}
	panic("scenario: " + g.String() + " is no growth")
}

// Parameters of the synthetic benchmarks of Boulmier et al., per processing element. In the paper, the work W0 and the
// cost of balancing C are both proportional to the number of elements. PaperIterations is called gamma in the paper.
const (
	PaperIterations = 600
	PaperMean       = 52.0
	PaperCost       = 100 * PaperMean
)

// Synthetic returns a synthetic benchmark of Boulmier et al. with the given number of iterations. A static workload
// keeps the mean load PaperMean.
//
// With an irregular workload, iteration t adds sin(pi t/180) to the work. The increment takes effect two iterations
// later: the load of iteration t is the work W(t-1), and W(t) is the sum of the increments of the iterations before t.
// The authors' program has both delays. Without them their figures cannot be reproduced.
func Synthetic(g Growth, irregular bool, iterations int) (*Curves, error) {
	mean := make([]float64, max(0, iterations))
	growth := make([]float64, len(mean))
	load := PaperMean
	for t := range mean {
		if irregular && t >= 2 {
			load = max(0, load+math.Sin(math.Pi*float64(t-2)/180))
		}
		mean[t] = load
		growth[t] = g.At(t)
	}
	return NewCurves(PaperCost, mean, growth)
}
