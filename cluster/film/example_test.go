package film_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"lockstep/cluster"
	"lockstep/cluster/film"
	"lockstep/cluster/server"
	"lockstep/render/recipe"
)

// Example submits a film to a server, draws it with two nodes, and lists the pictures. Nodes may also be other
// processes on other machines.
func Example() {
	dir, err := os.MkdirTemp("", "film-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	serves, err := server.Start(server.Options{Dir: dir + "/queue"}) // without keys, everyone on this machine may connect
	if err != nil {
		log.Fatal(err)
	}
	defer serves.Close()
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	conn, err := cluster.Dial(ctx, cluster.Address{URL: "nats://" + serves.Addr().String()})
	if err != nil {
		log.Fatal(err)
	}
	defer conn.Close()
	if err := conn.Prepare(ctx, cluster.Limits{}); err != nil {
		log.Fatal(err)
	}
	working, home := context.WithCancel(ctx)
	defer home()
	for _, name := range []string{"left", "right"} {
		node := &film.Node{Cluster: conn, Name: name, Workers: 1}
		go node.Work(working, working, 0, nil)
	}

	picture := recipe.Picture{Meshes: []recipe.Mesh{{File: "scene:knot?triangles=5000"}}, Size: recipe.Size{Width: 160, Height: 120}}
	submission, err := film.Open(ctx, film.Film{
		Animation: recipe.Animation{Picture: picture, Frames: 6},
		Output:    recipe.Output{File: dir + "/turn"},
	}, film.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer submission.Close()
	if err := submission.Draw(ctx, conn); err != nil {
		log.Fatal(err)
	}
	if err := submission.Finish(ctx); err != nil {
		log.Fatal(err)
	}
	pictures, err := os.ReadDir(dir + "/turn")
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range pictures {
		fmt.Println(p.Name())
	}
	// Output:
	// knot_0000.png
	// knot_0001.png
	// knot_0002.png
	// knot_0003.png
	// knot_0004.png
	// knot_0005.png
}
