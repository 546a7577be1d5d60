/* The C ABI from plain C: a known value, gradients that sum to zero over the classes, codes and messages. */
#include <flce/c_api.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static int failures = 0;
#define CHECK(condition)                                     \
  do {                                                       \
    if (!(condition)) {                                      \
      printf("%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      ++failures;                                            \
    }                                                        \
  } while (0)

static flce_matrix matrix(void* data, int dtype, int64_t rows, int64_t cols) {
  flce_matrix m = {data, dtype, rows, cols, cols, 1};
  return m;
}
static flce_vector vector(void* data, int dtype, int64_t size) {
  flce_vector v = {data, dtype, size, 1};
  return v;
}

int main(void) {
  float x[4] = {3, 2, 1, 0}, w[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  int64_t target = 3, local = -1;
  float max, sum, predicted, loss, dx[4], dw[16];
  uint8_t mask;
  static flce_matrix none_m;
  static flce_vector none_v;
  const flce_matrix input = matrix(x, FLCE_FLOAT32, 1, 4), weight = matrix(w, FLCE_FLOAT32, 4, 4);
  const flce_vector t = vector(&target, FLCE_INT64, 1), m = vector(&max, FLCE_FLOAT32, 1),
                    s = vector(&sum, FLCE_FLOAT32, 1), p = vector(&predicted, FLCE_FLOAT32, 1),
                    b = vector(&mask, FLCE_UINT8, 1), l = vector(&local, FLCE_INT64, 1);
  CHECK(flce_online_max_sum(input, weight, t, 0, 4, m, s, p, b, l, none_m, NULL) == 0);
  CHECK(max == 3 && predicted == -3 && mask == 0 && local == 3);
  CHECK(flce_loss_with_max_sum(m, s, p, vector(&loss, FLCE_FLOAT32, 1), none_m, none_m, 0, NULL) == 0);
  CHECK(fabs(loss - 3.44019) < 1e-5);
  float one = 1;
  CHECK(flce_loss_with_max_sum_grad(vector(&one, FLCE_FLOAT32, 1), input, weight, b, l, matrix(dx, FLCE_FLOAT32, 1, 4),
                                    matrix(dw, FLCE_FLOAT32, 4, 4), 0, m, s, none_m, NULL) == 0);
  CHECK(fabs(dx[0] + dx[1] + dx[2] + dx[3]) < 1e-6 && fabs(dx[3] + 0.96794) < 1e-5);
  float again[4];
  CHECK(flce_linear_cross_entropy(input, weight, t, none_v, none_v, none_v, vector(&loss, FLCE_FLOAT32, 1), none_v,
                                  none_v, none_v, none_v, matrix(again, FLCE_FLOAT32, 1, 4),
                                  matrix(dw, FLCE_FLOAT32, 4, 4), none_v, NULL) == 0);
  CHECK(fabs(loss - 3.44019) < 1e-5 && memcmp(dx, again, sizeof dx) == 0);
  CHECK(flce_online_max_sum(input, weight, t, 0, 5, m, s, p, b, l, none_m, NULL) == 161002);
  CHECK(strstr(flce_last_error(), "vocab_end_index") && strstr(flce_last_error(), "given") &&
        strstr(flce_last_error(), "allowed"));
  CHECK(flce_online_max_sum(matrix(NULL, FLCE_FLOAT32, 1, 4), weight, t, 0, 4, m, s, p, b, l, none_m, NULL) == 161001);
  return failures != 0;
}
