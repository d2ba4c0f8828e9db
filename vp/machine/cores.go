package machine

// firstCores returns the cores 0 to n-1.
func firstCores(n int) []int {
	cores := make([]int, n)
	for i := range cores {
		cores[i] = i
	}
	return cores
}
