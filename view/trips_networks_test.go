package view

import (
	"math"
	"math/rand/v2"
)

// A hop is the state of the network for a movement: the milliseconds from the server to the screen that do not depend
// on the picture, and the bandwidth for its bytes.
type hop struct{ wait, mbit float64 }

// A network makes the hops of a recording.
type network struct {
	name string
	make func(r *rand.Rand) hops
}

type hops []hop

// networks are models, because no real traffic was recorded. In them a movement lasts a thirtieth of a second.
var networks = []network{{"loopback", loopback}, {"phone", phone}, {"far", far}, {"wifi", wifi}, {"narrow", narrow}}

// browserTime returns the milliseconds of decoding and painting: 6 to 9 ms were measured in Chromium at 1280x720. To
// have single late pictures, one in fifty is assumed to wait longer, for a garbage collection or another frame of the
// screen.
func browserTime(r *rand.Rand) float64 {
	wait := 6 + 3*r.Float64()
	if r.IntN(50) == 0 {
		wait += 5 + 10*r.Float64()
	}
	return wait
}

// The function each returns one hop for each movement. It gets the hops from the function next, and adds the time of
// the browser.
func each(r *rand.Rand, next func(i int) hop) hops {
	all := make(hops, movements)
	for i := range all {
		all[i] = next(i)
		all[i].wait += browserTime(r)
	}
	return all
}

// loopback is a browser on the server's machine.
func loopback(r *rand.Rand) hops {
	return each(r, func(int) hop { return hop{0, 10000} })
}

// far is a server a hundred milliseconds away by wire, for example in Europe with a browser on the east coast of
// America. The jitter is small.
func far(r *rand.Rand) hops {
	return each(r, func(int) hop { return hop{100 + 2*math.Abs(r.NormFloat64()), 50} })
}

// phone is a phone that moves between cells of 5G and LTE. A round trip to a near server takes about 20 ms with 5G
// and 40 ms with LTE; Huang et al. (MobiSys 2012) report 70 ms for early LTE, and Narayanan et al. (SIGCOMM 2021)
// less for 5G. Data waits until the cell permits it to be sent, at most 5 ms with 5G and 10 ms with LTE, and in
// queues. Within a second the bandwidth varies by factors of two. A handover interrupts everything for some tens of
// milliseconds (Han et al., IEEE Communications Magazine 53(3), 2015, measured this for LTE; 3GPP TR 36.881 expects
// 50 ms). One handover in eight fails and takes half a second. In towns driving tests see a handover every few
// seconds; here there is one in about five seconds.
func phone(r *rand.Rand) hops {
	lte, fade, stall := false, 0.0, 0.0
	return each(r, func(int) hop {
		if stall *= 0.5; stall < 5 {
			stall = 0 // delayed data has been sent; the delay halves with every picture
		}
		if r.IntN(150) == 0 {
			lte = r.IntN(2) == 0
			stall = 60 * math.Exp(0.5*r.NormFloat64())
			if r.IntN(8) == 0 {
				stall = 500
			}
		}
		fade = 0.95*fade + 0.2*r.NormFloat64() // the standard deviation of fade is 0.64, which is a factor of 1.9
		h := hop{20 + 5*r.Float64() + 2*r.ExpFloat64(), 60 * math.Exp(fade)}
		if lte {
			h = hop{40 + 10*r.Float64() + 4*r.ExpFloat64(), 18 * math.Exp(fade)}
		}
		h.wait += 4 + stall // a phone decodes more slowly than the measured browser
		return h
	})
}

// wifi has bursts. It is free for seconds, and then other stations send for a third of a second, as in the model of
// Gilbert (1960) and Elliott (1963). Pei et al. (INFOCOM 2016) measured that one packet in ten needs 20 ms or more for
// the last hop, and one in a hundred 250 ms.
func wifi(r *rand.Rand) hops {
	busy := false
	return each(r, func(int) hop {
		if busy {
			busy = r.IntN(10) > 0
		} else {
			busy = r.IntN(80) == 0
		}
		if !busy {
			return hop{3 + r.ExpFloat64(), 100}
		}
		return hop{10 + 30*r.ExpFloat64(), 25}
	})
}

// narrow is a line at home whose bandwidth falls to 3 Mbit/s for four seconds because of another download.
func narrow(r *rand.Rand) hops {
	return each(r, func(i int) hop {
		if 120 <= i && i < 240 {
			return hop{12 + 3*r.Float64(), 3}
		}
		return hop{10 + r.Float64(), 40}
	})
}
