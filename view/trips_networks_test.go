package view

import (
	"math"
	"math/rand/v2"
)

// A hop is what a movement meets between the server and the screen: milliseconds that do not depend on the picture, and
// the bandwidth that its bytes meet.
type hop struct{ wait, mbit float64 }

// A network makes the hops of a recording.
type network struct {
	name string
	make func(r *rand.Rand) hops
}

type hops []hop

// networks are models, since nobody's traffic was recorded. A movement is taken to last a thirtieth of a second in them.
var networks = []network{{"loopback", loopback}, {"phone", phone}, {"far", far}, {"wifi", wifi}, {"narrow", narrow}}

// browser is what decoding and painting take: 6 to 9 ms were measured in Chromium at 1280x720. One picture in fifty waits
// for a collection of garbage or another frame of the screen: that is assumed, to have single late pictures.
func browserTime(r *rand.Rand) float64 {
	wait := 6 + 3*r.Float64()
	if r.IntN(50) == 0 {
		wait += 5 + 10*r.Float64()
	}
	return wait
}

// each makes hops one after the other.
func each(r *rand.Rand, next func(i int) hop) hops {
	all := make(hops, movements)
	for i := range all {
		all[i] = next(i)
		all[i].wait += browserTime(r)
	}
	return all
}

// loopback is the browser on the server's machine.
func loopback(r *rand.Rand) hops {
	return each(r, func(int) hop { return hop{0, 10000} })
}

// far is a server a hundred milliseconds away (Europe to the east coast of America) by wire: its jitter is small.
func far(r *rand.Rand) hops {
	return each(r, func(int) hop { return hop{100 + 2*math.Abs(r.NormFloat64()), 50} })
}

// phone is a moving phone between cells of 5G and LTE. Round trips to a near server are some 20 ms by the one and 40 by the
// other; Huang et al. (MobiSys 2012) have 70 for early LTE, Narayanan et al. (SIGCOMM 2021) less by 5G. What is sent
// waits for a grant of the cell, at most 5 and 10 ms, and in queues. The bandwidth fades within a second by factors of two.
// A handover interrupts all for some tens of milliseconds (Han et al., IEEE Communications Magazine 53(3), 2015, measured
// the interruptions of LTE; 3GPP TR 36.881 expects 50 ms), one in eight fails and takes half a second. Driving tests see
// one in every few seconds in towns: here in five.
func phone(r *rand.Rand) hops {
	lte, fade, stall := false, 0.0, 0.0
	return each(r, func(int) hop {
		if stall *= 0.5; stall < 5 {
			stall = 0 // what has waited is sent, and the picture behind it has waited half as long
		}
		if r.IntN(150) == 0 {
			lte = r.IntN(2) == 0
			stall = 60 * math.Exp(0.5*r.NormFloat64())
			if r.IntN(8) == 0 {
				stall = 500
			}
		}
		fade = 0.95*fade + 0.2*r.NormFloat64() // its deviation is 0.64: a factor of 1.9
		h := hop{20 + 5*r.Float64() + 2*r.ExpFloat64(), 60 * math.Exp(fade)}
		if lte {
			h = hop{40 + 10*r.Float64() + 4*r.ExpFloat64(), 18 * math.Exp(fade)}
		}
		h.wait += 4 + stall // a phone decodes more slowly than the browser that was measured
		return h
	})
}

// wifi has bursts: it is free for seconds, and then others send for a third of a second, as in the model of Gilbert
// (1960) and Elliott (1963). Pei et al. (INFOCOM 2016) measured a tenth of packets that wait 20 ms and more for the last hop,
// and one in a hundred 250 ms.
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

// narrow is a line at home whose bandwidth falls to 3 Mbit/s for four seconds, while something else is loaded.
func narrow(r *rand.Rand) hops {
	return each(r, func(i int) hop {
		if 120 <= i && i < 240 {
			return hop{12 + 3*r.Float64(), 3}
		}
		return hop{10 + r.Float64(), 40}
	})
}
