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

// A Signature proves which key wrote a record. The name of a node proves nothing, because every writer can use every
// name.
type Signature struct {
	// Key is the public key of the node that signed the record. Sig is the signature in base64. Both are empty if the
	// server has no keys.
	Key string `json:"key,omitempty"`
	Sig string `json:"sig,omitempty"`
}

// A record is a value that nodes sign: a Done, a Failure or attempts.
type record interface {
	// signedFields returns a text with all fields of the record that are signed.
	signedFields() string
	signature() *Signature
	node() string
}

func (s *Signature) signature() *Signature { return s }

func (d *Done) node() string    { return d.Node }
func (f *Failure) node() string { return f.Node }

func (d *Done) signedFields() string {
	return fmt.Sprintf("done %q %q %d %v %q", d.Node, d.Hash, d.Bytes, d.Stored, d.FileState)
}

func (f *Failure) signedFields() string {
	return fmt.Sprintf("failure %q %q %d %d %v", f.Node, f.Error, f.Tries, f.Round, f.Recurs)
}

// signedText returns the text that is signed for the record of a frame.
func signedText(job string, frame int, r record) []byte {
	return fmt.Appendf(nil, "lockstep %q %d %s", job, frame, r.signedFields())
}

// Sign signs the record of a frame with the seed of an nkey. If seed is nil, the record stays unsigned.
func (d *Done) Sign(seed []byte, job string, frame int) error { return signBySeed(seed, job, frame, d) }

// Sign signs the failure of a frame with the seed of an nkey. If seed is nil, the record stays unsigned.
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

// A signer signs records. The zero value does not sign them.
type signer struct {
	public  string
	private ed25519.PrivateKey
}

// newSigner returns a signer with the seed of an nkey. newSigner computes the private key once. The nkeys library would
// compute it for each signature, which takes as long as signing.
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

// isSigned reports whether the record was signed with the key that it names.
func isSigned(job string, frame int, r record) bool {
	s := r.signature()
	sig, err := base64.StdEncoding.DecodeString(s.Sig)
	if err != nil {
		return false
	}
	pair, err := nkeys.FromPublicKey(s.Key)
	return err == nil && pair.Verify(signedText(job, frame, r), sig) == nil
}

// An Author identifies who wrote a record: the key that signed it and the name of the node. Key is empty if the record
// is not signed. Both are empty if the signature or the name is invalid.
type Author struct{ Key, Node string }

// storeKey returns the author's key in the store of blocked nodes.
func (a Author) storeKey() string {
	if a.Key == "" {
		return a.Node
	}
	return a.Key + "." + a.Node
}

// Author returns who drew the frame, according to the record.
func (d *Done) Author(job string, frame int) Author { return authorOf(job, frame, d) }

// Author returns who gave up the frame, according to the record.
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

// Seed returns the private key of this connection, the seed of an nkey. It is nil if the connection has no key.
func (c *Queue) Seed() []byte { return c.address.Seed }

// Wrote reports whether the author of a record signed it with the key of this connection. If the connection has no key,
// Wrote returns true, because the author cannot be checked.
func (c *Queue) Wrote(a Author) bool { return c.public == "" || a.Key == c.public }

// Knows reports whether it is certain who wrote a record. On a server with keys only a valid signature proves who wrote
// it. On a server without keys a name is enough.
func (c *Queue) Knows(a Author) bool { return a.Key != "" || a.Node != "" && c.public == "" }

// Settle resolves a fault. right is the record of the frame as the submitter has drawn it. Settle replaces a wrong
// record by right. It blocks the nodes that recorded a picture other than right, and returns these nodes.
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
		if err := c.put(ctx, blockedStore, author.storeKey(), fmt.Sprintf("frame %d of job %s", x.Frame, job.ID)); err != nil {
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
