// Draws a scene, flat shaded, with Embree 3 on one core: one primary ray for
// each pixel, sixteen rays at a time. Prints the best time of a frame, and the
// time of building the bounding volume hierarchy.
#include <embree3/rtcore.h>
#include <math.h>
#include "common.h"

static unsigned char srgb[4096];

// invert inverts the 3x3 matrix a, row by row.
static void invert(const double a[9], double out[9]) {
	double d = a[0] * (a[4] * a[8] - a[5] * a[7]) - a[1] * (a[3] * a[8] - a[5] * a[6]) + a[2] * (a[3] * a[7] - a[4] * a[6]);
	for (int r = 0; r < 3; r++)
		for (int c = 0; c < 3; c++) {
			int r1 = (c + 1) % 3, r2 = (c + 2) % 3, c1 = (r + 1) % 3, c2 = (r + 2) % 3;
			out[3 * r + c] = (a[3 * r1 + c1] * a[3 * r2 + c2] - a[3 * r1 + c2] * a[3 * r2 + c1]) / d;
		}
}

int main(int argc, char **argv) {
	if (argc < 3) fail("usage: embree SCENE FRAMES");
	scene s = read_scene(argv[1]);
	int w = s.size[0], h = s.size[1];
	for (int i = 0; i < 4096; i++) srgb[i] = (unsigned char)(255 * powf(i / 4095.f, 1 / 2.2f) + 0.5f);
	RTCDevice device = rtcNewDevice("threads=1,set_affinity=0");
	RTCScene scene = rtcNewScene(device);
	RTCGeometry g = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
	float *v = rtcSetNewGeometryBuffer(g, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 12, 3 * s.triangles);
	unsigned *index = rtcSetNewGeometryBuffer(g, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 12, s.triangles);
	memcpy(v, s.vertices, 36 * s.triangles);
	for (uint64_t i = 0; i < 3 * s.triangles; i++) index[i] = i;
	rtcCommitGeometry(g);
	rtcAttachGeometry(scene, g);
	double build = now();
	rtcCommitScene(scene);
	build = now() - build;

	// The rows x, y and w of the clip matrix map directions to clip coordinates;
	// their inverse maps the clip coordinates of a pixel to its ray's direction.
	double rows[9], inverse[9];
	for (int c = 0; c < 3; c++)
		rows[c] = s.matrix[4 * c], rows[3 + c] = s.matrix[4 * c + 1], rows[6 + c] = s.matrix[4 * c + 3];
	invert(rows, inverse);
	unsigned char *pixels = malloc((size_t)w * h * 4);
	int valid[16] __attribute__((aligned(64)));
	for (int i = 0; i < 16; i++) valid[i] = -1;
	double best = 1e30;
	long covered = 0;
	for (int f = 0; f < atoi(argv[2]); f++) {
		double t = now();
		covered = 0;
		memset(pixels, 0, (size_t)w * h * 4);
		struct RTCIntersectContext context;
		rtcInitIntersectContext(&context);
		context.flags = RTC_INTERSECT_CONTEXT_FLAG_COHERENT;
		for (int y = 0; y + 4 <= h; y += 4)
			for (int x = 0; x + 4 <= w; x += 4) {
				struct RTCRayHit16 r __attribute__((aligned(64)));
				for (int i = 0; i < 16; i++) {
					double cx = 2 * (x + i % 4 + 0.5) / w - 1, cy = 1 - 2 * (y + i / 4 + 0.5) / h;
					r.ray.org_x[i] = s.eye[0], r.ray.org_y[i] = s.eye[1], r.ray.org_z[i] = s.eye[2];
					r.ray.dir_x[i] = inverse[0] * cx + inverse[1] * cy + inverse[2];
					r.ray.dir_y[i] = inverse[3] * cx + inverse[4] * cy + inverse[5];
					r.ray.dir_z[i] = inverse[6] * cx + inverse[7] * cy + inverse[8];
					r.ray.tnear[i] = 0, r.ray.tfar[i] = INFINITY, r.ray.mask[i] = -1, r.ray.flags[i] = 0, r.ray.time[i] = 0;
					r.hit.geomID[i] = RTC_INVALID_GEOMETRY_ID;
				}
				rtcIntersect16(valid, scene, &context, &r);
				for (int i = 0; i < 16; i++) {
					if (r.hit.geomID[i] == RTC_INVALID_GEOMETRY_ID) continue;
					float n = r.hit.Ng_x[i] * r.ray.dir_x[i] + r.hit.Ng_y[i] * r.ray.dir_y[i] + r.hit.Ng_z[i] * r.ray.dir_z[i];
					float nn = r.hit.Ng_x[i] * r.hit.Ng_x[i] + r.hit.Ng_y[i] * r.hit.Ng_y[i] + r.hit.Ng_z[i] * r.hit.Ng_z[i];
					float dd = r.ray.dir_x[i] * r.ray.dir_x[i] + r.ray.dir_y[i] * r.ray.dir_y[i] + r.ray.dir_z[i] * r.ray.dir_z[i];
					float c = fabsf(n) / sqrtf(nn * dd);
					unsigned char *p = pixels + 4 * ((size_t)(y + i / 4) * w + x + i % 4);
					p[0] = p[1] = p[2] = srgb[(int)(4095 * 0.6038f * (0.15f + 0.85f * (c < 1 ? c : 1)))];
					p[3] = 255;
					covered++;
				}
			}
		t = now() - t;
		if (t < best) best = t;
	}
	report("both", best, covered, build);
	return 0;
}
