package cluster

import (
	"context"
	"time"
)

// Limits of Persist.
const (
	TryTime     = 5 * time.Second
	SubmitTime  = time.Minute // of a job: a hundred thousand frames take some twenty seconds
	persistTime = 2 * time.Minute
	persistRest = 200 * time.Millisecond
)

// Persist calls f, again when it fails or takes longer than the limit: the server may be on
// its way back. A try counts for no more than its limit, however long this machine slept in it.
func Persist(ctx context.Context, limit time.Duration, f func(context.Context) error) error {
	for spent := time.Duration(0); ; {
		began := time.Now()
		try, cancel := context.WithTimeout(ctx, limit)
		err := f(try)
		cancel()
		spent += min(time.Since(began), limit) + persistRest
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case spent > persistTime:
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(persistRest):
		}
	}
}
