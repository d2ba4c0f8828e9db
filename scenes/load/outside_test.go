package load_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/scenes"
	"lockstep/scenes/internal/meshtest"
	"lockstep/scenes/load"
	"lockstep/scenes/procedural"
	"lockstep/scenes/save"
)

const (
	gltfHead = `{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],"meshes":[{"primitives":[{"attributes":{"POSITION":0},"material":0}]}],` +
		`"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"}],"bufferViews":[{"buffer":0,"byteLength":36}],` +
		`"buffers":[{"byteLength":36,"uri":"data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}],` +
		`"materials":[{"pbrMetallicRoughness":{"baseColorTexture":{"index":0}}}],"textures":[{"source":0}],"images":[{"uri":"%s"}]}`
	objText  = "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nusemtl a\nf 1/1 2/1 3/1\n"
	plyText  = "ply\nformat ascii 1.0\ncomment TextureFile %s\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"
	model3MF = `<model xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02" xmlns:m="http://schemas.microsoft.com/3dmanufacturing/material/2015/02"><resources>` +
		`<m:texture2d id="4" path="%s" contenttype="image/png"/><m:texture2dgroup id="5" texid="4"><m:tex2coord u="0" v="0"/></m:texture2dgroup>` +
		`<object id="1" pid="5" pindex="0"><mesh><vertices><vertex x="0" y="0" z="0"/><vertex x="1" y="0" z="0"/><vertex x="0" y="1" z="0"/></vertices>` +
		`<triangles><triangle v1="0" v2="1" v3="2"/></triangles></mesh></object></resources><build><item objectid="1"/></build></model>`
)

// TestNothingOutside refers in every way to a picture outside the folder of the mesh. The picture must never be read,
// and the mesh must be read with a warning.
func TestNothingOutside(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, "meshes")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	secret := filepath.Join(dir, "secret.png")
	put := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put(secret, string(meshtest.PNG(t, 1, 1, 0x123456)))
	for link, to := range map[string]string{"link.png": secret, "relative.png": "../secret.png", "folder": dir} {
		if err := os.Symlink(to, filepath.Join(folder, link)); err != nil {
			t.Skip(err)
		}
	}
	put(filepath.Join(folder, "inside.png"), string(meshtest.PNG(t, 1, 1, 0x123456)))
	names := []string{
		"../secret.png", `..\\secret.png`, secret, "link.png", "relative.png", "folder/secret.png", "x/../../secret.png", "/../secret.png",
		"%2e%2e/secret.png", "..%2fsecret.png", "%2e%2e%5csecret.png", "file://" + secret, "inside.png",
	}
	for _, name := range names {
		put(filepath.Join(folder, "a.mtl"), "newmtl a\nmap_Kd "+name+"\n")
		for kind, text := range map[string]string{"gltf": fmt.Sprintf(gltfHead, name), "obj": objText, "ply": fmt.Sprintf(plyText, name), "model": fmt.Sprintf(model3MF, name)} {
			path := filepath.Join(folder, "mesh."+kind)
			put(path, text)
			m, rep, err := load.File(context.Background(), path, scenes.ReadOptions{})
			if err != nil {
				t.Errorf("%s, %s: %v", kind, name, err)
				continue
			}
			found := false
			for _, mat := range m.Attributes.Materials {
				found = found || mat.Texture != nil && mat.Texture.Picture != nil
			}
			if inside := name == "inside.png"; found != inside || inside != (len(rep.Warnings) == 0) {
				t.Errorf("%s, %s: found %v, warnings %v", kind, name, found, rep.Warnings)
			}
		}
	}
}

// A cancelling ends a context after a certain number of reads.
type cancelling struct {
	r      io.Reader
	left   int
	cancel func()
}

func (c *cancelling) Read(p []byte) (int, error) {
	if c.left--; c.left == 0 {
		c.cancel()
	}
	return c.r.Read(p[:min(len(p), 1000)])
}

// TestCancelled ends the context of every reader in the middle of a file, also of packed files.
func TestCancelled(t *testing.T) {
	m, err := procedural.Parse("scene:torus?triangles=8000")
	if err != nil {
		t.Fatal(err)
	}
	files := packings(t, m)
	for name, file := range files {
		for _, after := range []int{1, len(file) / 3000, len(file) / 1001} {
			ctx, cancel := context.WithCancel(context.Background())
			_, _, err := load.Reader(ctx, &cancelling{strings.NewReader(file), max(after, 1), cancel}, scenes.ReadOptions{})
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s, after %d reads of %d: %v", name, after, len(file)/1000, err)
			}
			cancel()
		}
	}
	if len(files) != 4*len(save.Formats())+2 {
		t.Errorf("%d files", len(files))
	}
}

// TestCancelledFiles ends the context after a file has been opened and its first bytes have been read. It reads files
// by path, so that the reader may read at any offset.
func TestCancelledFiles(t *testing.T) {
	m, err := procedural.Parse("scene:torus?triangles=8000")
	if err != nil {
		t.Fatal(err)
	}
	for name, file := range packings(t, m) {
		path := filepath.Join(t.TempDir(), "mesh")
		if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		_, _, err := load.File(ctx, path, scenes.ReadOptions{Progress: func(done, _ int64) { cancel() }})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
		cancel()
	}
}

// TestMissingBeside checks that the warning about a missing file names the file but no system call.
func TestMissingBeside(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mesh.obj")
	if err := os.WriteFile(path, []byte("mtllib no.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, rep, err := load.File(context.Background(), path, scenes.ReadOptions{})
	if err != nil || len(rep.Warnings) != 1 || !strings.HasSuffix(rep.Warnings[0], `line 1: materials "no.mtl": no such file or directory`) {
		t.Errorf("%v, %+v", err, rep)
	}
}
