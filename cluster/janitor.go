package cluster

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// jobMemory is how long the records of a job that has ended are kept for people to look at.
const jobMemory = 7 * 24 * time.Hour

// Finish says that nothing is left to do for a job. Its records stay for a week; its files
// and pictures are removed.
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

// Sweep removes what belongs to no job: parts of files and pictures that a process left
// behind when it was killed, and all of jobs that ended a week ago. What other processes put
// into the stores meanwhile stays: the stores are listed before the jobs.
func (c *Queue) Sweep(ctx context.Context) error {
	found := map[string][]string{}
	for _, stream := range sweptStreams {
		var err error
		if found[stream.name], err = c.firstWords(ctx, stream.name, stream.prefix); err != nil {
			return err
		}
	}
	jobs, err := c.Jobs(ctx)
	if err != nil {
		return err
	}
	known, alive := map[string]bool{}, map[string]bool{}
	for _, job := range jobs {
		switch {
		case job.Cancelled:
			known[job.ID] = true
		case job.Finished == nil:
			known[job.ID], alive[job.ID] = true, true
			for _, f := range job.Files {
				for _, p := range f.Parts {
					alive[p.Hash] = true
				}
			}
		case time.Since(*job.Finished) < jobMemory:
			known[job.ID] = true
		default:
			if err := c.remove(ctx, jobStore, job.ID); err != nil {
				return err
			}
		}
	}
	for _, stream := range sweptStreams {
		keep := alive
		if stream.records {
			keep = known
		}
		if err := c.purgeWords(ctx, stream.name, stream.prefix, found[stream.name], keep); err != nil {
			return err
		}
	}
	return nil
}

// sweptStreams are those whose subjects name jobs, or parts of their files, in the word
// after a prefix. Records are kept longer than the rest.
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

// firstWords returns the words that follow a prefix in the subjects of a stream.
func (c *Queue) firstWords(ctx context.Context, stream, prefix string) (words []string, err error) {
	s, err := c.js.Stream(ctx, stream)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", stream, err)
	}
	info, err := s.Info(ctx, jetstream.WithSubjectFilter(prefix+">"))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", stream, err)
	}
	seen := map[string]bool{}
	for subject := range info.State.Subjects {
		word, _, _ := strings.Cut(strings.TrimPrefix(subject, prefix), ".")
		if !seen[word] {
			seen[word] = true
			words = append(words, word)
		}
	}
	return words, nil
}

// purgeWords removes the messages whose word is not kept.
func (c *Queue) purgeWords(ctx context.Context, stream, prefix string, words []string, keep map[string]bool) error {
	s, err := c.js.Stream(ctx, stream)
	if err != nil {
		return fmt.Errorf("%s: %w", stream, err)
	}
	for _, word := range words {
		if keep[word] {
			continue
		}
		for _, filter := range []string{prefix + word, prefix + word + ".>"} {
			if err := s.Purge(ctx, jetstream.WithPurgeSubject(filter)); err != nil {
				return fmt.Errorf("%s: %w", filter, err)
			}
		}
	}
	return nil
}
