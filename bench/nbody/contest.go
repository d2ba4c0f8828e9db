package nbody

import (
	"context"
	"errors"
)

// A Contest lets several players run with the same particles.
type Contest struct {
	Setup *Setup
	Seed  uint64
	// Every says how far apart, in iterations, the iterations are that the players see. Each of these stands for all
	// iterations up to the next seen iteration; 0 means 1.
	Every int
	// For runs independent pieces of work; if it is nil they run one after the other. It is used for the forces and for
	// the players, but never for both at once.
	For func(n int, body func(int))
	// PlayersInTurn runs one player at a time, which players that measure time need.
	PlayersInTurn bool
	// Before and After, if they are not nil, are called before and after every iteration that the players see.
	Before func(y *System)
	After  func(iteration int, y *System) error
}

// Run runs all players from the first to the last iteration, and returns the particles at the end.
func (c *Contest) Run(ctx context.Context, players []*Player) (*System, error) {
	every := max(1, c.Every)
	loop := c.For
	if loop == nil {
		loop = inTurn
	}
	y := c.Setup.New(c.Seed)
	for t := range c.Setup.Iterations {
		if err := ctx.Err(); err != nil {
			return y, err
		}
		seen := t%every == 0
		if seen {
			if err := c.before(t, y, players, loop); err != nil {
				return y, err
			}
		}
		y.Drift()
		y.Prepare(loop, seen || (t+1)%every == 0)
		y.Kick()
		if seen {
			if err := c.after(t, min(every, c.Setup.Iterations-t), y, players, loop); err != nil {
				return y, err
			}
		}
	}
	return y, nil
}

func (c *Contest) playerLoop(loop func(int, func(int))) func(int, func(int)) {
	if c.PlayersInTurn {
		return inTurn
	}
	return loop
}

// before lets the players balance before iteration t.
func (c *Contest) before(t int, y *System, players []*Player, loop func(int, func(int))) error {
	if c.Before != nil {
		c.Before(y)
	}
	now := float64(t) * c.Setup.Step
	faults := make([]error, len(players))
	c.playerLoop(loop)(len(players), func(i int) { faults[i] = players[i].Before(t, y, now) })
	return errors.Join(faults...)
}

// after charges iteration t to the players.
func (c *Contest) after(t, times int, y *System, players []*Player, loop func(int, func(int))) error {
	now := float64(t+1) * c.Setup.Step
	c.playerLoop(loop)(len(players), func(i int) { players[i].After(y, now, times) })
	if c.After != nil {
		return c.After(t, y)
	}
	return nil
}
