package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"
)

// store returns a store, which it looks up once.
func (c *Cluster) store(ctx context.Context, name string) (jetstream.KeyValue, error) {
	if kv, ok := c.stores.Load(name); ok {
		return kv.(jetstream.KeyValue), nil
	}
	kv, err := c.js.KeyValue(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("store %s: %w", name, err)
	}
	c.stores.Store(name, kv)
	return kv, nil
}

// keys lists the keys of a store.
func (c *Cluster) keys(ctx context.Context, store, filter string) ([]string, error) {
	kv, err := c.store(ctx, store)
	if err != nil {
		return nil, err
	}
	l, err := kv.ListKeysFiltered(ctx, filter)
	if err != nil {
		return nil, fmt.Errorf("store %s: %w", store, err)
	}
	defer l.Stop()
	var keys []string
	for k := range l.Keys() {
		keys = append(keys, k)
	}
	return keys, nil
}

// get reads a value.
func (c *Cluster) get(ctx context.Context, store, key string, value any) error {
	kv, err := c.store(ctx, store)
	if err != nil {
		return err
	}
	e, err := kv.Get(ctx, key)
	if err != nil {
		return fmt.Errorf("store %s, key %s: %w", store, key, err)
	}
	if err := json.Unmarshal(e.Value(), value); err != nil {
		return fmt.Errorf("store %s, key %s: %w", store, key, errors.Join(err, errMalformed))
	}
	return nil
}

// put writes a value.
func (c *Cluster) put(ctx context.Context, store, key string, value any) error {
	kv, err := c.store(ctx, store)
	if err != nil {
		return err
	}
	b, err := json.Marshal(value)
	if err != nil {
		return err
	}
	if _, err := kv.Put(ctx, key, b); err != nil {
		return fmt.Errorf("store %s, key %s: %w", store, key, err)
	}
	return nil
}

// remove deletes a value.
func (c *Cluster) remove(ctx context.Context, store, key string) error {
	kv, err := c.store(ctx, store)
	if err != nil {
		return err
	}
	if err := kv.Delete(ctx, key); err != nil {
		return fmt.Errorf("store %s, key %s: %w", store, key, err)
	}
	return nil
}
