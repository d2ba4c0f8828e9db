package page

import (
	"net/http"
	"net/url"
	"testing"
)

// A recorder records the response of a handler.
type recorder struct {
	header http.Header
	code   int
}

func newRecorder() *recorder { return &recorder{header: http.Header{}} }

func (r *recorder) Header() http.Header { return r.header }

func (r *recorder) WriteHeader(code int) {
	if r.code == 0 {
		r.code = code
	}
}

func (r *recorder) Write(b []byte) (int, error) { r.WriteHeader(http.StatusOK); return len(b), nil }

func must1(t *testing.T, path string) *url.URL {
	t.Helper()
	u, err := url.Parse(path)
	must(t, err)
	return u
}
