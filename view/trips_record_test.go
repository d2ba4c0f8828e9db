package view

import (
	"encoding/binary"
	"encoding/json"
	"flag"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"lockstep/render/recipe"
)

var recordTrips = flag.Bool("record-trips", false, "record testdata/trips.json, which takes both cores for some minutes")

// A recording contains the times and sizes of movements at each level.
type recording struct {
	Made   string // how and where the recording was made
	Meshes []recordedMesh
}

// A recordedMesh is a mesh that was turned with the same cameras at each level.
type recordedMesh struct {
	Scene     string
	Triangles int
	Every     int // one movement in this many was drawn
	// Calm and Bursts are the times of drawing and encoding in tenths of milliseconds, and Bytes the sizes of
	// pictures in hundreds of bytes, for each level and drawn movement. In Bursts another program uses all cores
	// during the movements of Busy.
	Calm, Bursts, Bytes [][]int
	Busy                [][2]int
	// Begin holds, for each level, how much longer the first picture takes after a change from the next level, in
	// tenths of milliseconds.
	Begin []int
}

// movements is the length of a recording: twelve seconds of dragging at thirty pictures a second.
const movements = 360

// TestRecordTrips records testdata/trips.json. Times are measured with the clock, so other work on the machine must
// have a lower priority. The file was made on two cores of an EPYC on 28 November 2026, with this command. (If Linux
// groups programs by terminals, -20 must also be written to /proc/self/autogroup.)
//
//	go test -c -o view.test ./view && cd view && nice -n -20 ../view.test -test.run RecordTrips -record-trips
func TestRecordTrips(t *testing.T) {
	if os.Getenv("LOCKSTEP_SPIN") != "" {
		spin()
		return
	}
	if !*recordTrips {
		t.Skip("without -record-trips")
	}
	r := recording{Made: strconv.Itoa(runtime.NumCPU()) + " cores, " + runtime.GOARCH + ", " + runtime.Version()}
	for _, m := range []recordedMesh{{Scene: "70k", Every: 3}, {Scene: "1M", Every: 4}, {Scene: "10M", Every: 12}} {
		m.record(t)
		r.Meshes = append(r.Meshes, m)
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	text = []byte(strings.NewReplacer("[[", "[\n[", "],", "],\n", `,"`, ",\n\"").Replace(string(text)) + "\n")
	if err := os.WriteFile("testdata/trips.json", text, 0o666); err != nil {
		t.Fatal(err)
	}
}

// record turns a mesh at each level, alone and while another program runs, and then changes between levels. Alone the
// mesh is turned twice, and the shorter time of each picture counts, because other work of the machine only adds to
// it.
func (m *recordedMesh) record(t *testing.T) {
	server, err := Start(Options{Meshes: []recipe.Mesh{{File: "scene:bumpy?triangles=" + m.Scene}}, Listen: "127.0.0.1:0", Policy: "never"})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	s := &session{server: server}
	defer s.close()
	if err := s.setMesh(t.Context(), &request{}); err != nil {
		t.Fatal(err)
	}
	m.Triangles = s.base.Mesh().Len()
	m.Busy = bursts(rand.New(rand.NewPCG(3, uint64(m.Triangles))))
	for level := range levels {
		s.quality.level = level
		drawnAt(t, s, 0) // the method changes measures the extra time of a level's first picture
		drawnAt(t, s, 0)
		calm, bytes := m.turn(t, s, nil)
		again, _ := m.turn(t, s, nil)
		for i := range calm {
			calm[i] = min(calm[i], again[i])
		}
		busy, _ := m.turn(t, s, m.Busy)
		m.Calm, m.Bytes, m.Bursts = append(m.Calm, calm), append(m.Bytes, bytes), append(m.Bursts, busy)
		t.Logf("%s, level %d: %d tenths of a millisecond, %d with another program, %d bytes", m.Scene, level, median(calm), median(busy), 100*median(bytes))
	}
	m.changes(t, s)
}

// changes measures Begin: it changes from the fastest level to the finest and back, three times.
func (m *recordedMesh) changes(t *testing.T, s *session) {
	first := make([][]int, len(levels))
	for range 3 {
		for k := range 2*len(levels) - 2 {
			s.quality.level = max(len(levels)-2-k, k-len(levels)+2)
			tenths, _ := drawnAt(t, s, 0)
			first[s.level] = append(first[s.level], max(tenths-m.Calm[s.level][0], 0))
		}
	}
	for _, tenths := range first {
		m.Begin = append(m.Begin, median(tenths))
	}
}

// turn draws the movements of a recording at the session's level. Another program runs during the movements of busy.
func (m *recordedMesh) turn(t *testing.T, s *session, busy [][2]int) (tenths, hundreds []int) {
	var stop func()
	for i := 0; i < movements; i += m.Every {
		now := slices.ContainsFunc(busy, func(b [2]int) bool { return b[0] <= i && i < b[1] })
		if now && stop == nil {
			stop = startSpinning(t)
		} else if !now && stop != nil {
			stop()
			stop = nil
		}
		took, size := drawnAt(t, s, i)
		tenths, hundreds = append(tenths, took), append(hundreds, size)
	}
	if stop != nil {
		stop()
	}
	return tenths, hundreds
}

// drawnAt draws the picture of a movement. It returns the time in tenths of milliseconds and the size in hundreds of
// bytes. The mesh turns to and fro, and comes nearer and goes away, as by the pointer in BenchmarkDrag and by a mouse
// wheel.
func drawnAt(t *testing.T, s *session, movement int) (tenths, hundreds int) {
	k := float64(movement)
	az, el := (30+100*math.Sin(k/40))*math.Pi/180, (20+25*math.Sin(k/30))*math.Pi/180
	mid, size := s.base.Mesh().Bounds().Center(), s.base.Mesh().Bounds().Size()
	radius := 0.5 * math.Hypot(size[0], math.Hypot(size[1], size[2]))
	far := radius * (3.2 + 0.7*math.Cos(k/60))
	eye := recipe.Point{mid[0] + far*math.Cos(el)*math.Sin(az), mid[1] - far*math.Cos(el)*math.Cos(az), mid[2] + far*math.Sin(el)}
	r := request{Kind: "move", Size: recipe.Size{Width: 1280, Height: 720}}
	r.Picture.Size, r.Picture.Camera.Eye, r.Picture.Camera.Target = r.Size, &eye, (*recipe.Point)(&mid)
	message, err := s.drawMovement(t.Context(), &r)
	if err != nil {
		t.Fatal(err)
	}
	micros := binary.LittleEndian.Uint32(message[8:]) + binary.LittleEndian.Uint32(message[12:])
	return int(math.Round(float64(micros) / 100)), (len(message) + 50) / 100
}

// bursts returns the movements during which another program runs. It runs for one to three seconds, after pauses of
// two to five seconds, at thirty movements per second.
func bursts(r *rand.Rand) (busy [][2]int) {
	for at := 60 + r.IntN(90); at < movements; {
		end := min(at+30+r.IntN(61), movements)
		busy = append(busy, [2]int{at, end})
		at = end + 60 + r.IntN(91)
	}
	return busy
}

// startSpinning starts a program that uses as much of every core as the system permits, until stop is called.
func startSpinning(t *testing.T) (stop func()) {
	c := exec.Command(os.Args[0], "-test.run=^TestRecordTrips$")
	c.Env = append(os.Environ(), "LOCKSTEP_SPIN=1")
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	return func() {
		in.Close()
		c.Wait()
	}
}

// spin uses all cores until standard input ends. Standard input ends with the program that started this program.
func spin() {
	for range runtime.NumCPU() {
		go func() {
			for n := 0; n >= 0; n ^= 1 {
			}
		}()
	}
	io.Copy(io.Discard, os.Stdin)
}

func median(all []int) int {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[len(sorted)/2]
}
