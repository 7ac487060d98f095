/* Least squares with an intercept, in C: a model of one's own (problem.kind = "plugin"). From the root of the checkout,
 *   cc -O2 -shared -fPIC -I src/problem/plugin jobs/models/linear.c -o jobs/models/linear.so */
#include <stddef.h>
#include <trilemma_model.h>

static uint64_t features;

static double answer(const float* x, const float* record) {
  double sum = x[features]; /* the intercept comes last */
  for (uint64_t j = 0; j < features; ++j) sum += (double)x[j] * record[j];
  return sum;
}

/* Loss 1/2 (answer - target)^2; adds the gradient to `sum` unless it is NULL. */
static double add_record(const float* x, const struct trilemma_batch* batch, uint64_t i, float* sum) {
  const float* record = batch->features + i * features;
  const double error = answer(x, record) - (batch->targets != NULL ? batch->targets[i] : batch->labels[i]);
  if (sum != NULL) {
    for (uint64_t j = 0; j < features; ++j) sum[j] += (float)(error * record[j]);
    sum[features] += (float)error;
  }
  return error * error / 2;
}

static void clear(float* values, uint64_t count) {
  for (uint64_t j = 0; j < count; ++j) values[j] = 0;
}

static const char* gradient(void* state, const float* x, const struct trilemma_batch* batch, double* loss,
                            float* sum) {
  (void)state;
  if (sum != NULL) clear(sum, features + 1);
  *loss = 0;
  for (uint64_t i = 0; i < batch->records; ++i) *loss += add_record(x, batch, i, sum);
  return NULL;
}

static const char* record_gradients(void* state, const float* x, const struct trilemma_batch* batch,
                                    double* losses, float* gradients) {
  (void)state;
  clear(gradients, batch->records * (features + 1));
  for (uint64_t i = 0; i < batch->records; ++i)
    losses[i] = add_record(x, batch, i, gradients + i * (features + 1));
  return NULL;
}

static const char* predict(void* state, const float* x, const struct trilemma_batch* batch, float* answers) {
  (void)state;
  for (uint64_t i = 0; i < batch->records; ++i) answers[i] = (float)answer(x, batch->features + i * features);
  return NULL;
}

const char* trilemma_open_model(const struct trilemma_task* task, struct trilemma_model* model) {
  features = task->features;
  model->version = TRILEMMA_MODEL_VERSION;
  model->name = "least squares with an intercept";
  model->parameters = features + 1;
  model->gradient = gradient;
  model->record_gradients = record_gradients;
  model->predict = predict;
  return NULL;
}
