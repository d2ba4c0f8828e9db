package main

import (
	"fmt"
	"io"

	"lockstep/render"
)

// explain prints one line for each loop: the predicted savings of its decisions, their
// predicted costs, and the savings that were measured.
func (s *statistics) explain(w io.Writer) error {
	for i := range s.Balance.Loops {
		l := &s.Balance.Loops[i]
		text := l.explanation(s.Balance.Policy)
		if l.Name == render.TraceZBuffer && l.Iterations > 0 {
			text = fmt.Sprintf("not balanced: all lanes work on one run of one span, so there is nothing to give away; the runs fill %.1f %% of the lanes", 100*l.LaneUse)
		}
		if _, err := fmt.Fprintf(w, "%s: %s\n", l.Name, text); err != nil {
			return err
		}
	}
	return nil
}

// explanation says why a loop was balanced as it was.
func (l *loopStatistics) explanation(policy string) string {
	use := fmt.Sprintf("%.1f %% of the lanes used", 100*l.LaneUse)
	switch {
	case l.Iterations == 0:
		return "not balanced: it had nothing to do"
	case policy == "never":
		return "not balanced: the policy is never; " + use
	case l.Redistributions == 0 && policy == "always":
		return "not balanced: that would not have saved an iteration; " + use
	case l.Redistributions == 0:
		return fmt.Sprintf("not balanced: in no group of lanes that was half idle would it have saved more than the %.0f iterations a polygon that it is taken to cost; %s", l.Cost, use)
	}
	text := l.predictions() + fmt.Sprintf("measured %d of %d iterations saved", l.IterationsUnbalanced-l.Iterations, l.IterationsUnbalanced)
	if l.Polygons > 0 {
		text += fmt.Sprintf(", %s redistributing", milliseconds(l.Seconds))
	}
	text += fmt.Sprintf("; %s, %.1f %% without", use, 100*l.LaneUseUnbalanced)
	if l.Judged > 0 {
		text += fmt.Sprintf("; %d of %s (%.1f %%) dearer than at most", l.Underestimated, plural(l.Judged, "redistribution"),
			100*float64(l.Underestimated)/float64(l.Judged))
	}
	return text
}

// predictions says what was redistributed, with the predicted savings and cost. Those of
// shared polygons are another scope's, and not counted in iterations of the lanes.
func (l *loopStatistics) predictions() string {
	text := ""
	if l.Polygons > 0 {
		text = fmt.Sprintf("predicted %d iterations saved%s by redistributing %s, at a cost of at most %.0f%s; ",
			l.SavingsPredicted, l.asTime(float64(l.SavingsPredicted)), plural(l.Polygons, "polygon"), l.CostPredicted, l.asTime(l.CostPredicted))
	}
	if l.Shared == 0 {
		return text
	}
	text += plural(l.Shared, "polygon") + " cut into bands for several workers; "
	return text
}

// asTime returns iterations as a time in brackets, nothing where none is known.
func (l *loopStatistics) asTime(iterations float64) string {
	if l.iteration == 0 {
		return ""
	}
	return " (" + milliseconds(iterations*l.iteration) + ")"
}

func milliseconds(seconds float64) string { return fmt.Sprintf("%.3f ms", 1e3*seconds) }
