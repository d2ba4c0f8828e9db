package lb

import "math"

// Backoff makes looks rarer while they are in vain, beyond what [Outlook.Wait]
// proves to be useless. After Patience looks in vain the pause doubles with every further
// one, until looks take no more than a Share of the time. The zero value is the
// default.
//
// A pause of w iterations loses at most w iterations of a redistribution's
// savings: a plan that leaves at most T tasks each would leave at most T after w
// more iterations too, since by then no workload is larger and no idle processor
// has become active. The loop without the pause ends after T more iterations at best, with it
// after at most w+T.
type Backoff struct {
	// Patience is the number of looks in vain before pauses begin to grow. 0 means 4.
	Patience int
	// Share bounds what looks in vain may cost, as a part of the time of the
	// iterations between them. 0 means 0.02; 1 or more turns pauses off.
	Share float64
}

// pause returns the iterations to the next look after so many looks in vain
// in a row, when a look costs that many iterations.
func (b Backoff) pause(inVain int, look float64) int {
	patience, share := b.Patience, b.Share
	if patience == 0 {
		patience = 4
	}
	if share == 0 {
		share = 0.02
	}
	if share >= 1 || inVain <= patience {
		return 1
	}
	longest := math.Ceil(look / share)
	return max(1, int(min(longest, math.Ldexp(1, min(inVain-patience, 30)))))
}
