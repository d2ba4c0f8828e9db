package cluster

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"
)

// An Address says where a server is and how both sides know each other.
type Address struct {
	URL  string // nats://host:port
	Pin  string // SHA-256 of the server's certificate in hexadecimal digits; "": no TLS
	Seed []byte // the node's or submitter's secret, an nkey's seed; nil: none
	// Report, unless nil, is told of errors that no call returns: connections that
	// were lost, permissions that are missing. It may be called at any time until Close.
	Report func(error)
	// Moved, unless nil, is asked before each connection where the server listens now, host:port;
	// "" is where URL says. A server that is started again may find its port taken.
	Moved func() string
}

// pinPrefix parts the address from the certificate's hash in a join line.
const pinPrefix = "#sha256:"

// ParseAddress reads nats://host:port, or nats://host:port#sha256:HASH.
func ParseAddress(line string) (Address, error) {
	url, pin, pinned := strings.Cut(line, "#")
	if !strings.HasPrefix(url, "nats://") && !strings.HasPrefix(url, "tls://") {
		return Address{}, fmt.Errorf("%q: expected nats://host:port, or nats://host:port%sHASH", line, pinPrefix)
	}
	if pinned {
		pin, pinned = strings.CutPrefix("#"+pin, pinPrefix)
		if b, err := hex.DecodeString(pin); !pinned || err != nil || len(b) != sha256.Size {
			return Address{}, fmt.Errorf("%q: expected %s and the 64 hexadecimal digits of the certificate's hash after the address", line, pinPrefix)
		}
	}
	return Address{URL: url, Pin: strings.ToLower(pin)}, nil
}

// String returns the line that ParseAddress reads. It holds no secret.
func (a Address) String() string {
	if a.Pin == "" {
		return a.URL
	}
	return a.URL + pinPrefix + a.Pin
}

// A conn is a connection to a server.
type conn struct {
	address Address
	nc      *nats.Conn
	js      jetstream.JetStream
	stores  sync.Map // by name
	losses  losses   // of the connection
}

// Limits of a connection. The library's two seconds to connect are too short while
// all cores draw.
const (
	connectTimeout = 15 * time.Second
	reconnectWait  = 200 * time.Millisecond
	callTimeout    = 20 * time.Second
)

// ServerName returns the name of a server. One that starts at a time, not zero, on what an earlier one kept says
// so: it may have forgotten which frames were given out.
func ServerName(again time.Time) string {
	if again.IsZero() {
		return "lockstep"
	}
	return againPrefix + strconv.FormatInt(again.UnixMilli(), 10)
}

const againPrefix = "lockstep-again-"

// startedAgain reports whether a server of this name was started again a moment ago, by the clock here: where it
// differs from the server's, a frame may be drawn twice.
func startedAgain(name string, now time.Time) bool {
	text, again := strings.CutPrefix(name, againPrefix)
	at, err := strconv.ParseInt(text, 10, 64)
	return again && err == nil && now.Sub(time.UnixMilli(at)).Abs() < startingTime
}

// Errors of Dial.
var (
	// ErrNoServer is told to Address.Report when Dial begins to wait.
	ErrNoServer = errors.New("no server answers yet")
	// ErrNoKey is the error of a server that wants a secret where none is given.
	ErrNoKey = errors.New("the server wants a key, and none was given")
	// ErrKey is the error of a secret that a server does not know.
	ErrKey = errors.New("the server does not know this key: it is another server's")
	// ErrNoPin is the error of a server with a certificate of its own where no hash is given.
	ErrNoPin = errors.New("the server's certificate is its own: the address wants its hash, " + pinPrefix + "HASH, after it")
)

// explain says in the words of those who gave the address why a server is none of theirs.
func (a *Address) explain(err error) error {
	var unknown *tls.CertificateVerificationError
	var pin *pinError
	switch {
	case errors.Is(err, nats.ErrAuthorization) && a.Seed == nil:
		return ErrNoKey
	case errors.Is(err, nats.ErrAuthorization):
		return ErrKey
	case errors.As(err, &pin):
		return pin
	case errors.As(err, &unknown):
		return ErrNoPin
	}
	return err
}

// maxPending bounds the tasks that are on their way to the server at once.
const maxPending = 4096

// refused reports whether a failure to connect is final.
func refused(err error) bool {
	var pin *pinError
	var unknown *tls.CertificateVerificationError
	return errors.As(err, &pin) || errors.As(err, &unknown) || errors.Is(err, nats.ErrAuthorization) || errors.Is(err, nats.ErrAuthExpired) ||
		errors.Is(err, nats.ErrSecureConnWanted) || errors.Is(err, nats.ErrSecureConnRequired)
}

// options returns those of the NATS library for a connection whose losses are noted.
func (a Address) options(l *losses) ([]nats.Option, error) {
	options := []nats.Option{
		nats.Timeout(connectTimeout), nats.MaxReconnects(-1), nats.ReconnectWait(reconnectWait),
		nats.ReconnectJitter(reconnectWait/2, reconnectWait/2),
		nats.ReconnectHandler(func(*nats.Conn) { l.ended() }),
		nats.PingInterval(5 * time.Second), nats.MaxPingsOutstanding(3),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			l.happened()
			if err != nil && a.Report != nil {
				a.Report(fmt.Errorf("connection lost: %w", err))
			}
		}),
	}
	if a.Report != nil {
		options = append(options, nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { a.Report(err) }))
	}
	if a.Moved != nil {
		options = append(options, nats.SetCustomDialer(&mover{net.Dialer{Timeout: connectTimeout}, a.Moved}))
	}
	if a.Pin != "" {
		options = append(options, nats.Secure(pinned(a.Pin)))
	}
	if a.Seed != nil {
		pair, err := nkeys.FromSeed(a.Seed)
		if err != nil {
			return nil, fmt.Errorf("key: %w", err)
		}
		public, err := pair.PublicKey()
		if err != nil {
			return nil, fmt.Errorf("key: %w", err)
		}
		options = append(options, nats.Nkey(public, pair.Sign))
	}
	return options, nil
}

// A mover connects to where a server is now.
type mover struct {
	net.Dialer
	moved func() string
}

// Dial implements nats.CustomDialer.
func (m *mover) Dial(network, address string) (net.Conn, error) {
	if now := m.moved(); now != "" {
		address = now
	}
	return m.Dialer.Dial(network, address)
}

// A pinError is a server whose certificate does not do.
type pinError struct{ why string }

func (e *pinError) Error() string { return "the server's certificate is " + e.why }

// pinned accepts the one certificate of that hash, while it is valid, whoever signed it.
func pinned(pin string) *tls.Config {
	return &tls.Config{
		MinVersion:         tls.VersionTLS13,
		InsecureSkipVerify: true, // the hash is compared instead of a chain
		VerifyConnection: func(s tls.ConnectionState) error {
			cert := s.PeerCertificates[0]
			if got := Fingerprint(cert); got != pin {
				return &pinError{"not the expected one: its hash is " + got + ", as that of another server, or of someone in between"}
			}
			if now := time.Now(); now.Before(cert.NotBefore) || now.After(cert.NotAfter) {
				return &pinError{fmt.Sprintf("valid from %s to %s only", cert.NotBefore.UTC().Format(time.DateTime), cert.NotAfter.UTC().Format(time.DateTime))}
			}
			return nil
		},
	}
}

// Pin returns what join lines have after the #.
func Pin(cert *x509.Certificate) string { return pinPrefix[1:] + Fingerprint(cert) }

// Fingerprint returns the hash of a certificate as join lines have it.
func Fingerprint(cert *x509.Certificate) string {
	sum := sha256.Sum256(cert.Raw)
	return hex.EncodeToString(sum[:])
}

// sleep waits, but not longer than ctx lasts.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// dial connects to a server, which it waits for until ctx ends. A connection that is
// lost later is made again for as long as it takes.
func dial(ctx context.Context, a Address) (*conn, error) {
	c := &conn{address: a}
	options, err := a.options(&c.losses)
	if err != nil {
		return nil, err
	}
	var waits error
	for {
		nc, err := nats.Connect(a.URL, options...)
		if err == nil {
			js, err := jetstream.New(nc, jetstream.WithDefaultTimeout(callTimeout), jetstream.WithPublishAsyncMaxPending(maxPending))
			if err != nil {
				nc.Close()
				return nil, fmt.Errorf("%s: %w", a.URL, err)
			}
			c.nc, c.js = nc, js
			if waits != nil || startedAgain(nc.ConnectedServerName(), time.Now()) {
				c.losses.ended()
			}
			return c, nil
		}
		if refused(err) {
			return nil, fmt.Errorf("%s: refused: %w", a.URL, a.explain(err))
		}
		if waits == nil && a.Report != nil {
			a.Report(fmt.Errorf("%w: %w", ErrNoServer, err))
		}
		waits = err
		if e := sleep(ctx, reconnectWait); e != nil {
			return nil, fmt.Errorf("%s: no server: %w", a.URL, errors.Join(err, e))
		}
	}
}

// startingTime is how long a server that was started again may take until it answers.
const startingTime = 5 * time.Second
