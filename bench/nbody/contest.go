package nbody

import (
	"context"
	"errors"
)

// A Contest runs several players with the same particles. Their motion is computed only once.
type Contest struct {
	Setup *Setup
	Seed  uint64
	// Every is n if the players see only every n-th iteration. Each iteration that they see counts as n iterations. 0
	// means 1.
	Every int
	// For calls body(0) to body(n-1), possibly in parallel. If it is nil, the calls are made one after the other. Run
	// uses it for the forces and for the players, but never for both at once.
	For func(n int, body func(int))
	// PlayersInTurn runs one player at a time. Players that measure time need this.
	PlayersInTurn bool
	// Before and After are called before and after every iteration that the players see. They may be nil.
	Before func(y *System)
	After  func(iteration int, y *System) error
}

// Run simulates all iterations with all players, and returns the particles at the end.
func (c *Contest) Run(ctx context.Context, players []*Player) (*System, error) {
	every := max(1, c.Every)
	loop := c.For
	if loop == nil {
		loop = runInOrder
	}
	y := c.Setup.New(c.Seed)
	for t := range c.Setup.Iterations {
		if err := ctx.Err(); err != nil {
			return y, err
		}
		seen := t%every == 0
		if seen {
			if err := c.letPlayersBalance(t, y, players, loop); err != nil {
				return y, err
			}
		}
		y.Drift()
		y.Prepare(loop, seen || (t+1)%every == 0)
		y.Kick()
		if seen {
			if err := c.endIteration(t, min(every, c.Setup.Iterations-t), y, players, loop); err != nil {
				return y, err
			}
		}
	}
	return y, nil
}

// playerLoop returns the loop in which the players run.
func (c *Contest) playerLoop(loop func(int, func(int))) func(int, func(int)) {
	if c.PlayersInTurn {
		return runInOrder
	}
	return loop
}

// letPlayersBalance lets the players balance before iteration t.
func (c *Contest) letPlayersBalance(t int, y *System, players []*Player, loop func(int, func(int))) error {
	if c.Before != nil {
		c.Before(y)
	}
	now := float64(t) * c.Setup.Step
	faults := make([]error, len(players))
	c.playerLoop(loop)(len(players), func(i int) { faults[i] = players[i].Before(t, y, now) })
	return errors.Join(faults...)
}

// endIteration tells the players that iteration t has ended. The argument `times` is the number of iterations for which
// iteration t stands.
func (c *Contest) endIteration(t, times int, y *System, players []*Player, loop func(int, func(int))) error {
	now := float64(t+1) * c.Setup.Step
	c.playerLoop(loop)(len(players), func(i int) { players[i].After(y, now, times) })
	if c.After != nil {
		return c.After(t, y)
	}
	return nil
}
