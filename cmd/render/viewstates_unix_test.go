//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os/exec"
	"strings"
	"testing"

	"lockstep/internal/cli"
	"lockstep/internal/clitest"
)

// states returns random recipes of the page: cameras, looks, lines, cuts and sizes.
func states(n int) (all []string) {
	r := rand.New(rand.NewPCG(35, 1))
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	maybe := func(text string) string {
		if r.IntN(2) == 0 {
			return ""
		}
		return text
	}
	for range n {
		camera := fmt.Sprintf(`"view":"%.3f,%.3f"`, r.Float64()*360-180, r.Float64()*170-85)
		if r.IntN(2) == 0 {
			camera = fmt.Sprintf(`"eye":[%.6g,%.6g,%.6g],"target":[%.6g,%.6g,%.6g],"upward":[0,%.3g,1]`, 60*r.Float64()-30, -30-20*r.Float64(), 60*r.Float64()-20, r.Float64(), r.Float64(), r.Float64(), r.Float64())
			camera += pick(fmt.Sprintf(`,"fov":%.6g`, 15+50*r.Float64()), fmt.Sprintf(`,"projection":"orthographic","height":%.6g`, 20+30*r.Float64()))
		} else {
			camera += maybe(`,"projection":"orthographic"`)
		}
		var lines, cuts, look []string
		for _, line := range []string{"edges", "wireframe", "axes", "bounds", "scaleBar"} {
			lines = append(lines, fmt.Sprintf(`%q:%v`, line, r.IntN(4) == 0))
		}
		if r.IntN(3) == 0 {
			lines = append(lines, `"ground":`+pick("true", "false"))
		}
		for _, axis := range []string{"x", "y", "z"} {
			if r.IntN(3) == 0 {
				cuts = append(cuts, fmt.Sprintf(`"%s%s%.1f%%"`, axis, pick("<", ">"), 20+60*r.Float64()))
			}
		}
		if r.IntN(4) == 0 {
			cuts = append(cuts, fmt.Sprintf(`"%.6g,%.6g,1<%.6g"`, r.Float64(), r.Float64(), 3*r.Float64()))
		}
		look = append(look, fmt.Sprintf(`"shading":%q`, pick("", "flat")), fmt.Sprintf(`"background":%q`, pick("", "none", "white", "203040")))
		all = append(all, fmt.Sprintf(`{"kind":"still","size":"%dx%d","file":%d,"picture":{"version":1,"camera":{%s},"look":{%s},"lines":{%s},"cuts":{"sections":[%s],"color":%q}}}`,
			16+r.IntN(150), 16+r.IntN(120), r.IntN(2), camera, strings.Join(look, ","), strings.Join(lines, ","), strings.Join(cuts, ","), pick("", "open")))
	}
	return all
}

// ask sends a recipe to the page's server and returns the response.
func ask(t *testing.T, address, state string) (int, []byte) {
	t.Helper()
	answer, err := http.Post(address, "application/json", strings.NewReader(state))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, body
}

// words returns the arguments of a command line as a shell separates them.
func words(t *testing.T, line string) []string {
	t.Helper()
	words, err := exec.Command("sh", "-c", `printf '%s\n' `+strings.TrimPrefix(line, "render ")).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(words)), "\n")
}

// TestViewStates runs the commands that the page shows for random recipes. The commands must draw the same pictures as
// the page.
func TestViewStates(t *testing.T) {
	n := 16
	if *long {
		n = 300
	}
	dir, mesh := clitest.CubeFile(t)
	address, _ := viewed(t, dir, mesh, "scene:knot?triangles=2000")
	drawn := 0
	for i, state := range states(n) {
		status, picture := ask(t, address+"picture.png", state)
		_, body := ask(t, address+"command", state)
		var copied struct{ Command string }
		if err := json.Unmarshal(body, &copied); err != nil {
			t.Fatalf("%s: %s", state, body)
		}
		r := run(t, dir, "", words(t, copied.Command)...)
		if status != http.StatusOK { // the cuts remove the whole mesh
			if r.Code == int(cli.Done) {
				t.Errorf("state %d: the page has no picture (%s), and the command draws one: %s", i, picture, copied.Command)
			}
			continue
		}
		drawn++
		if r.Want(t, cli.Done); string(clitest.Read(t, dir+"/picture.png")) != string(picture) {
			t.Errorf("state %d: another picture than the page's: %s\n%s", i, copied.Command, state)
		}
	}
	if drawn < n*3/4 {
		t.Errorf("%d of %d states have a picture", drawn, n)
	}
}

// TestViewFilms runs the commands that the page shows for films. The commands must write the same films as the page.
func TestViewFilms(t *testing.T) {
	dir, mesh := clitest.CubeFile(t)
	address, _ := viewed(t, dir, mesh, "scene:knot?triangles=2000")
	n, drawn := 3, 0
	if *long {
		n = 30
	}
	for i, state := range states(n) {
		status, film := ask(t, address+"turn.gif", state)
		_, body := ask(t, address+"command", state)
		var copied struct{ Film string }
		if err := json.Unmarshal(body, &copied); err != nil {
			t.Fatalf("%s: %s", state, body)
		}
		r := run(t, dir, "", words(t, copied.Film)...)
		wrote := r.Code == int(cli.Done) || r.Code == int(cli.Partial) // cli.Partial: some frames are blank
		if (status == http.StatusOK) != wrote {
			t.Errorf("state %d: the page answers %d, the command exits with %d: %s", i, status, r.Code, copied.Film)
		}
		if status != http.StatusOK || !wrote {
			continue
		}
		drawn++
		if string(clitest.Read(t, dir+"/turn.gif")) != string(film) {
			t.Errorf("state %d: another film than the page's: %s\n%s", i, copied.Film, state)
		}
	}
	if drawn < n/2 {
		t.Errorf("%d films of %d were drawn", drawn, n)
	}
}
