package tables

import "encoding/json"

// A View says from where the scene is seen and whether the picture is magnified. Angles are in degrees.
type View struct {
	Name               string
	Azimuth, Elevation float64
	Magnified          bool
}

// views are the rows of the tables of Ahrens and Hansen, ICPP 1995.
var views = []View{
	{Name: "(0,0)"},
	{Name: "(45,45)", Azimuth: 45, Elevation: 45},
	{Name: "M(0,0)", Magnified: true},
	{Name: "M(45,45)", Azimuth: 45, Elevation: 45, Magnified: true},
}

// versions are the two versions of the data set, in the order of Table 1.
var versions = []string{"balanced", "unbalanced"}

// A paperWorkload is a cell of Table 1 of Ahrens and Hansen, "Cost-Effective Data-Parallel Load Balancing", ICPP 1995:
// the largest and the average number of scan lines per polygon.
type paperWorkload struct{ max, avg int }

// paperWorkloads is Table 1, by version and view.
var paperWorkloads = map[string][]paperWorkload{
	"balanced":   {{8, 5}, {10, 5}, {13, 5}, {21, 1}},
	"unbalanced": {{231, 6}, {169, 6}, {512, 8}, {468, 4}},
}

// paperProcessors are the numbers of processors in the columns of Tables 2 and 3.
var paperProcessors = []int{32, 64, 128, 256, 512}

// paperSeconds holds the times of the original and of the load-balanced renderer on a CM-5, by version, view and
// processors. They are Table 3 (balanced) and Table 2 (unbalanced).
var paperSeconds = map[string][][]struct{ or, lb float64 }{
	"balanced": {
		{{4.71, 5.16}, {2.67, 2.95}, {1.57, 1.72}, {0.88, 1.00}, {0.54, 0.64}},
		{{5.49, 6.12}, {2.98, 3.33}, {1.69, 1.89}, {0.99, 1.13}, {0.62, 0.73}},
		{{10.61, 12.47}, {5.80, 6.77}, {3.18, 3.73}, {1.82, 2.21}, {1.11, 1.40}},
		{{12.27, 13.43}, {6.69, 7.34}, {3.74, 4.12}, {2.24, 2.50}, {1.51, 1.65}},
	},
	"unbalanced": {
		{{48.91, 6.21}, {28.98, 3.57}, {18.18, 2.12}, {12.76, 1.35}, {9.99, 0.92}},
		{{38.03, 5.33}, {22.37, 3.00}, {14.27, 1.78}, {10.45, 1.15}, {8.24, 0.81}},
		{{109.64, 10.62}, {65.50, 5.90}, {41.74, 3.40}, {30.12, 2.16}, {23.92, 1.46}},
		{{99.13, 4.42}, {57.91, 2.42}, {37.19, 1.46}, {27.33, 0.94}, {22.40, 0.67}},
	},
}

// A paperNumber is a number from the paper. 0 means that the paper does not give the number. It becomes null in JSON.
type paperNumber float64

// MarshalJSON implements json.Marshaler.
func (n paperNumber) MarshalJSON() ([]byte, error) {
	if n == 0 {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// paperTriangles and paperSeed are the defaults of the scene perforator. They give about the workloads of Table 1.
const (
	paperTriangles = 8700
	paperSeed      = 1
)

// usesPaperScenes reports whether the flags select the data sets that reproduce the paper's. Only then are the paper's
// numbers comparable with ours.
func (t *Experiment) usesPaperScenes() bool {
	return (t.Triangles == 0 || t.Triangles == paperTriangles) && (t.Seed == 0 || t.Seed == paperSeed)
}

// paperSpeedup returns the paper's original time divided by its load-balanced time. It is 0 if the paper has no such
// cell.
func paperSpeedup(version string, view, processors int) paperNumber {
	if paperSeconds[version] == nil {
		return 0
	}
	for column, p := range paperProcessors {
		if p == processors {
			cell := paperSeconds[version][view][column]
			return paperNumber(cell.or / cell.lb)
		}
	}
	return 0
}
