package report

import "math"

// Student holds the 97.5 % quantiles of Student's t distribution, by the number of degrees of freedom. Element 0 is
// infinity. The 95 % confidence interval of the mean of n values with standard deviation s is mean ±
// Student[n-1]*s/sqrt(n).
var Student = [...]float64{math.Inf(1), 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262,
	2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093}
