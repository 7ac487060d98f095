#include <cstdio>

#include "audit/options.hpp"
#include "audit/report.hpp"
#include "base/check.hpp"
#include "base/standard_output.hpp"
#include "comm/collectively.hpp"
#include "problem/kernels/blas.hpp"
#include "problem/kernels/product.hpp"

namespace trilemma {
namespace {

constexpr long fewest_runs = 30;
constexpr long most_dimension = 1L << 20;

void check_options(const AuditOptions& o) {
  require(!o.runs || (*o.runs >= fewest_runs && *o.runs <= 100'000'000),
          "--runs {}: expected a number from {} to 1e8", *o.runs, fewest_runs);
  require(o.confidence > 0.5 && o.confidence < 1,
          "--confidence {}: expected a number above 0.5 and below 1", o.confidence);
  require(o.canaries >= 20 && o.canaries <= 10'000'000,
          "--canaries {}: expected a number from 20 to 1e7", o.canaries);
  require(!o.records || (*o.records >= 1 && *o.records <= 10'000'000),
          "--records {}: expected a number from 1 to 1e7", o.records.value_or(0));
  require(o.dimension >= 1 && o.dimension <= most_dimension,
          "--dimension {}: expected a number from 1 to {}", o.dimension, most_dimension);
}

int report(const AuditPlan& audit, const AuditResult& result, int ranks) {
  const AuditOptions& options = audit.asked;
  const Report found = audit_report(audit, result, ranks);
  if (!options.output.empty())
    write_report(options.output, audit_report_kind, found, options.overwrite);
  if (options.json)
    print("{}\n", to_json(found));
  else if (!options.quiet)
    print("{}", to_text(audit, result));
  return result.refuted ? exit_claim_fails : 0;
}

int audit_on_rank(const AuditOptions& options, const Session& session) {
  Placement place = session.place();
  Ranks ranks(place, session.communicator());
  AuditPlan audit;
  int code = collectively(ranks, [&] {
    check_options(options);
    audit = plan_audit(options);
    choose_arithmetic(audit.plan.has_portable_numerics ? Products::portable : Products::fast,
                      audit.plan.vector_bits);
    if (place.rank == 0 && !options.output.empty())
      check_report_path(options.output, audit_report_kind, options.overwrite);
  });
  if (code != 0) return code;
  place.clients = static_cast<int>(audit.clients);
  place.server_hosts = audit.plan.server_hosts;
  ranks.host(place);
  const AuditResult result = run_audit(audit, place, ranks, options.quiet || place.rank != 0);
  int verdict = 0;
  code = collectively(ranks, [&] {
    if (place.rank == 0) verdict = report(audit, result, place.size);
  });
  return code != 0 ? code : ranks.broadcast_number(verdict, Use::control);
}

}  // namespace

int audit_command(const AuditOptions& options, int argc, char** argv) {
  pin_blas_threads();
  Session session(argc, argv);
  return run_on_rank(session, [&] { return audit_on_rank(options, session); });
}

}  // namespace trilemma
