package cluster

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"
)

// A Signature says whose record this is. A name would not do: whoever may write records may write any name.
type Signature struct {
	// Key is the public key of the node that signed the record, and Sig its signature in base64. Both are empty where
	// the server has no keys.
	Key string `json:"key,omitempty"`
	Sig string `json:"sig,omitempty"`
}

// A record can be signed by a node: a Done, a Failure or attempts.
type record interface {
	// text returns all that is signed of the record.
	text() string
	signature() *Signature
	node() string
}

func (s *Signature) signature() *Signature { return s }

func (d *Done) node() string    { return d.Node }
func (f *Failure) node() string { return f.Node }

func (d *Done) text() string {
	return fmt.Sprintf("done %q %q %d %v %q", d.Node, d.Hash, d.Bytes, d.Stored, d.FileState)
}

func (f *Failure) text() string {
	return fmt.Sprintf("failure %q %q %d %d %v", f.Node, f.Error, f.Tries, f.Round, f.Recurs)
}

// signedText returns the text that is signed for the record of a frame.
func signedText(job string, frame int, r record) []byte {
	return fmt.Appendf(nil, "lockstep %q %d %s", job, frame, r.text())
}

// Sign signs the record of a frame by the seed of an nkey; nil: it stays unsigned.
func (d *Done) Sign(seed []byte, job string, frame int) error { return signBySeed(seed, job, frame, d) }

// Sign signs the failure of a frame by the seed of an nkey; nil: it stays unsigned.
func (f *Failure) Sign(seed []byte, job string, frame int) error {
	return signBySeed(seed, job, frame, f)
}

func signBySeed(seed []byte, job string, frame int, r record) error {
	s, err := newSigner(seed)
	if err == nil {
		s.sign(job, frame, r)
	}
	return err
}

// A signer signs records. The zero value leaves them unsigned.
type signer struct {
	public  string
	private ed25519.PrivateKey
}

// newSigner returns a signer by the seed of an nkey. It works the private key out once, which takes as long as a
// signature, and which the library does for each one.
func newSigner(seed []byte) (signer, error) {
	if seed == nil {
		return signer{}, nil
	}
	public, err := (&Address{Seed: seed}).publicKey()
	if err != nil {
		return signer{}, err
	}
	_, raw, err := nkeys.DecodeSeed(seed)
	if err != nil {
		return signer{}, fmt.Errorf("key: %w", err)
	}
	return signer{public, ed25519.NewKeyFromSeed(raw)}, nil
}

// sign signs the record of a frame.
func (s signer) sign(job string, frame int, r record) {
	if s.private != nil {
		sig := ed25519.Sign(s.private, signedText(job, frame, r))
		*r.signature() = Signature{s.public, base64.StdEncoding.EncodeToString(sig)}
	}
}

// isSigned reports whether the record of a frame was signed by its Key.
func isSigned(job string, frame int, r record) bool {
	s := r.signature()
	sig, err := base64.StdEncoding.DecodeString(s.Sig)
	if err != nil {
		return false
	}
	pair, err := nkeys.FromPublicKey(s.Key)
	return err == nil && pair.Verify(signedText(job, frame, r), sig) == nil
}

// An Author is who wrote a record: the key that signed it and the name of the node. Key is empty if nobody has signed
// it, and Node too if its signature is wrong.
type Author struct{ Key, Node string }

// id returns the author's key in the store of blocked nodes.
func (a Author) id() string {
	if a.Key == "" {
		return a.Node
	}
	return a.Key + "." + a.Node
}

// Author returns who drew a frame of a job according to its record.
func (d *Done) Author(job string, frame int) Author { return authorOf(job, frame, d) }

// Author returns who gave a frame of a job up according to its record.
func (f *Failure) Author(job string, frame int) Author { return authorOf(job, frame, f) }

func authorOf(job string, frame int, r record) Author {
	switch {
	case !validKey(r.node()):
	case r.signature().Key == "":
		return Author{Node: r.node()}
	case isSigned(job, frame, r):
		return Author{r.signature().Key, r.node()}
	}
	return Author{}
}

// Seed returns the private key of this connection, the seed of an nkey; nil: it has none.
func (c *Queue) Seed() []byte { return c.address.Seed }

// Wrote reports whether a record is signed by the key of this connection. Without a key nothing can be told, and it is
// taken for its own.
func (c *Queue) Wrote(a Author) bool { return c.public == "" || a.Key == c.public }

// Knows reports whether the author of a record is known: by a signature, or by name where the server has no keys.
func (c *Queue) Knows(a Author) bool { return a.Key != "" || a.Node != "" && c.public == "" }

// Settle resolves a fault by the right record of the frame, which the submitter has drawn. It replaces a wrong record
// and blocks each node that signed another picture. It returns who is blocked.
func (c *Queue) Settle(ctx context.Context, job Job, x *Fault, right *Done) (blocked []Author, err error) {
	var first Done
	key := frameKey(job.ID, x.Frame)
	if err := c.get(ctx, doneStore, key, &first); errors.Is(err, errMalformed) {
		first = Done{}
	} else if err != nil && !errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, err
	}
	for _, wrong := range []*Done{&first, &x.Done} {
		author := wrong.Author(job.ID, x.Frame)
		if !c.Knows(author) || wrong.Hash == right.Hash || slices.Contains(blocked, author) {
			continue
		}
		if err := c.put(ctx, blockedStore, author.id(), fmt.Sprintf("frame %d of job %s", x.Frame, job.ID)); err != nil {
			return blocked, err
		}
		blocked = append(blocked, author)
	}
	if first.Hash != right.Hash {
		return blocked, c.put(ctx, doneStore, key, right)
	}
	return blocked, nil
}

// Blocked returns the names of the nodes that are blocked.
func (c *Queue) Blocked(ctx context.Context) ([]string, error) {
	keys, err := c.keys(ctx, blockedStore, ">")
	for i, k := range keys {
		keys[i] = k[strings.LastIndexByte(k, '.')+1:]
	}
	return keys, err
}
