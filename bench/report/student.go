package report

import "math"

// Student are the 97.5 % quantiles of Student's distribution by degrees of freedom, from
// 0, which has none: the mean of n values has a confidence interval of 95 % of their
// deviation over the root of n, times Student[n-1], to either side.
var Student = [...]float64{math.Inf(1), 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262,
	2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093}
