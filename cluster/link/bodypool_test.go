package link

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// TestBodies checks that the pool returns the smallest body that is large enough, and returns each body once. The
// limits of the pool must hold.
func TestBodies(t *testing.T) {
	var b bodyPool
	large, small := make([]byte, 3*minPooledBody), make([]byte, 2*minPooledBody)
	b.put(large)
	b.put(small)
	b.put(make([]byte, minPooledBody-1))
	if len(b.free) != 2 {
		t.Fatalf("%d are kept, want 2", len(b.free))
	}
	if got := b.get(minPooledBody - 1); got != nil {
		t.Errorf("%d bytes for a small message", cap(got))
	}
	if got := b.get(minPooledBody + 1); len(got) != minPooledBody+1 || &got[0] != &small[0] {
		t.Errorf("%d bytes of %d, want the smaller ones", len(got), cap(got))
	}
	if got := b.get(3*minPooledBody + 1); got != nil {
		t.Errorf("%d bytes where none are large enough", cap(got))
	}
	if got := b.get(3 * minPooledBody); len(got) != 3*minPooledBody || &got[0] != &large[0] {
		t.Errorf("%d bytes of %d, want the larger ones", len(got), cap(got))
	}
	if got := b.get(minPooledBody); got != nil || len(b.free) != 0 {
		t.Errorf("%d bytes twice; %d are kept", cap(got), len(b.free))
	}
	for range 2 * maxPooledBodies {
		b.put(make([]byte, minPooledBody))
	}
	if len(b.free) != maxPooledBodies {
		t.Errorf("%d are kept, want %d", len(b.free), maxPooledBodies)
	}
}

// TestRecycle checks that a recycled body is used for a later message.
func TestRecycle(t *testing.T) {
	l, body := new(Links), make([]byte, minPooledBody)
	l.Recycle(body)
	if got := l.bodies.get(minPooledBody); got == nil || &got[0] != &body[0] {
		t.Errorf("%d bytes, want those given back", len(got))
	}
}

// TestReadIntoKeptMemory checks that bodies are read correctly into reused memory, with and without compression. The
// memory of a compressed body must be reused, too.
func TestReadIntoKeptMemory(t *testing.T) {
	body := bytes.Repeat([]byte("keys of a row; "), minPooledBody)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 2 * minPooledBody { // random bytes, which cannot be compressed
		body[i] = byte(rng.Uint32())
	}
	packed := pack(nil, body)
	for codec, sent := range [][]byte{codecRaw: body, codecS2: packed} {
		var memory bodyPool
		kept := bytes.Repeat([]byte{0xff}, len(body)+100)
		memory.put(kept)
		if codec == codecS2 {
			memory.put(make([]byte, len(sent)))
		}
		m := Message{Kind: 7}
		wire := append(m.appendHead(nil, codec, len(sent)), sent...)
		got, err := readMessage(bytes.NewReader(wire), len(body), &memory)
		if err != nil || !bytes.Equal(got.Body, body) {
			t.Fatalf("codec %d: %d bytes, %v", codec, len(got.Body), err)
		}
		if &got.Body[0] != &kept[0] {
			t.Errorf("codec %d: the body is in new memory", codec)
		}
		if last := len(memory.free); codec == codecS2 && (last != 1 || cap(memory.free[0]) < len(sent)) {
			t.Errorf("%d pieces of memory are kept, want that of the compressed body", last)
		}
		memory.put(kept)
		if short, err := readMessage(bytes.NewReader(wire[:len(wire)-1]), len(body), &memory); err == nil {
			t.Errorf("codec %d: %d bytes of a message that was cut short", codec, len(short.Body))
		}
	}
}
