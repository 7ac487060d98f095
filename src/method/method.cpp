#include "method/method.hpp"

#include <vector>

namespace trilemma {

// One declaration and one row for each method that takes rounds; the others have a table of their
// own.
Row<MethodMaker> gd_method();
Row<MethodMaker> compressed_gd_method();
Row<MethodMaker> diana_method();
Row<MethodMaker> ef21_method();
Row<MethodMaker> marina_method();
Row<MethodMaker> ldp_sgd_method();
Row<MethodMaker> ldp_svrg_method();
Row<MethodMaker> ldp_spider_method();
Row<MethodMaker> dp_sgd_method();
Row<MethodMaker> dp_gd_method();
Row<MethodMaker> rrpsgd_method();
Row<MethodMaker> dp_srm_method();
Row<MethodMaker> dp_srm_distributed_method();
Row<MethodMaker> cdp_sgd_method();
Row<MethodMaker> soteriafl_gd_method();
Row<MethodMaker> soteriafl_sgd_method();
Row<MethodMaker> soteriafl_svrg_method();
Row<MethodMaker> soteriafl_saga_method();
Row<MethodMaker> fedavg_method();
Row<MethodMaker> fedprox_method();
Row<MethodMaker> dp_fedavg_clip_method();
Row<MethodMaker> dp_normfedavg_method();
Row<MethodMaker> dp_fedavg_smooth_method();
Row<MethodMaker> alpha_normec_method();
Row<MethodMaker> fed_alpha_normec_method();
Row<MethodMaker> fed_alpha_normec_ig_method();
Row<MethodMaker> clip21_method();
Row<MethodMaker> pmtl_method();
Row<MethodMaker> local_method();
Row<MethodMaker> pp_sgd_method();
Row<MethodMaker> scaffold_method();
Row<MethodMaker> dp_scaffold_method();
Row<MethodMaker> naive_dp_mtl_method();
Row<MethodMaker> decomfl_method();
Row<MethodMaker> dp_decomfl_method();
Row<MethodMaker> dsgd_method();
Row<MethodMaker> choco_sgd_method();
Row<MethodMaker> d2_method();
Row<MethodMaker> deepsqueeze_method();
Row<MethodMaker> gradient_tracking_method();
Row<MethodMaker> beer_method();
Row<MethodMaker> porter_dp_method();
Row<MethodMaker> porter_gc_method();
Row<MethodMaker> motef_method();
Row<MethodMaker> sdm_dsgd_method();
Row<MethodMaker> q_dpsgd_method();
std::span<const Row<MethodMaker>> asynchronous_methods();

std::span<const Row<MethodMaker>> methods() {
  static const auto table = [] {
    std::vector<Row<MethodMaker>> rows = {
        gd_method(),
        compressed_gd_method(),
        diana_method(),
        ef21_method(),
        marina_method(),
        ldp_sgd_method(),
        ldp_svrg_method(),
        ldp_spider_method(),
        dp_sgd_method(),
        dp_gd_method(),
        rrpsgd_method(),
        dp_srm_method(),
        dp_srm_distributed_method(),
        cdp_sgd_method(),
        soteriafl_gd_method(),
        soteriafl_sgd_method(),
        soteriafl_svrg_method(),
        soteriafl_saga_method(),
        fedavg_method(),
        fedprox_method(),
        dp_fedavg_clip_method(),
        dp_normfedavg_method(),
        dp_fedavg_smooth_method(),
        alpha_normec_method(),
        fed_alpha_normec_method(),
        fed_alpha_normec_ig_method(),
        clip21_method(),
        pmtl_method(),
        local_method(),
        pp_sgd_method(),
        scaffold_method(),
        dp_scaffold_method(),
        naive_dp_mtl_method(),
        decomfl_method(),
        dp_decomfl_method(),
        dsgd_method(),
        choco_sgd_method(),
        d2_method(),
        deepsqueeze_method(),
        gradient_tracking_method(),
        beer_method(),
        porter_dp_method(),
        porter_gc_method(),
        motef_method(),
        sdm_dsgd_method(),
        q_dpsgd_method(),
    };
    const auto asynchronous = asynchronous_methods();
    rows.insert(rows.end(), asynchronous.begin(), asynchronous.end());
    return rows;
  }();
  return table;
}

}  // namespace trilemma
