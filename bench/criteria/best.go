package criteria

import (
	"context"
	"fmt"
	"math"

	"lockstep/lb/scenario"
)

// maxBest limits the number of schedules that are searched for. The search needs memory for that many schedules at
// every iteration.
const maxBest = 1000

// addBest appends the next cheapest schedules after the optimum to results, under the names "2nd", "3rd" and so on.
// With the optimum there are as many schedules as --best says.
func (c *Experiment) addBest(ctx context.Context, app scenario.Application, results []result) ([]result, error) {
	if c.Best <= 1 {
		return results, nil
	}
	found, err := scenario.Search(ctx, app, c.Best)
	if err != nil {
		return nil, err
	}
	for i, s := range found.Scenarios[1:] {
		results = append(results, result{ordinal(i + 2), math.NaN(), s, relativeCost(s.Cost, results[0].Cost)})
	}
	return results, nil
}

// ordinal returns 2nd, 3rd, 4th and so on.
func ordinal(n int) string {
	suffix := "th"
	if n/10%10 != 1 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return fmt.Sprintf("%d%s", n, suffix)
}
