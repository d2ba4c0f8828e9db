package nbody

import (
	"context"
	"errors"
)

// A Contest lets several players run the same particles.
type Contest struct {
	Setup *Setup
	Seed  uint64
	// Every is the number of iterations from one that the players see to the next,
	// which stands for all between; 0 means 1.
	Every int
	// For runs independent pieces of work; nil runs one after the other. The forces and the
	// players take turns with it.
	For func(n int, body func(int))
	// PlayersInTurn runs one player at a time, as those that measure time need.
	PlayersInTurn bool
	// Before and After, if not nil, are called before and after every iteration that
	// the players see.
	Before func(y *System)
	After  func(iteration int, y *System) error
}

// Run lets all players run from the start to the end.
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

// before lets the players balance.
func (c *Contest) before(t int, y *System, players []*Player, loop func(int, func(int))) error {
	if c.Before != nil {
		c.Before(y)
	}
	now := float64(t) * c.Setup.Step
	faults := make([]error, len(players))
	c.playerLoop(loop)(len(players), func(i int) { faults[i] = players[i].Before(t, y, now) })
	return errors.Join(faults...)
}

// after charges the iteration to the players.
func (c *Contest) after(t, times int, y *System, players []*Player, loop func(int, func(int))) error {
	now := float64(t+1) * c.Setup.Step
	c.playerLoop(loop)(len(players), func(i int) { players[i].After(y, now, times) })
	if c.After != nil {
		return c.After(t, y)
	}
	return nil
}
