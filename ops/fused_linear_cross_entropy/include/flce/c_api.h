/* C ABI of the native operators. Plain structures, no exceptions: every function returns 0, or the device library's
 * 161001 (null pointer) or 161002 (invalid argument), or 1 for anything else; flce_last_error() tells the calling
 * thread which argument, what was given and what is allowed. Meaning, shapes and defaults: flce/operators.h and
 * flce/loss.h. A structure of options must be filled by its flce_*_defaults function first. data NULL = absent. */
#ifndef FLCE_C_API_H
#define FLCE_C_API_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum flce_dtype {
  FLCE_FLOAT32 = 0,
  FLCE_FLOAT16 = 1,
  FLCE_BFLOAT16 = 2,
  FLCE_FLOAT64 = 3,
  FLCE_INT32 = 4,
  FLCE_INT64 = 5,
  FLCE_UINT8 = 6,
  FLCE_BOOL = 7
};

/* Strides count elements. */
typedef struct flce_matrix {
  void* data;
  int32_t dtype;
  int64_t rows, cols, row_stride, col_stride;
} flce_matrix;
typedef struct flce_vector {
  void* data;
  int32_t dtype;
  int64_t size, stride;
} flce_vector;

typedef struct flce_operator_options {
  int32_t inclusive_range; /* 0: [start, end), 1: [start, end] */
  int32_t mask_pad_ones;   /* 0: as the device, 1: ones */
  int32_t logits_float32;  /* 0: logits rounded to the input type, 1: fp32 */
  int32_t dlogits_float32; /* the same for D of the backward */
  int32_t validate;        /* 0 off, 1 shape, 2 values */
  int32_t accumulate_input_grad, accumulate_weight_grad;
  int32_t inplace_softmax;
  int32_t device_limits;
  int32_t threads;
  int64_t vocab_size; /* -1: unknown */
  int64_t ignore_index;
} flce_operator_options;
void flce_operator_defaults(flce_operator_options* options);

int flce_online_max_sum(flce_matrix input, flce_matrix weight, flce_vector target, int64_t vocab_start_index,
                        int64_t vocab_end_index, flce_vector logits_max, flce_vector sum_exp_logits,
                        flce_vector predicted_logits, flce_vector target_mask, flce_vector masked_target,
                        flce_matrix vocab_parallel_logits, const flce_operator_options* options);
int flce_loss_with_max_sum(flce_vector logits_max, flce_vector sum_exp_logits, flce_vector predicted_logits,
                           flce_vector loss, flce_matrix vocab_parallel_logits, flce_matrix softmax,
                           double label_smoothing, const flce_operator_options* options);
int flce_loss_with_max_sum_grad(flce_vector grad, flce_matrix input, flce_matrix weight, flce_vector target_mask,
                                flce_vector masked_target, flce_matrix input_grad, flce_matrix weight_grad,
                                double label_smoothing, flce_vector logits_max, flce_vector sum_exp_logits,
                                flce_matrix softmax, const flce_operator_options* options);

typedef struct flce_loss_options {
  int64_t ignore_index;
  int32_t reduction; /* 0 none, 1 mean, 2 sum */
  int32_t empty_mean_nan;
  int32_t smoothing_megatron; /* 0: PyTorch's formula */
  int32_t logits_float32, dlogits_float32, validate, threads;
  double normalizer, label_smoothing, z_loss, softcap, logit_scale, temperature;
  int64_t chunk_rows;
} flce_loss_options;
void flce_loss_defaults(flce_loss_options* options);

/* Loss and, where their data is given, gradients of the reduced loss, on one rank. bias [n], token_weight [m] and
 * class_weight [n] may be absent; so may lse, entropy and log_prob [m]. grad_loss [m] is needed for gradients with
 * reduction none and optional otherwise. */
int flce_linear_cross_entropy(flce_matrix input, flce_matrix weight, flce_vector target, flce_vector bias,
                              flce_vector token_weight, flce_vector class_weight, flce_vector loss, flce_vector lse,
                              flce_vector entropy, flce_vector log_prob, flce_vector grad_loss, flce_matrix input_grad,
                              flce_matrix weight_grad, flce_vector bias_grad, const flce_loss_options* options);

/* Text of the last error of this thread, never NULL. */
const char* flce_last_error(void);

#ifdef __cplusplus
}
#endif
#endif
