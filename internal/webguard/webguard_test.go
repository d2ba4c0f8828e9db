package webguard

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// ask sends a request to a guarded page, which responds with "seen" and its path.
func ask(g Guard, change func(r *http.Request), method, target string) *http.Response {
	r := httptest.NewRequest(method, target, nil)
	r.Host = "localhost:8000"
	if change != nil {
		change(r)
	}
	w := httptest.NewRecorder()
	g.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Write([]byte("seen " + r.URL.Path)) })).ServeHTTP(w, r)
	return w.Result()
}

// TestHeaders checks that every response has the headers that protect a page, even if the request is refused.
func TestHeaders(t *testing.T) {
	for name, answer := range map[string]*http.Response{
		"a page":    ask(Guard{}, nil, "GET", "/"),
		"a refusal": ask(Guard{Remote: true, Token: "secret"}, nil, "GET", "/"),
		"a name":    ask(Guard{}, func(r *http.Request) { r.Host = "evil.com" }, "GET", "/"),
	} {
		for header, want := range map[string]string{
			"Content-Security-Policy": Policy, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
			"Cross-Origin-Resource-Policy": "same-origin", "Cache-Control": "no-cache",
		} {
			if got := answer.Header.Get(header); got != want {
				t.Errorf("%s: %s is %q", name, header, got)
			}
		}
	}
	for _, part := range []string{"default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "form-action 'none'", "base-uri 'none'"} {
		if !strings.Contains(Policy, part) {
			t.Errorf("the policy lacks %s", part)
		}
	}
	if got := ask(Guard{Policy: "other"}, nil, "GET", "/").Header.Get("Content-Security-Policy"); got != "other" {
		t.Errorf("another policy is %q", got)
	}
}

// TestNames checks that the page is served only under names of this machine, so that an attacker cannot reach it by a
// name of another domain.
func TestNames(t *testing.T) {
	for host, want := range map[string]int{
		"localhost": 200, "localhost:8000": 200, "127.0.0.1:1": 200, "127.9.9.9": 200, "[::1]:80": 200, "[::1]": 200, "::1": 200,
		"evil.com": 403, "localhost.evil.com": 403, "127.0.0.1.evil.com:80": 403, "192.168.1.5": 403, "0.0.0.0:80": 403, "": 403,
		"[::ffff:8.8.8.8]:80": 403, "evil.com:localhost": 403, "LOCALHOST:": 403,
	} {
		if got := ask(Guard{}, func(r *http.Request) { r.Host = host }, "GET", "/x").StatusCode; got != want {
			t.Errorf("%q: %d, want %d", host, got, want)
		}
	}
	// Other machines use names that this machine does not know.
	if got := ask(Guard{Remote: true, Token: "t"}, func(r *http.Request) { r.Host = "big.example"; r.Header.Set("Authorization", "Bearer t") }, "GET", "/").StatusCode; got != 200 {
		t.Errorf("by its own name: %d", got)
	}
}

// TestOtherPages checks requests that other web pages make a browser send. A request must be refused if it would change
// something. Requests that only read are left to the browser's own rules.
func TestOtherPages(t *testing.T) {
	for name, c := range map[string]struct {
		method, origin, site string
		want                 int
	}{
		"own page":                {"POST", "http://localhost:8000", "same-origin", 200},
		"no browser":              {"POST", "", "", 200},
		"other page":              {"POST", "http://evil.com", "cross-site", 403},
		"other page, old browser": {"POST", "http://evil.com", "", 403},
		"other port":              {"POST", "http://localhost:9000", "same-site", 403},
		"no origin":               {"POST", "null", "", 403},
		"deletes":                 {"DELETE", "http://evil.com", "cross-site", 403},
		"a link":                  {"GET", "", "cross-site", 200},
	} {
		got := ask(Guard{}, func(r *http.Request) {
			if c.origin != "" {
				r.Header.Set("Origin", c.origin)
			}
			if c.site != "" {
				r.Header.Set("Sec-Fetch-Site", c.site)
			}
		}, c.method, "/x").StatusCode
		if got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

// TestToken checks that other machines are admitted only with the token: once in the address, from where it moves to
// a cookie; in a header; or in that cookie.
func TestToken(t *testing.T) {
	g := Guard{Remote: true, Token: "s3cret"}
	header := func(name, value string) func(r *http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	for name, c := range map[string]struct {
		target string
		change func(r *http.Request)
		want   int
	}{
		"nothing":           {"/", nil, 401},
		"address":           {"/?token=s3cret", nil, 303},
		"address of a file": {"/x.js?token=s3cret", nil, 200},
		"wrong":             {"/?token=s3cre", nil, 401},
		"longer":            {"/?token=s3cret0", nil, 401},
		"empty":             {"/?token=", nil, 401},
		"header":            {"/", header("Authorization", "Bearer s3cret"), 200},
		"wrong header":      {"/", header("Authorization", "Bearer x"), 401},
		"other scheme":      {"/", header("Authorization", "Basic s3cret"), 401},
		"cookie":            {"/", header("Cookie", "lockstep=s3cret"), 200},
		"wrong cookie":      {"/", header("Cookie", "lockstep=x"), 401},
		"empty cookie":      {"/", header("Cookie", "lockstep="), 401},
		"other cookie":      {"/", header("Cookie", "token=s3cret"), 401},
		"referer":           {"/", header("Referer", "https://big.example/?token=s3cret"), 401},
		"fragment":          {"/#token=s3cret", nil, 401},
	} {
		if got := ask(g, c.change, "GET", c.target); got.StatusCode != c.want {
			t.Errorf("%s: %d, want %d", name, got.StatusCode, c.want)
		} else if loc := got.Header.Get("Location"); strings.Contains(loc, "token") || c.want == 303 && loc != "/" {
			t.Errorf("%s: sent on to %q", name, loc)
		}
	}
	cookies := ask(g, nil, "GET", "/?token=s3cret").Cookies()
	if len(cookies) != 1 {
		t.Fatalf("%d cookies", len(cookies))
	}
	if c := cookies[0]; c.Value != "s3cret" || !c.HttpOnly || !c.Secure || c.SameSite != http.SameSiteStrictMode || c.Path != "/" {
		t.Errorf("the cookie is %v", c)
	}
	// Without a token no request is admitted.
	for _, target := range []string{"/", "/?token="} {
		if got := ask(Guard{Remote: true}, header("Authorization", "Bearer "), "GET", target).StatusCode; got != 401 {
			t.Errorf("%s with no token: %d", target, got)
		}
	}
	// The token does not allow other web pages to change something.
	if got := ask(g, func(r *http.Request) {
		r.Header.Set("Cookie", "lockstep=s3cret")
		r.Header.Set("Origin", "http://evil.com")
		r.Header.Set("Sec-Fetch-Site", "cross-site")
	}, "POST", "/x").StatusCode; got != 403 {
		t.Errorf("another page with the cookie: %d", got)
	}
}
