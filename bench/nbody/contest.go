package nbody

import "context"

// A Contest lets several players run the same particles.
type Contest struct {
	Setup *Setup
	Seed  uint64
	// Every is the number of iterations from one that the players see to the next,
	// which stands for all between; 0 means 1.
	Every int
	// For runs independent pieces of work; nil runs one after the other.
	For func(n int, body func(int))
	// Watch, if not nil, is called after every iteration that the players see.
	Watch func(iteration int, y *System)
}

// Run lets all players run from the start to the end.
func (c *Contest) Run(ctx context.Context, players []*Player) (*System, error) {
	every := max(1, c.Every)
	loop := c.For
	if loop == nil {
		loop = inTurn
	}
	y := c.Setup.New(c.Seed)
	faults := make([]error, len(players))
	for t := range c.Setup.Iterations {
		if err := ctx.Err(); err != nil {
			return y, err
		}
		seen := t%every == 0
		if seen {
			now := float64(t) * c.Setup.Step
			loop(len(players), func(i int) { faults[i] = players[i].Before(t, y, now) })
			for _, err := range faults {
				if err != nil {
					return y, err
				}
			}
		}
		y.Drift()
		y.Prepare(loop, seen)
		y.Kick()
		if seen {
			now := float64(t+1) * c.Setup.Step
			times := min(every, c.Setup.Iterations-t)
			loop(len(players), func(i int) { players[i].After(y, now, times) })
			if c.Watch != nil {
				c.Watch(t, y)
			}
		}
	}
	return y, nil
}
