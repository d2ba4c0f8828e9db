package scanline

import (
	"reflect"
	"testing"

	"lockstep/lb"
	"lockstep/render/internal/kernel/array"
)

// TestWarmUp warms a converter up before an array: what it counts stays the same, and the loop
// has redistributed, in the converter's own memory.
func TestWarmUp(t *testing.T) {
	for name, loop := range twinLoops() {
		cost := Cost{Polygon: 3, First: 9}
		want, s, spans, warm := &Converter{Cost: cost}, &Converter{Cost: cost}, array.MakeSpans(array.Lanes), int64(0)
		spans.N = 5
		s.WarmUp(func(other *Converter, p *array.Polygons, spans *array.Spans, width, stride int32) bool {
			finished := loop(other, p, spans, width, stride)
			warm += other.Redistributions
			return finished
		}, spans)
		if warm == 0 || spans.N != 0 || name != "generic" && s.state == nil {
			t.Errorf("%s: %d redistributions to warm up, %d spans are left, memory %p", name, warm, spans.N, s.state)
		}
		scanAll(loop, want, array.Lanes)
		scanAll(loop, s, array.Lanes)
		if s.Counts != want.Counts || s.Policy != lb.CostEffective || s.First != 1 {
			t.Errorf("%s: %+v, want %+v", name, s.Counts, want.Counts)
		}
	}
}

// TestWarmUpWritesAllSpans wants every column of the spans written to its end.
func TestWarmUpWritesAllSpans(t *testing.T) {
	const capacity, warm = 4096, 1024 // spans; the rows that warm up are fewer
	spans := array.MakeSpans(capacity)
	columns := reflect.ValueOf(spans).Elem()
	one := func(column reflect.Value) reflect.Value { return reflect.ValueOf(1).Convert(column.Type().Elem()) }
	each := func(do func(name string, column reflect.Value)) {
		for i := range columns.NumField() {
			if column := columns.Field(i); column.Kind() == reflect.Slice {
				do(columns.Type().Field(i).Name, column)
			}
		}
	}
	each(func(_ string, column reflect.Value) {
		for i := range column.Len() {
			column.Index(i).Set(one(column))
		}
	})
	new(Converter).WarmUp((*Converter).Run, spans)
	each(func(name string, column reflect.Value) {
		for i := warm; i < column.Len(); i++ {
			if !column.Index(i).IsZero() {
				t.Fatalf("%s: span %d is not written", name, i)
			}
		}
	})
}
