#include "claim/verify_text.hpp"

#include <algorithm>

#include "base/standard_output.hpp"
#include "base/text.hpp"

namespace trilemma {
namespace {

// Texts with the number of files that have each, in the order of their first file.
class Tally {
 public:
  void add(const std::string& text) {
    const auto known = std::ranges::find(counts_, text, &Count::first);
    if (known != counts_.end())
      ++known->second;
    else
      counts_.emplace_back(text, 1);
  }
  // Returns "a; b (in 3 of 12)".
  std::string in_words(std::size_t files, std::string_view separator) const {
    std::vector<std::string> texts;
    for (const auto& [text, count] : counts_)
      texts.push_back(text + (count < files ? fmt::format(" (in {} of {})", count, files) : ""));
    return join(texts, separator);
  }
  // Returns "6 x a, 6 x b".
  std::string multiples() const {
    std::vector<std::string> texts;
    for (const auto& [text, count] : counts_) texts.push_back(fmt::format("{} x {}", count, text));
    return join(texts);
  }

 private:
  using Count = std::pair<std::string, std::size_t>;
  std::vector<Count> counts_;
};

// Returns the claims with common terms: "6 x (0.5, 1e-05)-DP, 6 x (2, 1e-05)-DP, for ...".
std::string claims_in_words(const std::vector<VerifiedFile>& held) {
  std::vector<std::pair<std::string, Tally>> by_terms;
  for (const VerifiedFile& file : held) {
    auto known = std::ranges::find(by_terms, file.terms, &std::pair<std::string, Tally>::first);
    if (known == by_terms.end()) known = by_terms.insert(by_terms.end(), {file.terms, {}});
    known->second.add(fmt::format("({}, {:g})-DP", rounded_up(file.epsilon), file.delta));
  }
  std::vector<std::string> texts;
  for (const auto& [terms, claims] : by_terms)
    texts.push_back(claims.multiples() + ", for " + terms);
  return join(texts, "; ");
}

std::string hold_in_words(std::size_t holding) {
  if (holding == 0) return "no claim holds";
  return fmt::format("{} {}", counted(holding, "claim"), holding == 1 ? "holds" : "hold");
}

}  // namespace

std::string to_text(const VerifiedFile& file, bool has_name, std::size_t columns) {
  return wrapped(fmt::format("{}{}: {}", has_name ? printable(file.file) + ": " : "",
                             words(file.verdict), printable(file.reason)),
                 "", "  ", columns);
}

std::string to_text(const std::vector<VerifiedFile>& files, std::size_t columns) {
  std::vector<VerifiedFile> held;
  std::vector<std::string> without;
  std::string exceptions;
  Tally outside;
  Tally remarks;
  Tally remarks_without_claim;
  for (const VerifiedFile& file : files) {
    switch (file.verdict) {
      case Verdict::holds:
        held.push_back(file);
        for (const auto& one : file.outside) outside.add(one);
        if (!file.remarks.empty()) remarks.add(file.remarks);
        break;
      case Verdict::no_claim:
        without.push_back(file.file);
        if (!file.remarks.empty()) remarks_without_claim.add(file.remarks);
        break;
      case Verdict::fails:
      case Verdict::unchecked:
        exceptions += to_text(file, true, columns);
        break;
    }
  }
  const auto paragraph = [columns](const std::string& text) {
    return wrapped(printable(text), "", "  ", columns);
  };
  std::string out =
      paragraph(fmt::format("{}, {}{}", counted(files.size(), "file"), hold_in_words(held.size()),
                            held.empty() ? "" : ": " + claims_in_words(held)));
  out += exceptions;
  if (!without.empty())
    out += paragraph(fmt::format("nothing to check in {} (no claim is made): {}",
                                 counted(without.size(), "file"), join(without)));
  if (const auto text = outside.in_words(held.size(), "; "); !text.empty())
    out += paragraph("outside of the claims: " + text);
  // Each remark begins with "; ".
  const auto remarks_on = [&](const char* what, const Tally& tally, std::size_t count) {
    const std::string text = tally.in_words(count, "");
    return text.empty() ? "" : paragraph(fmt::format("remarks on {}: {}", what, text.substr(2)));
  };
  out += remarks_on("the claims", remarks, held.size());
  out += remarks_on("the files without a claim", remarks_without_claim, without.size());
  return out;
}

}  // namespace trilemma
