#include "tests/fuzz/harness.hpp"

namespace trilemma::fuzz {

std::span<const Format> formats() {
  static constexpr Format all[] = {
      {"libsvm", "sparse rows as text, to train and to test on", libsvm_harness},
      {"csv", "tables with real targets, users, an order, or classes", csv_harness},
      {"leaf", "JSON, plain and in ZIP archives", leaf_harness},
      {"start", "numbers of a start model, as text", start_harness},
      {"arrays", ".npy, and .npz archives", arrays_harness},
      {"idx", "images and labels, plain and in gzip", idx_harness},
      {"cifar", "binary batches", cifar_harness},
      {"omniglot", "ZIP archives, the names in them, PNG images", omniglot_harness},
      {"jpeg", "JPEG images in a folder", jpeg_harness},
      {"tiny-imagenet", "lists of classes and annotations", tiny_imagenet_harness},
      {"posts", "HDF5: posts of Stack Overflow", posts_harness},
      {"post-lists", "words and tags of Stack Overflow with their counts", post_lists_harness},
      {"settings", "experiments (TOML), their keys, overrides, plans", settings_harness},
      {"sweep", "the file of a sweep and what lies in its folder", sweep_harness},
      {"run-file", "HDF5: show, verify, resume, extend, start from it", run_file_harness},
      {"checkpoint", "HDF5: what --resume starts from", checkpoint_harness},
      {"message", "encoded messages of every layout", message_harness},
      {"network", "HDF5: what predict takes from calibrate", network_harness},
  };
  return all;
}

}  // namespace trilemma::fuzz
