#!/bin/sh
# Records the films of the survey: sh record.sh RENDER, in this folder. The times of
# blocks are measured, so that no two recordings are alike; those kept here are the
# first that were made.
set -eu
render=$1
film() { # name, scene, flags
	name=$1 scene=$2
	shift 2
	"$render" animate -q --frames 80 -s 640x360 --record-loads "$name.jsonl" "$@" "scene:$scene"
	sed 's/,"x":.*/}/' "$name.jsonl" | gzip -9n >"$name.jsonl.gz"
	rm "$name.jsonl"
}
n=0
for scene in 'bumpy?triangles=180k&seed=5' 'knot?triangles=220k' 'gear?triangles=160k' 'soup?triangles=140k&seed=3' \
	'slivers?triangles=150k&seed=7' 'sphere?triangles=200k' 'torus?triangles=260k' 'plate?triangles=150k&jitter=0.3'; do
	n=$((n + 1))
	film "$n-flyby" "$scene" --flyby
	film "$n-turntable" "$scene" --turntable --view 10,35
	film "$n-close" "$scene" --turntable --zoom 4
done
film 9-flyby 'bumpy?triangles=300k&seed=11' --flyby --view 200,50
film 9-samples 'bumpy?triangles=150k&seed=11' --flyby --samples 4
film 10-small 'knot?triangles=300k' --turntable --zoom 0.3
film 10-samples 'knot?triangles=150k' --flyby --samples 4 --view 90,0
film 11-small 'gear?triangles=300k' --flyby --fov 60
film 11-ortho 'gear?triangles=200k' --turntable --projection orthographic --zoom 2
