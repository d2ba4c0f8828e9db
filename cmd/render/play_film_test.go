package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/cluster"
	"lockstep/cluster/film"
	"lockstep/cluster/server"
	"lockstep/internal/cli"
	"lockstep/internal/clitest"
	"lockstep/render/recipe"
)

// startFarm starts a server and two nodes in this process, and returns a connection to the server and the public key of
// the nodes.
func startFarm(t *testing.T) (*cluster.Cluster, string) {
	t.Helper()
	s, err := server.Start(server.Options{Dir: t.TempDir(), SyncLater: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	seed, public, err := server.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	dial := func() *cluster.Cluster {
		conn, err := cluster.Dial(t.Context(), cluster.Address{URL: "nats://" + s.Addr().String()})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(conn.Close)
		return conn
	}
	conn := dial()
	if err := conn.Prepare(t.Context(), cluster.Limits{}); err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		ctx, end := context.WithCancel(t.Context())
		ended := make(chan error)
		node := &film.Node{Cluster: dial(), Name: fmt.Sprint("node-", i), Workers: 1 + i, Seed: seed, Cache: film.Cache{Dir: t.TempDir()}}
		go func() { ended <- node.Work(ctx, ctx, 0, nil) }()
		t.Cleanup(func() {
			end()
			if err := <-ended; !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		})
	}
	return conn, public
}

// TestPlayByFarm checks that the nodes of a farm draw the frames of clips with the same bytes as this command. One clip
// is far from the origin, so that each frame has another origin and another distance from the ground. In another clip,
// all frames share one range of colours.
func TestPlayByFarm(t *testing.T) {
	dir := t.TempDir()
	near := clitest.SlidingSquare()
	far := strings.NewReplacer(`"nodes":[{"mesh":0}]`, `"nodes":[{"children":[1]},{"mesh":0,"rotation":[0,0.6,0,0.8]},
		{"children":[0],"translation":[3e6,5e6,7e6],"rotation":[0,0,0.6,0.8]}]`, `"scenes":[{"nodes":[0]}]`, `"scenes":[{"nodes":[2]}]`).Replace(near)
	clitest.Write(t, filepath.Join(dir, "near.gltf"), near)
	clitest.Write(t, filepath.Join(dir, "far.gltf"), far)
	clitest.Write(t, filepath.Join(dir, "against.json"), `{"version":1,"picture":{"size":"120x80","look":{"field":"distance"},"lines":{"legend":true},
		"meshes":[{"file":"near.gltf"},{"file":"cube.ply","against":true}]},"frames":3,"clip":"slide"}`)
	run(t, dir, "", "convert", "scene:cube", "cube.ply").Want(t, cli.Done)
	t.Chdir(dir)
	conn, key := startFarm(t)
	for name, line := range map[string]string{
		"near": "near.gltf --clip slide --frames 6 -s 90x60", "far": "far.gltf --clip 1 --frames 5 -s 160x100 --view iso",
		"orbit": "near.gltf --clip slide --orbit --frames 5 -s 90x60 --fast", "against": "--recipe against.json",
		"alone": "near.gltf --clip slide --frames 1 -s 90x60 --turntable",
	} {
		args := append([]string{"animate", "-o", name}, strings.Fields(line)...)
		run(t, dir, "", args...).Want(t, cli.Done)
		var a recipe.Animation
		if err := json.Unmarshal([]byte(run(t, dir, "", append(args, "--dump-recipe")...).Stdout), &a); err != nil {
			t.Fatal(err)
		}
		open := name != "near" // the nodes then draw copies of the files
		s, err := film.Open(t.Context(), film.Film{Animation: a, Output: recipe.Output{File: name + "-film"}, Open: open}, film.Options{OwnKey: key})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		defer s.Close()
		if err := errors.Join(s.Draw(t.Context(), conn), s.Finish(t.Context())); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		names := clitest.Files(t, filepath.Join(dir, name))
		if len(names) != a.Full().Frames {
			t.Errorf("%s: %d files", name, len(names))
		}
		for _, file := range names {
			if string(clitest.Read(t, filepath.Join(dir, name, file))) != string(clitest.Read(t, filepath.Join(dir, name+"-film", file))) {
				t.Errorf("%s: %s differs", name, file)
			}
		}
	}
}
