package page

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"time"
)

// eventPause is the shortest time between two events for a browser, and heartbeat the longest. The heartbeat is sent
// even if nothing is new. It updates the displayed rates and detects broken connections.
const (
	eventPause = 250 * time.Millisecond
	heartbeat  = 2 * time.Second
)

// An event is a message to a browser: films, nodes, owners of blocks, and frames that changed. The field Again tells
// the browser to request the states of all frames. It is set in the first event, and when changes were lost.
type event struct {
	Films  []filmView         `json:"films"`
	Nodes  []nodeView         `json:"nodes"`
	Owners map[string]*Owners `json:"owners"` // owners of blocks, by film ID
	Frames []changeView       `json:"frames"`
	Again  bool               `json:"again"`
}

type changeView struct {
	Film  string `json:"film"`
	Frame int    `json:"frame"`
	State string `json:"state"`
}

// events sends events until the browser disconnects.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	select {
	case s.readers <- struct{}{}:
		defer func() { <-s.readers }()
	default:
		http.Error(w, fmt.Sprintf("%d browsers are looking already", maxReaders), http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	control := http.NewResponseController(w)
	_, position, _, _ := s.model.since(math.MaxInt)
	again := true
	for {
		changes, next, lost, changed := s.model.since(position)
		position = next
		if err := s.sendEvent(w, control, changes, again || lost); err != nil {
			return
		}
		again = false
		select {
		case <-r.Context().Done():
			return
		case <-changed:
		case <-time.After(heartbeat):
		}
		select { // wait, to send several changes in one event
		case <-r.Context().Done():
			return
		case <-time.After(eventPause):
		}
	}
}

// sendEvent sends one event.
func (s *Server) sendEvent(w http.ResponseWriter, control *http.ResponseController, changes []change, again bool) error {
	n := event{Again: again, Frames: []changeView{}, Owners: map[string]*Owners{}}
	n.Films, n.Nodes = s.model.view(time.Now())
	for _, c := range changes {
		n.Frames = append(n.Frames, changeView{c.film, c.frame, string(c.state)})
	}
	for _, f := range n.Films {
		if job, ok := s.model.job(f.ID); ok && f.Shared {
			if o := s.o.Gallery.Owners(job); o != nil {
				n.Owners[f.ID] = o
			}
		}
	}
	b, err := json.Marshal(n)
	if err != nil {
		return err
	}
	if err := control.SetWriteDeadline(time.Now().Add(writeTime)); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(w, "data: %s\n\n", b); err != nil {
		return err
	}
	return control.Flush()
}
