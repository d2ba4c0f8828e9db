package cluster

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// jobRetention is how long the records of a finished job are kept for people to look at.
const jobRetention = 7 * 24 * time.Hour

// Finish marks a job as finished. It removes the job's files and pictures. The records are kept for jobRetention.
func (c *Queue) Finish(ctx context.Context, id string) error {
	job, err := c.Job(ctx, id)
	if err != nil {
		return err
	}
	now := time.Now().UTC()
	job.Finished = &now
	if err := c.put(ctx, jobStore, id, job); err != nil {
		return err
	}
	if err := c.js.DeleteConsumer(ctx, frameStream, consumerName(id)); err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) {
		return fmt.Errorf("job %s: %w", id, err)
	}
	return c.Sweep(ctx)
}

// Sweep removes data that belongs to no job, for example pictures that a killed process left behind. It also removes
// jobs that finished more than jobRetention ago. It lists the data in the stores first, and the jobs after that. So
// Sweep cannot remove data that another process stores for a new job meanwhile.
func (c *Queue) Sweep(ctx context.Context) error {
	found := map[string][]string{}
	for _, stream := range sweptStreams {
		var err error
		if found[stream.name], err = c.subjectTokens(ctx, stream.name, stream.prefix); err != nil {
			return err
		}
	}
	jobs, err := c.Jobs(ctx)
	if err != nil {
		return err
	}
	kept, live := map[string]bool{}, map[string]bool{}
	for _, job := range jobs {
		switch {
		case job.Cancelled:
			kept[job.ID] = true
		case job.Finished == nil:
			kept[job.ID], live[job.ID] = true, true
			for _, f := range job.Files {
				for _, p := range f.Parts {
					live[p.key()] = true
				}
			}
		case time.Since(*job.Finished) < jobRetention:
			kept[job.ID] = true
		default:
			if err := c.remove(ctx, jobStore, job.ID); err != nil {
				return err
			}
		}
	}
	for _, stream := range sweptStreams {
		retained := live
		if stream.records {
			retained = kept
		}
		if err := c.purgeTokens(ctx, stream.name, stream.prefix, found[stream.name], retained); err != nil {
			return err
		}
	}
	return nil
}

// sweptStreams lists the streams that Sweep cleans up. In their subjects, the token after the prefix is the ID of a job
// or the hash of a part of a file.
var sweptStreams = []struct {
	name, prefix string
	records      bool
}{
	{frameStream, frameStream + ".", false},
	{"KV_" + blobStore, "$KV." + blobStore + ".", false},
	{"KV_" + pictureStore, "$KV." + pictureStore + ".", false},
	{"KV_" + wantedStore, "$KV." + wantedStore + ".", false},
	{"KV_" + doneStore, "$KV." + doneStore + ".", true},
	{"KV_" + failureStore, "$KV." + failureStore + ".", true},
	{"KV_" + faultStore, "$KV." + faultStore + ".", true},
}

// subjectTokens returns the distinct tokens that follow a prefix in the subjects of a stream.
func (c *Queue) subjectTokens(ctx context.Context, stream, prefix string) (tokens []string, err error) {
	subjects, _, err := c.subjects(ctx, stream, prefix, ">")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", stream, err)
	}
	seen := map[string]bool{}
	for rest := range subjects {
		token, _, _ := strings.Cut(rest, ".")
		if !seen[token] {
			seen[token] = true
			tokens = append(tokens, token)
		}
	}
	return tokens, nil
}

// purgeTokens removes the messages with these tokens, except tokens in the set `keep`.
func (c *Queue) purgeTokens(ctx context.Context, stream, prefix string, tokens []string, keep map[string]bool) error {
	s, err := c.js.Stream(ctx, stream)
	if err != nil {
		return fmt.Errorf("%s: %w", stream, err)
	}
	for _, token := range tokens {
		if keep[token] {
			continue
		}
		for _, filter := range []string{prefix + token, prefix + token + ".>"} {
			if err := s.Purge(ctx, jetstream.WithPurgeSubject(filter)); err != nil {
				return fmt.Errorf("%s: %w", filter, err)
			}
		}
	}
	return nil
}
