#include <algorithm>
#include <cmath>

#include "base/line_reader.hpp"
#include "base/read_number.hpp"
#include "base/text.hpp"
#include "schedule/graph.hpp"

namespace trilemma {
namespace {

constexpr std::size_t longest_edge = 4096;

struct FileEdge {
  EdgeList::Edge nodes = {};
  double weight = 0;
  std::size_t line = 0;
};

std::vector<std::string_view> words_of(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  std::vector<std::string_view> words;
  for (std::size_t at = text.find_first_not_of(blanks); at != std::string_view::npos;
       at = text.find_first_not_of(blanks, at)) {
    const std::size_t end = std::min(text.find_first_of(blanks, at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

std::uint32_t node_in(std::string_view word, std::uint32_t nodes, const LineReader& lines) {
  const auto node = read_whole_number(word);
  require(node && *node < static_cast<long>(nodes),
          "{}: '{}' is no node; the nodes of this graph are 0 to {}", lines.place(),
          shown(word, 40), nodes - 1);
  return static_cast<std::uint32_t>(*node);
}

// Reads a line "i j" or "i j w".
FileEdge edge_in(const std::vector<std::string_view>& words, std::uint32_t nodes,
                 const LineReader& lines) {
  require(words.size() == 2 || words.size() == 3,
          "{}: {} words; a line holds two nodes and, if wanted, the weight of their edge, as in "
          "3 7 0.25",
          lines.place(), words.size());
  FileEdge edge{.line = lines.number()};
  auto& [a, b] = edge.nodes;
  a = node_in(words[0], nodes, lines);
  b = node_in(words[1], nodes, lines);
  require(a != b, "{}: an edge from node {} to itself; remove the line", lines.place(), a);
  if (a > b) std::swap(a, b);
  if (words.size() == 3)
    require(is_number(words[2], edge.weight) && edge.weight > 0,
            "{}: the weight '{}' is not a number above 0", lines.place(), shown(words[2], 40));
  return edge;
}

std::vector<FileEdge> read_edges(const NamedFile& file, std::uint32_t nodes, bool& have_weights) {
  LineReader lines(file.path(), file.content(), longest_edge);
  std::vector<FileEdge> edges;
  while (lines.next()) {
    const std::string_view text = trimmed(lines.line());
    if (text.empty() || text.front() == '#') continue;
    auto words = words_of(text);
    // networkx.write_edgelist writes the data of an edge, if it has none "{}".
    if (words.size() == 3 && words[2] == "{}") words.pop_back();
    require(words.size() < 3 || words[2].front() != '{',
            "{}: data of an edge in braces; write weights with networkx.write_weighted_edgelist, "
            "or none with networkx.write_edgelist(..., data=False)",
            lines.place());
    edges.push_back(edge_in(words, nodes, lines));
    if (edges.size() == 1) have_weights = words.size() == 3;
    require(have_weights == (words.size() == 3),
            "{}: edges with and without a weight; give every edge a weight, or none",
            lines.place());
    require(edges.size() <= most_edges, "{}: more than {} edges", lines.place(), most_edges);
  }
  return edges;
}

struct FileOptions {
  NamedFile file;
  void read(Reader& r) {
    file = r.settings().file("file",
                             "edges of the graph, lines NODE NODE or NODE NODE WEIGHT, each edge "
                             "once; lines that begin with # are skipped");
  }
};

EdgeList make_from_file(const FileOptions& options, const Settings& settings, std::uint32_t nodes,
                        std::uint64_t) {
  if (!options.file.is_set()) settings.refuse("kind", "name the file with graph.file");
  bool have_weights = false;
  auto found = read_edges(options.file, nodes, have_weights);
  std::ranges::sort(found, {}, &FileEdge::nodes);
  const auto twice = std::ranges::adjacent_find(found, {}, &FileEdge::nodes);
  if (twice != found.end())
    throw UserError(
        fmt::format("{}:{}: the edge of nodes {} and {} occurs twice; list every edge once, in "
                    "either direction",
                    options.file.path(), std::max(twice[0].line, twice[1].line), twice->nodes.first,
                    twice->nodes.second));
  EdgeList graph;
  for (const FileEdge& edge : found) {
    graph.edges.push_back(edge.nodes);
    if (have_weights) graph.weights.push_back(edge.weight);
  }
  require(is_connected(nodes, graph.edges),
          "{}: the graph of {} nodes is not connected; add edges between its parts",
          options.file.path(), nodes);
  return graph;
}

}  // namespace

Row<GraphMaker> file_graph() {
  return part_with_settings("file", "edges, and if wanted their weights, from a text file",
                            make_from_file);
}

}  // namespace trilemma
