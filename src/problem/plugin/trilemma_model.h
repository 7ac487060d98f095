#pragma once
/* A model of your own: problem.kind = "plugin" loads the shared library that problem.library names, and calls
 * the function trilemma_open_model in it. C99; in C++, define that function as extern "C".
 *
 * Every function returns NULL, or a sentence about what went wrong, which ends the run. The sentence must stay
 * valid until the next call. Functions are called by one thread. The result of a call depends on its arguments
 * alone: then results are the same on any number of ranks and after a restart.
 *
 * x and the records belong to the program, which uses them again. A function that writes through a pointer to
 * const makes all results undefined. The program tries this on the first records only. */

#include <stdint.h>

#define TRILEMMA_MODEL_VERSION 1

/* What a model is opened for. */
struct trilemma_task {
  const char* file;    /* absolute path of the file that problem.library names */
  const char* options; /* the setting problem.options */
  uint64_t features;   /* numbers in a record */
  uint64_t classes;    /* number of classes; 0 = real targets */
};

/* Records, one row for each. */
struct trilemma_batch {
  uint64_t records;
  const float* features; /* records x features */
  const int32_t* labels; /* 0 .. classes - 1; NULL for real targets */
  const float* targets;  /* real targets; NULL with classes */
};

/* A model, filled in by trilemma_open_model. x is the vector of `parameters` numbers that is trained. */
struct trilemma_model {
  uint32_t version;    /* TRILEMMA_MODEL_VERSION */
  const char* name;    /* for people; valid until close() */
  uint64_t parameters; /* length of x */
  void* state;         /* first argument of all functions below */

  /* Writes the start of x, which depends on `seed`. May be NULL: the start is 0. */
  const char* (*start)(void* state, uint64_t seed, float* x);
  /* Sets *loss to the sum of the losses of the records at x, and `sum` to the sum of their gradients, unless
   * `sum` is NULL. */
  const char* (*gradient)(void* state, const float* x, const struct trilemma_batch* batch, double* loss,
                          float* sum);
  /* Sets losses[i] and row i of `gradients` (records x parameters) to those of record i, which depend on no
   * other record. May be NULL: gradient() is then called with one record at a time. */
  const char* (*record_gradients)(void* state, const float* x, const struct trilemma_batch* batch,
                                  double* losses, float* gradients);
  /* Sets answers[i] to the likeliest class of record i, or to its predicted target. */
  const char* (*predict)(void* state, const float* x, const struct trilemma_batch* batch, float* answers);
  /* Frees the state. May be NULL. */
  void (*close)(void* state);
};

/* The function that a library exports as trilemma_open_model. `model` is zeroed. */
typedef const char* trilemma_open_model_function(const struct trilemma_task* task, struct trilemma_model* model);
