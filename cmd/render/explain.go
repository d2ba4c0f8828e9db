package main

import (
	"fmt"
	"io"
	"math"

	"lockstep/internal/cli"
	"lockstep/render"
)

// explain prints one line for each loop. That of scan conversion begins with what balancing was worth.
func (s *statistics) explain(w io.Writer) error {
	for i := range s.Balance.Loops {
		l := &s.Balance.Loops[i]
		text := l.explanation(s.Balance.Policy, s.Seconds.Scan)
		if l.Name == render.TraceZBuffer && l.Iterations > 0 {
			text = fmt.Sprintf("not balanced: all lanes work on one run of one span, so there is nothing to move; the runs fill %.1f %% of the lanes", 100*l.LaneUse)
		}
		if _, err := fmt.Fprintf(w, "%s: %s\n", l.Name, text); err != nil {
			return err
		}
	}
	return nil
}

// explanation says what balancing a loop was worth and what it did; seconds is the time of the loop.
func (l *loopStatistics) explanation(policy string, seconds float64) string {
	use := fmt.Sprintf("%.1f %% of the lanes were used", 100*l.LaneUse)
	switch {
	case l.Iterations == 0:
		return "not balanced: it had nothing to do"
	case policy == "never":
		return "not balanced: --balance never; " + use
	case l.Redistributions == 0 && policy == "always":
		return "balancing made no difference: no move would have saved an iteration; " + use
	case l.Redistributions == 0:
		return fmt.Sprintf("balancing made no difference: no move of work would have saved more than its estimated cost, %.0f iterations a polygon; %s", l.Cost, use)
	}
	text := l.verdict(seconds) + l.moves()
	text += fmt.Sprintf("; %s, %.1f %% without balancing", use, 100*l.LaneUseUnbalanced)
	if l.Judged > 0 {
		text += fmt.Sprintf("; %d of %s (%.1f %%) cost more than estimated", l.Underestimated, cli.Plural(l.Judged, "move"),
			100*float64(l.Underestimated)/float64(l.Judged))
	}
	return text
}

// difference is the part of a loop's work from which on balancing made a difference: clocks and other
// programs change that of one frame to the next by as much.
const difference = 0.01

// verdict says what balancing saved of the time that the loop would have taken: the time of the iterations
// that were saved, by the shortest time of one, less that of moving work and of doing it. Dividing polygons
// among several workers has no time of its own. Where the time of an iteration was not measured,
// iterations have to do.
func (l *loopStatistics) verdict(seconds float64) string {
	iterations := l.IterationsUnbalanced - l.Iterations
	saved := float64(iterations)*l.iteration - l.Seconds
	total := seconds + saved
	measured := l.iteration > 0 && l.Seconds > 0
	switch {
	case measured && math.Abs(saved) < difference*total:
		return fmt.Sprintf("balancing made no difference (%s of %s)", milliseconds(math.Abs(saved)), milliseconds(total))
	case measured && saved < 0:
		return fmt.Sprintf("balancing cost about %s more than it saved, of %s", milliseconds(-saved), milliseconds(seconds))
	case measured:
		return fmt.Sprintf("balancing saved about %s of %s", milliseconds(saved), milliseconds(total))
	case l.Shared > 0 && l.Polygons == 0:
		return "balancing gave polygons to several workers; how much time that saved was not measured"
	case math.Abs(float64(iterations)) < difference*float64(l.IterationsUnbalanced):
		return fmt.Sprintf("balancing made no difference (%d of %d iterations)", iterations, l.IterationsUnbalanced)
	}
	return fmt.Sprintf("balancing saved %d of %d iterations; how much time that is was not measured", iterations, l.IterationsUnbalanced)
}

// moves says which work was moved, and what was expected and came of it. Shared polygons are another scope's,
// for which no iterations are predicted.
func (l *loopStatistics) moves() (text string) {
	if l.Polygons > 0 {
		text = fmt.Sprintf("; rows of %s were moved to idle lanes, to save %d iterations%s at an estimated cost of at most %.0f%s",
			cli.Plural(l.Polygons, "polygon"), l.SavingsPredicted, l.asTime(float64(l.SavingsPredicted)), l.CostPredicted, l.asTime(l.CostPredicted))
		if l.Seconds > 0 {
			text += fmt.Sprintf(", which took %s", milliseconds(l.Seconds))
		}
	}
	if l.Shared > 0 {
		text += fmt.Sprintf("; %d of the largest polygons were divided among several workers", l.Shared)
	}
	return text + fmt.Sprintf("; %d iterations instead of %d", l.Iterations, l.IterationsUnbalanced)
}

// asTime returns iterations as a time in brackets, nothing where none is known.
func (l *loopStatistics) asTime(iterations float64) string {
	if l.iteration == 0 {
		return ""
	}
	return " (" + milliseconds(iterations*l.iteration) + ")"
}

func milliseconds(seconds float64) string { return fmt.Sprintf("%.3f ms", 1e3*seconds) }
