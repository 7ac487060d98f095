/* Multinomial logistic regression with biases, as a library for problem.kind = "plugin". x: weights, class by class, then
 * the biases. The first word of problem.options chooses a fault, of which a number says at which call of gradient() it
 * begins: "nan 30". */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "problem/plugin/trilemma_model.h"

struct state {
  uint64_t features, classes;
  char fault[32];
  long from, calls;
};

static int has(const struct state* s, const char* fault) {
  return strcmp(s->fault, fault) == 0 && s->calls >= s->from;
}

static uint64_t parameters(const struct state* s) { return (s->features + 1) * s->classes; }

/* Adds the gradient of record i to `sum` unless it is NULL; returns its loss. */
static double add_record(const struct state* s, const float* x, const struct trilemma_batch* batch, uint64_t i,
                         float* sum) {
  const float* record = batch->features + i * s->features;
  const float* bias = x + s->features * s->classes;
  double z[64], largest = -INFINITY, total = 0, loss;
  for (uint64_t c = 0; c < s->classes; ++c) {
    z[c] = bias[c];
    for (uint64_t j = 0; j < s->features; ++j) z[c] += (double)x[c * s->features + j] * record[j];
    if (z[c] > largest) largest = z[c];
  }
  for (uint64_t c = 0; c < s->classes; ++c) total += exp(z[c] - largest);
  loss = log(total) + largest - z[batch->labels[i]];
  if (sum == NULL) return loss;
  for (uint64_t c = 0; c < s->classes; ++c) {
    double error = exp(z[c] - largest) / total - ((int32_t)c == batch->labels[i]);
    if (has(s, "slope")) error *= 2;
    for (uint64_t j = 0; j < s->features; ++j) sum[c * s->features + j] += (float)(error * record[j]);
    sum[s->features * s->classes + c] += (float)error;
  }
  return loss;
}

static const char* start(void* state, uint64_t seed, float* x) {
  for (uint64_t j = 0; j < parameters(state); ++j) x[j] = 0.01F * (float)((int)((j * 7919 + seed) % 13) - 6);
  return NULL;
}

static const char* gradient(void* state, const float* x, const struct trilemma_batch* batch, double* loss, float* sum) {
  struct state* s = state;
  const uint64_t d = parameters(s);
  ++s->calls;
  if (has(s, "sentence")) return "the licence has expired";
  if (has(s, "crash")) *(volatile int*)8 = 1;
  if (has(s, "abort")) abort();
  if (has(s, "_exit")) _exit(0);
  if (has(s, "exit")) exit(0);
  if (has(s, "slow")) {
    const clock_t begin = clock();
    while (clock() - begin < CLOCKS_PER_SEC / 20) {
    }
  }
  if (has(s, "write-x")) ((float*)x)[1] += 1;
  if (has(s, "write-records")) ((float*)batch->features)[1] += 1;
  *loss = 0;
  for (uint64_t j = 0; sum != NULL && j < d; ++j) sum[j] = 0;
  for (uint64_t i = 0; i < batch->records; ++i) *loss += add_record(s, x, batch, i, sum);
  if (sum == NULL) return NULL;
  if (has(s, "nan")) sum[d / 2] = NAN;
  if (has(s, "overrun")) sum[d] = 1;
  if (has(s, "underrun")) sum[-1] = 1;
  if (has(s, "drift")) sum[0] += 1e-3F * (float)s->calls;
  if (has(s, "loss")) *loss = INFINITY;
  return NULL;
}

static const char* record_gradients(void* state, const float* x, const struct trilemma_batch* batch, double* losses,
                                    float* gradients) {
  struct state* s = state;
  const uint64_t d = parameters(s);
  for (uint64_t i = 0; i < batch->records; ++i) {
    if (has(s, "short") && i + 1 == batch->records) break;
    for (uint64_t j = 0; j < d; ++j) gradients[i * d + j] = 0;
    losses[i] = add_record(s, x, batch, i, gradients + i * d);
    for (uint64_t j = 0; has(s, "mix") && j < d; ++j) gradients[i * d + j] *= (float)batch->records;
  }
  if (has(s, "losses")) losses[batch->records] = 1;
  return NULL;
}

static const char* predict(void* state, const float* x, const struct trilemma_batch* batch, float* answers) {
  const struct state* s = state;
  for (uint64_t i = 0; i < batch->records; ++i) {
    double best = -INFINITY;
    for (uint64_t c = 0; c < s->classes; ++c) {
      double z = x[s->features * s->classes + c];
      for (uint64_t j = 0; j < s->features; ++j)
        z += (double)x[c * s->features + j] * batch->features[i * s->features + j];
      if (z > best) best = z, answers[i] = (float)c;
    }
    if (has(s, "class")) answers[i] = (float)s->classes;
  }
  return NULL;
}

const char* trilemma_open_model(const struct trilemma_task* task, struct trilemma_model* model) {
  struct state* s = calloc(1, sizeof *s);
  s->features = task->features;
  s->classes = task->classes;
  sscanf(task->options, "%31s %ld", s->fault, &s->from);
  if (has(s, "refuse")) return "no model for these records";
  model->version = has(s, "version") ? 99 : TRILEMMA_MODEL_VERSION;
  model->name = "softmax";
  model->parameters = has(s, "empty") ? 0 : parameters(s);
  model->state = s;
  model->start = start;
  model->gradient = gradient;
  model->record_gradients = has(s, "single") ? NULL : record_gradients;
  model->predict = has(s, "blind") ? NULL : predict;
  model->close = free;
  return NULL;
}
