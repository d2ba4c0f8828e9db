package sharing

import "lockstep/bench/report"

// A Setting holds the parameters of a table or a figure of Vu and others, "Overlay-Centric Load Balancing", CLUSTER
// 2012.
type Setting struct {
	Protocols, Share []string
	Peers, Degree    []int
	Trials           report.Count
}

// paperSettings holds the settings by name of the table or figure.
var paperSettings = map[string]Setting{
	"table1": {Protocols: []string{"td", "tr"}, Peers: []int{128}, Degree: []int{2, 5, 10}, Trials: 10},
	"1":      {Protocols: []string{"td", "btd"}, Peers: []int{500}, Degree: []int{2, 3, 4, 6, 8, 10}},
	"2":      {Protocols: []string{"td", "btd"}, Share: []string{"proportional", "half"}, Peers: []int{16, 32, 64, 128, 200}},
	"table2": {Protocols: []string{"td", "btd", "ahmw", "reach"}, Peers: []int{200}},
	"3":      {Protocols: []string{"btd", "rws", "mw", "reach"}, Peers: []int{200}},
	"4":      {Protocols: []string{"btd", "mw", "reach"}, Peers: []int{200, 400, 600, 800, 1000}},
	"5":      {Protocols: []string{"btd", "rws", "lifeline", "reach"}, Peers: []int{64, 128, 256, 512, 1000}},
}

// Adopt sets the flags to the settings of the table or figure that --figure names. Without --figure it does nothing. It
// returns an error if there is no such table or figure.
func (f *Flags) Adopt() error {
	if f.Figure == "" {
		return nil
	}
	s, known := paperSettings[f.Figure]
	if !known {
		return report.Usagef("--figure is table1, table2, 1, 2, 3, 4 or 5, not %q", f.Figure)
	}
	f.Transport, f.Protocols, f.Share, f.Peers, f.Degree = "simulated", s.Protocols, s.Share, s.Peers, s.Degree
	if s.Trials > 0 {
		f.Trials = s.Trials
	}
	return nil
}
