package page

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// metrics answers a request for /metrics in the text format of Prometheus, version 0.0.4.
func (s *Server) metrics(w http.ResponseWriter, _ *http.Request) {
	films, nodes := s.model.view(time.Now())
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	w.Write(exposition(films, nodes))
}

// A sample is one line of output: label names and values in turn, then a number.
type sample struct {
	labels []string
	value  float64
}

// exposition encodes films and nodes in the text format of Prometheus.
func exposition(films []filmView, nodes []nodeView) []byte {
	var b bytes.Buffer
	family := func(name, kind, help string, samples []sample) { writeFamily(&b, name, kind, help, samples) }
	ofFilms := func(value func(f *filmView) (float64, bool)) (samples []sample) {
		for i := range films {
			if v, ok := value(&films[i]); ok {
				samples = append(samples, sample{[]string{"film", films[i].ID, "name", films[i].Name}, v})
			}
		}
		return samples
	}
	ofNodes := func(value func(n *nodeView) (float64, bool)) (samples []sample) {
		for i := range nodes {
			if v, ok := value(&nodes[i]); ok {
				samples = append(samples, sample{[]string{"node", nodes[i].Name}, v})
			}
		}
		return samples
	}
	var frames []sample
	for _, f := range films {
		for _, x := range []struct {
			state string
			n     int
		}{{"done", f.Done}, {"failed", f.Failed}, {"waiting", f.Frames - f.Done - f.Failed}} {
			frames = append(frames, sample{[]string{"film", f.ID, "name", f.Name, "state", x.state}, float64(x.n)})
		}
	}
	family("lockstep_film_frames", "gauge", "Frames of a film by what became of them.", frames)
	family("lockstep_film_drawing_seconds", "gauge", "Time that nodes took for the frames that are done.",
		ofFilms(func(f *filmView) (float64, bool) { return f.Seconds, true }))
	family("lockstep_film_picture_bytes", "gauge", "Size of the pictures that are done.",
		ofFilms(func(f *filmView) (float64, bool) { return float64(f.Bytes), true }))
	family("lockstep_film_frames_per_second", "gauge", "Rate of a film that is being drawn.",
		ofFilms(func(f *filmView) (float64, bool) { return f.Rate, f.State == "drawing" }))
	family("lockstep_film_left_seconds", "gauge", "Time until a film is done, by its rate.",
		ofFilms(func(f *filmView) (float64, bool) { return f.Left, f.Left >= 0 }))
	there, blocked := 0, 0
	for _, n := range nodes {
		if n.There {
			there++
		}
		if n.Blocked {
			blocked++
		}
	}
	family("lockstep_nodes", "gauge", "Nodes that send heartbeats.", []sample{{nil, float64(there)}})
	family("lockstep_nodes_blocked", "gauge", "Nodes that drew a wrong picture and are shut out.", []sample{{nil, float64(blocked)}})
	family("lockstep_node_busy_ratio", "gauge", "Share of the time in which a node drew, of late.",
		ofNodes(func(n *nodeView) (float64, bool) { return n.Busy, n.Busy >= 0 }))
	family("lockstep_node_frames", "gauge", "Frames that a node drew of the films that are known.",
		ofNodes(func(n *nodeView) (float64, bool) { return float64(n.Frames), true }))
	return b.Bytes()
}

// writeFamily writes one metric: its help text, its type and a line for each sample.
func writeFamily(b *bytes.Buffer, name, kind, help string, samples []sample) {
	fmt.Fprintf(b, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
	for _, s := range samples {
		b.WriteString(name)
		for i := 0; i < len(s.labels); i += 2 {
			fmt.Fprintf(b, "%s%s=\"%s\"", string("{,"[min(i, 1)]), s.labels[i], escapeLabel(s.labels[i+1]))
		}
		if len(s.labels) > 0 {
			b.WriteByte('}')
		}
		fmt.Fprintf(b, " %v\n", s.value)
	}
}

func escapeLabel(s string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(strings.ToValidUTF8(s, "\uFFFD"))
}
