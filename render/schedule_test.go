package render

import (
	"fmt"
	"reflect"
	"testing"

	"lockstep/lb"
	"lockstep/render/internal/frame"
	"lockstep/render/internal/tile"
)

// plainSchedule is the schedule for plainOptions and a mesh of 100,000 triangles. Rows of the table below name only the
// fields that differ from it.
var plainSchedule = schedule{
	width: 640, height: 480, grid: 1, layout: tile.New(640, 480),
	window: window{height: 480, pictureHeight: 480},
	lit:    tile.Rows{Lo: 0, Hi: 30}, near: tile.Rows{Lo: 0, Hi: 30}, needed: tile.Rows{Lo: 0, Hi: 30},
	units: 25, unitSize: 4096, blockSize: 4096, sharing: BalanceCost, fitsCache: true, payloadLimit: 1 << 32,
}

func plainOptions() Options { return Options{Width: 640, Height: 480, Samples: 1, BlockSize: 4096} }

// studioOptions returns options with occlusion, so that pixels are lit one by one, and with so many samples that spans
// are stored. The keys of 1280x960 samples are 10 MB. A worker stores spans of up to half that size, in 75 chunks.
func studioOptions() Options {
	o := plainOptions()
	o.Samples, o.Light, o.Shading, o.Occlusion = 4, LightStudio, ShadingSmooth, true
	return o
}

func studioSchedule() schedule {
	s := plainSchedule
	s.grid, s.layout, s.fitsCache = 2, tile.New(1280, 960), false
	all(&s, 60)
	s.carry, s.to, s.payloadLimit, s.occluded = carryNumbers, toLight, 100_000, true
	s.storeChunks = tile.New(1280, 960).StoreChunks()
	s.backRows, s.mayPredict = 4, true
	return s
}

// TestSchedule checks a table of all decisions about frames. Each row changes the options or the request of one of two
// frames, and sets the fields of the schedule that differ.
func TestSchedule(t *testing.T) {
	if studioSchedule().storeChunks == 0 {
		t.Fatal("no spans are kept: the table says nothing")
	}
	for name, c := range map[string]struct {
		plain, studio func(o *Options, q *request) // either plain or studio is set
		want          func(s *schedule)
	}{
		"plain":               {plain: func(*Options, *request) {}},
		"studio":              {studio: func(*Options, *request) {}},
		"colour":              {plain: func(o *Options, _ *request) { o.Color = new(RGB) }, want: func(s *schedule) { s.oneColor = true }},
		"studio lights, flat": {plain: func(o *Options, _ *request) { o.Light = LightStudio }, want: func(s *schedule) { s.carry = carryStudio }},
		"never balanced":      {plain: func(o *Options, _ *request) { o.Balance = BalanceNever }, want: func(s *schedule) { s.sharing = BalanceNever }},
		"always balanced":     {plain: func(o *Options, _ *request) { o.Balance = BalanceAlways }, want: func(s *schedule) { s.sharing = BalanceAlways }},
		"timed":               {plain: func(o *Options, _ *request) { o.TimeBlocks = true }, want: func(s *schedule) { s.timed, s.sharing = true, BalanceNever }},
		"traced":              {plain: func(_ *Options, q *request) { q.traced = true }, want: func(s *schedule) { s.traced = true }},
		"translucent, plain":  {plain: func(_ *Options, q *request) { q.translucent = true }},
		"occlusion, plain":    {plain: func(o *Options, _ *request) { o.Occlusion = true }},
		"smooth, headlight":   {plain: func(o *Options, _ *request) { o.Shading = ShadingSmooth }},
		"samples": {plain: func(o *Options, _ *request) { o.Samples = 16 }, want: func(s *schedule) {
			s.grid, s.layout, s.fitsCache = 4, tile.New(2560, 1920), false
			all(s, 120)
			stored(s)
		}},
		"frame of 4 MiB": {plain: func(o *Options, _ *request) { o.Width = 1024 }, want: func(s *schedule) {
			s.width, s.layout = 1024, tile.New(1024, 480)
			s.fitsCache = 8*s.layout.Keys() <= 4<<20
			stored(s)
		}},
		"small mesh, little memory": {plain: func(_ *Options, q *request) { q.triangles, q.lean = 10_000, true }, want: func(s *schedule) { s.units, s.unitSize = 16, 640 }},
		"groups of any mesh":        {plain: func(_ *Options, q *request) { q.groups, q.minDeferred = true, 1 }, want: func(s *schedule) { s.leaves = true }},
		"prepared file, large blocks": {plain: func(o *Options, q *request) {
			q.inMemory, q.stored, q.triangles, o.BlockSize = false, true, 1<<20, 8192
		}, want: func(s *schedule) {
			s.units, s.unitSize, s.blockSize, s.leaves = 256, 4096, 8192, true
		}},
		"frame beyond 4 MiB":             {plain: func(o *Options, _ *request) { o.Width = 1200 }, want: func(s *schedule) { s.width, s.layout, s.fitsCache = 1200, tile.New(1200, 480), false; stored(s) }},
		"small mesh":                     {plain: func(_ *Options, q *request) { q.triangles = 10_000 }, want: func(s *schedule) { s.units, s.unitSize = 16, 640; stored(s) }},
		"small mesh, layer":              {plain: func(_ *Options, q *request) { q.part, q.triangles = partLayer, 1000 }, want: func(s *schedule) { s.to, s.units = toLayer, 5 }},
		"most triangles that are stored": {plain: func(_ *Options, q *request) { q.triangles = tile.New(640, 480).Keys() / storeSamples }, want: func(s *schedule) { s.units, s.unitSize = 16, 3888; stored(s) }},
		"more triangles":                 {plain: func(_ *Options, q *request) { q.triangles = tile.New(640, 480).Keys()/storeSamples + 1 }, want: func(s *schedule) { s.units, s.unitSize = 16, 3904 }},
		"tiny mesh":                      {plain: func(_ *Options, q *request) { q.triangles = 1000 }, want: func(s *schedule) { s.units, s.unitSize = 4, 256; stored(s) }},
		"whole vectors":                  {plain: func(_ *Options, q *request) { q.triangles = 16_001 }, want: func(s *schedule) { s.units, s.unitSize = 16, 1008; stored(s) }},
		"all rows":                       {plain: func(_ *Options, q *request) { q.part, q.rows = partRows, [2]int{0, 480} }, want: func(s *schedule) { rowsOf(s, 0, 480, 0, 480, 0) }},
		"small mesh, timed":              {plain: func(o *Options, q *request) { q.triangles, o.TimeBlocks = 10_000, true }, want: func(s *schedule) { s.units, s.timed, s.sharing = 3, true, BalanceNever }},
		"small blocks":                   {plain: func(o *Options, _ *request) { o.BlockSize = 64 }, want: func(s *schedule) { s.units, s.unitSize, s.blockSize = 1563, 64, 64 }},
		"a file":                         {plain: func(_ *Options, q *request) { q.inMemory = false }, want: func(s *schedule) { s.unitSize, s.units = 0, 7 }},
		"no source":                      {plain: func(_ *Options, q *request) { *q = request{} }, want: func(s *schedule) { s.unitSize, s.units = 0, 0; stored(s); s.mayPredict = false }},
		"layer":                          {plain: func(_ *Options, q *request) { q.part = partLayer }, want: func(s *schedule) { s.to, s.units = toLayer, 5 }},
		"layer of a file":                {plain: func(_ *Options, q *request) { q.part, q.inMemory = partLayer, false }, want: func(s *schedule) { s.to, s.units, s.unitSize = toLayer, 5, 0 }},
		"layer of small mesh":            {plain: func(_ *Options, q *request) { q.part, q.triangles = partLayer, 10_000 }, want: func(s *schedule) { s.to, s.units = toLayer, 5 }},
		"gather": {plain: func(_ *Options, q *request) { q.part = partGather }, want: func(s *schedule) {
			s.from, s.units = fromLayers, 10
			s.lit, s.near, s.needed = tile.Rows{Lo: 10, Hi: 20}, tile.Rows{Lo: 9, Hi: 21}, tile.Rows{Lo: 10, Hi: 20}
		}},
		"gather at the top": {plain: func(_ *Options, q *request) { q.part, q.litRows = partGather, tile.Rows{Lo: 0, Hi: 2} }, want: func(s *schedule) {
			s.from, s.units = fromLayers, 2
			s.lit, s.near, s.needed = tile.Rows{Lo: 0, Hi: 2}, tile.Rows{Lo: 0, Hi: 3}, tile.Rows{Lo: 0, Hi: 2}
		}},
		"rows":            {plain: func(_ *Options, q *request) { q.part = partRows }, want: func(s *schedule) { rowsOf(s, 64, 144, 64, 144, 0) }},
		"rows to the end": {plain: func(_ *Options, q *request) { q.part, q.rows = partRows, [2]int{464, 480} }, want: func(s *schedule) { rowsOf(s, 464, 480, 464, 480, 0) }},
		"rows of a half tile": {plain: func(o *Options, q *request) { o.Height, q.part, q.rows = 470, partRows, [2]int{464, 470} }, want: func(s *schedule) {
			rowsOf(s, 464, 470, 464, 470, 0)
			s.height, s.lit, s.near, s.needed = 470, tile.Rows{Lo: 0, Hi: 1}, tile.Rows{Lo: 0, Hi: 1}, tile.Rows{Lo: 0, Hi: 1}
		}},
		"points": {plain: func(_ *Options, q *request) { cloudOfPoints(q) }, want: func(s *schedule) { s.from, s.units = fromPoints, 4 }},
		"points, timed": {plain: func(o *Options, q *request) { cloudOfPoints(q); o.TimeBlocks = true }, want: func(s *schedule) {
			s.from, s.units, s.unitSize, s.timed, s.sharing = fromPoints, 25, 512, true, BalanceNever
		}},
		"points, layer": {plain: func(_ *Options, q *request) { cloudOfPoints(q); q.part = partLayer }, want: func(s *schedule) { s.from, s.to, s.units, s.unitSize = fromPoints, toLayer, 5, 512 }},
		"points, rows":  {plain: func(_ *Options, q *request) { cloudOfPoints(q); q.part = partRows }, want: func(s *schedule) { rowsOf(s, 64, 144, 64, 144, 0); s.from, s.units = fromPoints, 4 }},
		"points, dome":  {plain: func(o *Options, q *request) { cloudOfPoints(q); o.Light, q.domeRows = LightStudio, 3 }, want: func(s *schedule) { s.from, s.units, s.carry, s.domed = fromPoints, 4, carryStudio, true }},
		"points, dome, rows": {plain: func(o *Options, q *request) { cloudOfPoints(q); o.Light, q.domeRows, q.part = LightStudio, 3, partRows }, want: func(s *schedule) {
			rowsOf(s, 64, 144, 48, 160, 16)
			s.from, s.units, s.carry, s.domed = fromPoints, 4, carryStudio, true
		}},
		"points, dome, layer": {plain: func(o *Options, q *request) {
			cloudOfPoints(q)
			o.Light, q.domeRows, q.part = LightStudio, 3, partLayer
		}, want: func(s *schedule) {
			s.from, s.to, s.units, s.unitSize, s.carry = fromPoints, toLayer, 5, 512, carryStudio
		}},
		"points, dome, headlight": {plain: func(_ *Options, q *request) { cloudOfPoints(q); q.domeRows = 3 }, want: func(s *schedule) { s.from, s.units = fromPoints, 4 }},
		"studio, points, dome": {studio: func(_ *Options, q *request) { cloudOfPoints(q); q.domeRows = 3 }, want: func(s *schedule) {
			s.from, s.units, s.backRows, s.storeChunks, s.mayPredict, s.occluded, s.domed = fromPoints, 4, 0, 0, false, false, true
		}},
		"few points": {plain: func(_ *Options, q *request) { cloudOfPoints(q); q.points, q.triangles = 1, 8 }, want: func(s *schedule) { s.from, s.units = fromPoints, 1 }},
		"studio, points": {studio: func(_ *Options, q *request) { cloudOfPoints(q) }, want: func(s *schedule) {
			s.from, s.units, s.backRows, s.storeChunks, s.mayPredict = fromPoints, 4, 0, 0, false
		}},
		"studio, one colour": {studio: func(o *Options, _ *request) { o.Color = new(RGB) }, want: func(s *schedule) { s.oneColor = true }},
		"studio, headlight": {studio: func(o *Options, _ *request) { o.Light = LightHeadlight }, want: func(s *schedule) {
			s.backRows = 0
			s.carry, s.to, s.payloadLimit, s.occluded = carryHeadlight, toColors, 1<<32, false
		}},
		"studio, flat":    {studio: func(o *Options, _ *request) { o.Shading = ShadingFlat }},
		"studio, open":    {studio: func(o *Options, _ *request) { o.Occlusion = false }, want: func(s *schedule) { s.occluded = false }},
		"studio, numbers": {studio: func(o *Options, _ *request) { o.Shading, o.Occlusion, o.Triangles = ShadingFlat, false, true }, want: func(s *schedule) { s.occluded = false }},
		"studio, nothing else": {studio: func(o *Options, _ *request) { o.Shading, o.Occlusion = ShadingFlat, false }, want: func(s *schedule) {
			s.backRows = 0
			s.carry, s.to, s.payloadLimit, s.occluded = carryStudio, toColors, 1<<32, false
		}},
		"studio, traced": {studio: func(_ *Options, q *request) { q.traced = true }, want: func(s *schedule) { s.traced = true; atOnce(s) }},
		"studio, timed":  {studio: func(o *Options, _ *request) { o.TimeBlocks = true }, want: func(s *schedule) { s.timed, s.sharing = true, BalanceNever; atOnce(s) }},
		"studio, layer":  {studio: func(_ *Options, q *request) { q.part = partLayer }, want: func(s *schedule) { s.to, s.units = toLayer, 5; atOnce(s) }},
		"studio, small": {studio: func(o *Options, _ *request) { o.Width, o.Height = 64, 48 }, want: func(s *schedule) {
			s.width, s.height, s.layout, s.fitsCache = 64, 48, tile.New(128, 96), true
			s.window = window{height: 48, pictureHeight: 48}
			all(s, 6)
			atOnce(s)
		}},
		"studio, never":  {studio: func(o *Options, _ *request) { o.Balance = BalanceNever }, want: func(s *schedule) { s.sharing = BalanceNever }},
		"studio, a file": {studio: func(_ *Options, q *request) { q.inMemory = false }, want: func(s *schedule) { s.mayPredict = false; s.unitSize, s.units, s.backRows = 0, 7, 0 }},
		"studio, one sample": {studio: func(o *Options, _ *request) { o.Samples = 1 }, want: func(s *schedule) {
			s.grid, s.layout, s.fitsCache, s.storeChunks = 1, tile.New(640, 480), true, tile.New(640, 480).StoreChunks()
			all(s, 30)
		}},
		"studio, more places than a store has": {studio: func(o *Options, q *request) { o.Width, o.Height, q.triangles = 16384, 16384, 1<<21+1 }, want: func(s *schedule) {
			s.width, s.height, s.layout, s.window = 16384, 16384, tile.New(32768, 32768), window{height: 16384, pictureHeight: 16384}
			all(s, 2048)
			s.units, s.payloadLimit = 513, 1<<21+1
			atOnce(s)
		}},
		"studio, larger mesh, layer": {studio: func(_ *Options, q *request) { q.part, q.triangles = partLayer, 1<<21+1 }, want: func(s *schedule) {
			s.to, s.units, s.payloadLimit = toLayer, 5, 1<<21+1
			atOnce(s)
		}},
		"studio, large file": {studio: func(_ *Options, q *request) { q.inMemory, q.triangles = false, 1<<21+1 }, want: func(s *schedule) {
			s.mayPredict = false
			s.unitSize, s.units, s.backRows, s.payloadLimit = 0, 7, 0, 1<<21+1
		}},
		"studio, larger mesh, traced": {studio: func(_ *Options, q *request) { q.traced, q.triangles = true, 1<<21+1 }, want: func(s *schedule) {
			s.traced, s.units, s.payloadLimit = true, 513, 1<<21+1
			atOnce(s)
		}},
		"studio, front faces": {studio: func(_ *Options, q *request) { q.culls = true }, want: func(s *schedule) { s.backRows = 0 }},
		"one-sided, plain":    {plain: func(_ *Options, q *request) { q.oneSided = true }},
		"studio, one-sided":   {studio: func(_ *Options, q *request) { q.oneSided = true }, want: func(s *schedule) { s.mayPredict = false; s.oneSided, s.backRows = true, 0 }},
		"studio, one-sided, groups": {studio: func(_ *Options, q *request) { q.triangles, q.oneSided, q.groups = 1<<20, true, true }, want: func(s *schedule) {
			s.mayPredict = false
			s.units, s.oneSided, s.backRows, s.payloadLimit = 256, true, 0, 1<<20
		}},
		"studio, translucent": {studio: func(_ *Options, q *request) { q.translucent = true }, want: func(s *schedule) { s.mayPredict = false; s.translucent, s.backRows = true, 0 }},
		"studio, backs now":   {studio: func(_ *Options, q *request) { q.drawsBacksAtOnce = true }, want: func(s *schedule) { s.mayPredict = false; s.backRows = 0 }},
		"studio, large mesh":  {studio: func(_ *Options, q *request) { q.triangles = 1 << 20 }, want: func(s *schedule) { s.units, s.backRows, s.payloadLimit = 256, 2, 1<<20 }},
		"studio, larger mesh": {studio: func(_ *Options, q *request) { q.triangles = 1<<21 + 1 }, want: func(s *schedule) {
			s.mayPredict = false
			s.units, s.backRows, s.payloadLimit, s.leaves = 513, 0, 1<<21+1, true
		}},
		"studio, large mesh, groups": {studio: func(_ *Options, q *request) { q.triangles, q.groups = 1<<20, true }, want: func(s *schedule) {
			s.mayPredict = false
			s.units, s.backRows, s.payloadLimit, s.leaves, s.defersBacks = 256, 0, 1<<20, true, true
		}},
		"studio, larger mesh, groups": {studio: func(_ *Options, q *request) { q.triangles, q.groups = 1<<21+1, true }, want: func(s *schedule) {
			s.mayPredict = false
			s.units, s.backRows, s.payloadLimit, s.leaves = 513, 0, 1<<21+1, true
		}},
		"studio, small mesh, groups": {studio: func(_ *Options, q *request) { q.groups = true }},
		"studio, translucent, groups": {studio: func(_ *Options, q *request) { q.triangles, q.translucent, q.groups = 1<<20, true, true }, want: func(s *schedule) {
			s.mayPredict = false
			s.units, s.translucent, s.backRows, s.payloadLimit = 256, true, 0, 1<<20
		}},
		"studio, predicted":              {studio: func(_ *Options, q *request) { q.predicts = true }, want: func(s *schedule) { s.hiddenRows = 8 }},
		"studio, front faces, predicted": {studio: func(_ *Options, q *request) { q.culls, q.predicts = true, true }, want: func(s *schedule) { s.backRows, s.hiddenRows = 0, 8 }},
		"studio, translucent, predicted": {studio: func(_ *Options, q *request) { q.translucent, q.predicts = true, true }, want: func(s *schedule) { s.translucent, s.mayPredict, s.backRows = true, false, 0 }},
		"studio, nothing deferred":       {studio: func(o *Options, q *request) { o.Leaves, q.predicts = lb.Never, true }, want: func(s *schedule) { s.mayPredict = false }},
		"studio, large mesh, predicted": {studio: func(_ *Options, q *request) { q.triangles, q.predicts = 1<<20, true }, want: func(s *schedule) {
			s.units, s.backRows, s.hiddenRows, s.payloadLimit = 256, 2, 2, 1<<20
		}},
		"predicted":             {plain: func(_ *Options, q *request) { q.predicts = true }},
		"small mesh, predicted": {plain: func(_ *Options, q *request) { q.triangles, q.predicts = 10_000, true }, want: func(s *schedule) { s.units, s.unitSize, s.hiddenRows = 16, 640, 8; stored(s) }},
		"small file, predicted": {plain: func(_ *Options, q *request) { q.triangles, q.inMemory, q.predicts = 10_000, false, true }, want: func(s *schedule) {
			s.units, s.unitSize = 7, 0
			stored(s)
			s.mayPredict = false
		}},
		"prepared file": {plain: func(_ *Options, q *request) { q.inMemory, q.stored, q.triangles = false, true, 1<<20 }, want: func(s *schedule) {
			s.units, s.leaves = 256, true
		}},
		"prepared file, odd blocks": {plain: func(o *Options, q *request) { q.inMemory, q.stored, q.triangles, o.BlockSize = false, true, 1<<20, 100 }, want: func(s *schedule) {
			s.units, s.unitSize, s.blockSize, s.leaves = 1<<20/64, 64, 100, true
		}},
		"large mesh, timed": {plain: func(o *Options, q *request) { q.triangles, q.groups, o.TimeBlocks = 1<<20, true, true }, want: func(s *schedule) {
			s.units, s.timed, s.sharing, s.leaves = 256, true, BalanceNever, true
		}},
		"large mesh, odd blocks": {plain: func(o *Options, q *request) { q.triangles, q.groups, o.BlockSize = 1<<20, true, 96 }, want: func(s *schedule) {
			s.units, s.unitSize, s.blockSize = 10923, 96, 96
		}},
		"studio, larger mesh, odd blocks": {studio: func(o *Options, q *request) { q.triangles, o.BlockSize = 1<<21+1, 96 }, want: func(s *schedule) {
			s.units, s.unitSize, s.blockSize, s.payloadLimit = 21846, 96, 96, 1<<21+1
			s.backRows, s.mayPredict = 0, false // the boxes of deferred back faces do not fit into memory
		}},
		"half a million, groups": {plain: func(_ *Options, q *request) { q.triangles, q.groups = frame.MinDeferred, true }, want: func(s *schedule) {
			s.units, s.leaves = 128, true
		}},
		"large mesh, samples": {plain: func(o *Options, q *request) { q.triangles, o.Samples = 1<<20, 4 }, want: func(s *schedule) {
			s.grid, s.layout, s.fitsCache, s.units, s.leaves = 2, tile.New(1280, 960), false, 256, true
			all(s, 60)
			stored(s)
			s.mayPredict = false
		}},
		"studio, gather": {studio: func(_ *Options, q *request) { q.part = partGather }, want: func(s *schedule) {
			s.from, s.units = fromLayers, 16
			s.lit, s.near, s.needed = tile.Rows{Lo: 10, Hi: 20}, tile.Rows{Lo: 8, Hi: 22}, tile.Rows{Lo: 7, Hi: 23}
			atOnce(s)
		}},
		"studio, gather open": {studio: func(o *Options, q *request) { q.part, o.Occlusion = partGather, false }, want: func(s *schedule) {
			s.occluded, s.from, s.units = false, fromLayers, 10
			s.lit, s.near, s.needed = tile.Rows{Lo: 10, Hi: 20}, tile.Rows{Lo: 8, Hi: 22}, tile.Rows{Lo: 10, Hi: 20}
			atOnce(s)
		}},
		"studio, rows":       {studio: func(_ *Options, q *request) { q.part = partRows }, want: func(s *schedule) { rowsOf(s, 64, 144, 32, 168, 24); atOnce(s) }},
		"studio, first rows": {studio: func(_ *Options, q *request) { q.part, q.rows = partRows, [2]int{0, 16} }, want: func(s *schedule) { rowsOf(s, 0, 16, 0, 40, 24); atOnce(s) }},
		"studio, last rows":  {studio: func(_ *Options, q *request) { q.part, q.rows = partRows, [2]int{464, 480} }, want: func(s *schedule) { rowsOf(s, 464, 480, 432, 480, 24); atOnce(s) }},
	} {
		t.Run(name, func(t *testing.T) {
			o, want, change := plainOptions(), plainSchedule, c.plain
			if change == nil {
				o, want, change = studioOptions(), studioSchedule(), c.studio
			}
			q := request{rows: [2]int{64, 144}, litRows: tile.Rows{Lo: 10, Hi: 20}, blocks: 5, margin: 9, triangles: 100_000, sourceBlocks: 7, inMemory: true}
			change(&o, &q)
			if c.want != nil {
				c.want(&want)
			}
			if got := newSchedule(&o, &q); got != want {
				t.Errorf("differs in %s", differences(got, want))
			}
		})
	}
}

// The function all sets the ranges of tile rows to those of a whole picture.
func all(s *schedule, rows int) {
	s.lit, s.near, s.needed = tile.Rows{Lo: 0, Hi: rows}, tile.Rows{Lo: 0, Hi: rows}, tile.Rows{Lo: 0, Hi: rows}
}

// stored makes a flat frame store its spans.
func stored(s *schedule) { s.storeChunks, s.mayPredict = s.layout.StoreChunks(), true }

// atOnce makes a frame draw spans and back faces at once.
func atOnce(s *schedule) { s.storeChunks, s.backRows, s.mayPredict = 0, 0, false }

// rowsOf makes a frame light the rows from lo to hi, in a window from top to bottom. The light may depend on a number
// of further rows of pixels above and below, which is the parameter beyond. It is a multiple of the height of a tile
// row.
func rowsOf(s *schedule, lo, hi, top, bottom, beyond int) {
	rows := 16 / s.grid
	s.window = window{
		top: top, height: bottom - top, pictureTop: lo - top, pictureHeight: hi - lo,
		maxKeys: tile.New(640*s.grid, min(hi-lo+2*(beyond+16), 480)*s.grid).Keys(),
	}
	s.layout = tile.New(640*s.grid, (bottom-top)*s.grid)
	s.fitsCache = 8*s.layout.Keys() <= 4<<20
	s.lit = tile.Rows{Lo: (lo - top) / rows, Hi: (hi - top) / rows}
	s.needed = tile.Rows{Lo: 0, Hi: (bottom - top) / rows}
	margin := (2*5 + rows - 1) / rows // occlusion is averaged over five rows of cells
	s.near = tile.Rows{Lo: max(s.lit.Lo-margin, 0), Hi: min(s.lit.Hi+margin, s.needed.Hi)}
}

// differences returns the names of the fields in which two schedules differ.
func differences(got, want schedule) (text string) {
	g, w := reflect.ValueOf(got), reflect.ValueOf(want)
	for i := range g.NumField() {
		if a, b := fmt.Sprint(g.Field(i)), fmt.Sprint(w.Field(i)); a != b {
			text += fmt.Sprintf("\n%s: %s, want %s", g.Type().Field(i).Name, a, b)
		}
	}
	return text
}

// cloudOfPoints makes the source of a request a cloud of 12,500 points, which has as many triangles as the mesh.
func cloudOfPoints(q *request) { q.points, q.inMemory = 12_500, false }
