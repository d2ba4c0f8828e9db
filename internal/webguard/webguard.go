// Package webguard protects the pages of our programs from other web pages, other machines and other users. It sets
// headers, refuses requests for foreign host names, and requires a token from other machines.
package webguard

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"strings"
)

// A Guard decides who may see a page.
type Guard struct {
	// Remote means that other machines can connect. They need the Token. They must connect by TLS, because browsers
	// send the cookie with the token only over TLS.
	Remote bool
	Token  string
	// Policy is the Content-Security-Policy. If it is empty, the constant Policy is used.
	Policy string
}

// Policy allows a browser to load files only from this server, and to run only the page's modules as scripts.
const Policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// cookie is the name of the cookie that holds the token.
const cookie = "lockstep"

// Wrap returns a handler that checks each request before it calls next, and sets headers of the response. It rejects
// requests without authorization. It also rejects requests by which other web pages would change the state of the
// server.
func (g Guard) Wrap(next http.Handler) http.Handler {
	next = http.NewCrossOriginProtection().Handler(next)
	policy := g.Policy
	if policy == "" {
		policy = Policy
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-cache")
		switch {
		case !g.Remote && !IsLoopback(r.Host):
			http.Error(w, "this page is for this machine: ask for it as localhost", http.StatusForbidden)
		case g.Remote && equalSecrets(r.URL.Query().Get("token"), g.Token):
			http.SetCookie(w, &http.Cookie{Name: cookie, Value: g.Token, Path: "/", HttpOnly: true, Secure: true, SameSite: http.SameSiteStrictMode})
			if r.URL.Path != "/" {
				next.ServeHTTP(w, r)
				return
			}
			http.Redirect(w, r, "/", http.StatusSeeOther) // the redirection removes the token from the address bar
		case g.Remote && !g.hasToken(r):
			http.Error(w, "expected the token that the command printed: ?token=, or Authorization: Bearer", http.StatusUnauthorized)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// hasToken reports whether a request contains the token.
func (g Guard) hasToken(r *http.Request) bool {
	if bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		return equalSecrets(bearer, g.Token)
	}
	c, err := r.Cookie(cookie)
	return err == nil && equalSecrets(c.Value, g.Token)
}

// equalSecrets compares two secrets in constant time. It returns false if a secret is empty.
func equalSecrets(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return a != "" && subtle.ConstantTimeCompare(x[:], y[:]) == 1
}

// IsLoopback reports whether a request's host is a name of this machine's loopback interface.
func IsLoopback(hostport string) bool {
	host, _, err := net.SplitHostPort(hostport)
	if err != nil {
		host = hostport
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
