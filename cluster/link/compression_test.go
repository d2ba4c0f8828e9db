package link

import (
	"bytes"
	"testing"
	"time"
)

// TestCompression checks with invented times that bodies are compressed if the link is slow relative to the
// compression. If the link is fast, bodies must not be compressed.
func TestCompression(t *testing.T) {
	const n = 1 << 20
	for _, c := range []struct {
		name          string
		wire, packing time.Duration // times to send and to compress n bytes
		ratio         float64
		want          bool
	}{
		{"1 Gbit/s, half the size", 8 * time.Millisecond, 2 * time.Millisecond, 0.5, true},
		{"10 Gbit/s, half the size", 800 * time.Microsecond, 2 * time.Millisecond, 0.5, false},
		{"1 Gbit/s, nothing gained", 8 * time.Millisecond, 2 * time.Millisecond, 0.99, false},
		{"just not", 4 * time.Millisecond, 2 * time.Millisecond, 0.51, false},
		{"just", 4 * time.Millisecond, 2 * time.Millisecond, 0.49, true},
	} {
		var x compression
		if !x.needsSample(n) || x.savesTime(n) || x.needsSample(minCompressed-1) {
			t.Errorf("%s: of the first large body no sample is tried, or more", c.name)
		}
		x.recordPack(n, int(c.ratio*n), c.packing)
		x.recordSend(n, c.wire)
		packed, tried := 0, 0
		for range 2 * sampleInterval {
			if x.needsSample(n) {
				tried++
				x.recordPack(len(sampleOf(make([]byte, n))), int(c.ratio*sampleBytes), c.packing*sampleBytes/n)
			}
			if x.savesTime(n) {
				packed++
				x.recordPack(n, int(c.ratio*n), c.packing)
			}
			x.recordSend(n, c.wire)
		}
		if want := map[bool]int{true: 2 * sampleInterval}[c.want]; packed != want || tried > 2 {
			t.Errorf("%s: %d of %d bodies were compressed, want %d; %d samples", c.name, packed, 2*sampleInterval, want, tried)
		}
		if x.savesTime(minCompressed - 1) {
			t.Errorf("%s: a small body is compressed", c.name)
		}
	}
}

// TestCompressionIsCautious checks that one slow compression, or one fast transfer, prevents compression for a while.
func TestCompressionIsCautious(t *testing.T) {
	const n = 1 << 20
	fill := func() *compression {
		var x compression
		for range 8 {
			x.recordPack(n, n/2, 2*time.Millisecond)
			x.recordSend(n, 8*time.Millisecond)
		}
		return &x
	}
	slow, quick, poor := fill(), fill(), fill()
	if !slow.savesTime(n) {
		t.Fatal("what pays is refused")
	}
	slow.recordPack(n, n/2, 9*time.Millisecond)
	quick.recordSend(n, time.Millisecond)
	poor.recordPack(n, n*9/10, 2*time.Millisecond)
	if slow.savesTime(n) || quick.savesTime(n) || poor.savesTime(n) {
		t.Error("a saving is taken for granted that was not there once")
	}
	for range 8 {
		slow.recordPack(n, n/2, 2*time.Millisecond)
		slow.recordSend(n, 8*time.Millisecond)
	}
	if !slow.savesTime(n) {
		t.Error("one slow compression counts for ever")
	}
}

// FuzzMessage reads messages of a hostile process. Reading must need only bounded memory.
func FuzzMessage(f *testing.F) {
	m := Message{Kind: 3, Epoch: 4, Frame: 5}
	f.Add(append(m.appendHead(nil, codecRaw, 3), 1, 2, 3))
	packed := pack(nil, bytes.Repeat([]byte{1}, 5000))
	f.Add(append(m.appendHead(nil, codecS2, len(packed)), packed...))
	f.Add([]byte{magic, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255})
	f.Fuzz(func(t *testing.T, sent []byte) {
		const limit = 1 << 16
		r := bytes.NewReader(sent)
		for {
			m, err := readMessage(r, limit, new(bodyPool))
			if len(m.Body) > limit {
				t.Fatalf("%d bytes", len(m.Body))
			}
			if err != nil {
				return
			}
		}
	})
}
