#include "data/csv.hpp"

#include <csv.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <memory>

#include "base/read_number.hpp"
#include "base/text.hpp"
#include "data/data_file.hpp"
#include "data/data_stream.hpp"

namespace trilemma {
namespace {

using Cells = std::vector<std::string>;

// Receives cells and ends of rows from libcsv. Exceptions must not pass through libcsv's C frames,
// so checks are made afterwards.
class Parser {
 public:
  Parser(const std::string& file, char delimiter) : file_(file) {
    if (csv_init(&parser_, CSV_STRICT | CSV_STRICT_FINI) != 0)
      throw LibraryError("libcsv: csv_init failed");
    csv_set_delim(&parser_, static_cast<unsigned char>(delimiter));
  }
  ~Parser() { csv_free(&parser_); }
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;

  // Returns the rows that end in this line of the file (the line break included).
  std::vector<Cells> feed(const std::string& line, std::size_t number) {
    check(csv_parse(&parser_, line.data(), line.size(), on_cell, on_row, this) == line.size(),
          number);
    return std::exchange(rows_, {});
  }
  /// Returns whether a record has begun and not ended, as in a quoted cell with a line break.
  bool is_within_record() const { return parser_.pstate != 0 || !cells_.empty(); }
  std::vector<Cells> finish(std::size_t number) {
    check(csv_fini(&parser_, on_cell, on_row, this) == 0, number);
    return std::exchange(rows_, {});
  }

 private:
  void check(bool good, std::size_t number) {
    if (!good && csv_error(&parser_) != CSV_EPARSE) throw std::bad_alloc();
    require(good, "{}:{}: a quote in the wrong place ({}); fix the line", file_, number,
            csv_strerror(csv_error(&parser_)));
  }
  static void on_cell(void* text, std::size_t size, void* self) {
    static_cast<Parser*>(self)->cells_.emplace_back(static_cast<const char*>(text), size);
  }
  static void on_row(int, void* self) {
    auto* parser = static_cast<Parser*>(self);
    parser->rows_.push_back(std::exchange(parser->cells_, {}));
  }

  const std::string& file_;
  csv_parser parser_{};
  Cells cells_;
  std::vector<Cells> rows_;
};

void take_header(CsvTable& table, Cells cells, std::size_t line) {
  table.header = std::move(cells);
  Cells sorted = table.header;
  std::erase(sorted, "");
  require(!sorted.empty(), "{}:{}: columns without names; give every column a name", table.file,
          line);
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  require(twice == sorted.end(), "{}:{}: two columns named \"{}\"; rename one", table.file, line,
          twice == sorted.end() ? "" : shown(*twice));
}

void take_row(CsvTable& table, Cells cells, std::size_t line) {
  if (table.header.empty()) return take_header(table, std::move(cells), line);
  const std::string& first = table.header.front();
  if (table.header.size() == 1 && first.find_first_of(";\t") != std::string::npos)
    throw UserError(fmt::format("{}: one column, \"{}\"; set data.delimiter = {}", table.file,
                                shown(first, 40),
                                first.find(';') != std::string::npos ? "\";\"" : "\"\\t\""));
  require(cells.size() == table.header.size(),
          "{}:{}: {} cells, but the header names {} columns; fix the line, or set data.delimiter",
          table.file, line, cells.size(), table.header.size());
  std::move(cells.begin(), cells.end(), std::back_inserter(table.cell));
  table.line.push_back(line);
}

// The column of row names may lack a name, since pandas and R write none; spreadsheets leave
// columns of empty cells at the end.
void check_unnamed(const CsvTable& table) {
  for (std::size_t c = 1; c < table.header.size(); ++c) {
    if (!table.header[c].empty()) continue;
    for (std::size_t r = 0; r < table.rows(); ++r)
      require(table.cell[r * table.header.size() + c].empty(),
              "{}:{}: column {} has cells, but no name; give every column a name", table.file,
              table.line[r], c + 1);
  }
}

}  // namespace

std::size_t CsvTable::column(const std::string& name, const std::string& key) const {
  const auto at = std::find(header.begin(), header.end(), name);
  if (at != header.end()) return static_cast<std::size_t>(at - header.begin());
  const std::string near = nearest(name, header);
  std::string remedy = near.empty() ? fmt::format("there are {}", shown(join(header), 200))
                                    : fmt::format("did you mean \"{}\"?", shown(near));
  // The whole line was taken for one name.
  if (header.size() == 1 && header[0].find_first_of(";\t") != std::string::npos)
    remedy = fmt::format("the only one is \"{}\"; set data.delimiter = {}", shown(header[0]),
                         header[0].find(';') != std::string::npos ? "\";\"" : "\"\\t\"");
  double ignored = 0;
  if (std::ranges::all_of(header,
                          [&](const std::string& cell) { return is_number(cell, ignored); }))
    remedy = "its first line has numbers alone, where the names of the columns belong; add them";
  throw UserError(fmt::format("{}: no column \"{}\", which {} names; {}", file, name, key, remedy));
}

std::string CsvTable::place(std::size_t row, std::size_t column) const {
  return fmt::format("{}:{}: column \"{}\"", file, line[row], shown(header[column]));
}

bool CsvTable::is_number_at(std::size_t row, std::size_t column, double& value) const {
  std::string text = cell[row * header.size() + column];
  if (decimal == ',') {
    // A point would separate thousands.
    if (text.find('.') != std::string::npos) return false;
    std::replace(text.begin(), text.end(), ',', '.');
  }
  if (!is_number(text, value)) return false;
  if (is_lost(read_number(text))) ++lost;
  return true;
}

const std::string& CsvTable::text(std::size_t row, std::size_t column) const {
  if (is_missing(row, column))
    throw UserError(
        fmt::format("{}: a missing value; fill it in, remove the line, or set data.missing = "
                    "\"drop\"",
                    place(row, column)));
  return cell[row * header.size() + column];
}

namespace {

// Accepts a sign, and any case.
bool is_nan(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  constexpr std::string_view word = "nan";
  return std::equal(text.begin(), text.end(), word.begin(), word.end(), [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == b;
  });
}

}  // namespace

bool CsvTable::is_missing(std::size_t row, std::size_t column) const {
  const std::string& found = cell[row * header.size() + column];
  constexpr std::string_view signs[] = {"", "NA", "NaN", "nan", "?"};
  if (std::find(std::begin(signs), std::end(signs), found) != std::end(signs)) return true;
  constexpr std::size_t longest = 4;  // -nan
  return found.size() <= longest && found.find_first_of("nN") < 2 && is_nan(found);
}

void CsvTable::require_value(std::size_t row, std::size_t column) const {
  if (is_missing(row, column))
    throw UserError(
        fmt::format("{}: a missing value; fill it in, let data.missing say what becomes of such "
                    "records, or leave the column out with data.drop",
                    place(row, column)));
}

namespace {

// Returns whether the text is a number once all `separator` characters are removed and `point` is
// its decimal point.
bool is_number_without(char separator, char point, std::string text) {
  double ignored = 0;
  if (std::erase(text, separator) == 0) return false;
  std::replace(text.begin(), text.end(), point, '.');
  return is_number(text, ignored);
}

// Returns whether the text is a number with thousands separators: "1.500,5" if the decimal point is
// a comma, "1,500.5" if it is a point.
bool has_separators(const std::string& text, char decimal) {
  if (decimal == ',') return is_number_without('.', ',', text);
  return text.find('.') != std::string::npos && is_number_without(',', '.', text);
}

// Returns whether the text is a number once its first comma is replaced by a point.
bool has_comma(std::string text) {
  double ignored = 0;
  const auto comma = text.find(',');
  if (comma == std::string::npos) return false;
  text[comma] = '.';
  return is_number(text, ignored);
}

}  // namespace

bool CsvTable::is_number_elsewhere(std::size_t row, std::size_t column) const {
  const std::string& found = cell[row * header.size() + column];
  return has_separators(found, decimal) || (decimal == '.' && has_comma(found));
}

void CsvTable::refuse_separators(std::size_t row, std::size_t column) const {
  if (!has_separators(cell[row * header.size() + column], decimal)) return;
  const char separator = decimal == ',' ? '.' : ',';
  throw UserError(
      fmt::format("{}: \"{}\" has a \"{}\", but data.decimal = \"{}\"; remove thousands "
                  "separators, or set data.decimal = \"{}\" if that is the decimal point",
                  place(row, column), shown(cell[row * header.size() + column], 20), separator,
                  decimal, separator));
}

double CsvTable::number(std::size_t row, std::size_t column) const {
  require_value(row, column);
  const std::string& found = cell[row * header.size() + column];
  double value = 0;
  const bool is_read = is_number_at(row, column, value);
  if (!is_read) refuse_separators(row, column);
  if (!is_read)
    throw UserError(fmt::format(
        "{}: \"{}\" is not a decimal number up to 3.4e38 in size; {}fix it, name the column in data.one_hot if it holds "
        "words or as data.user if it says whose the record is, or leave it out with data.drop",
        place(row, column), shown(found, 20),
        has_comma(found) ? "if the comma is the decimal point, set data.decimal = \",\"; else "
                         : ""));
  return value;
}

void CsvTable::drop_incomplete(const std::vector<std::size_t>& columns) {
  CsvTable kept;
  kept.file = file;
  kept.decimal = decimal;
  kept.header = header;
  for (std::size_t r = 0; r < rows(); ++r) {
    if (std::any_of(columns.begin(), columns.end(), [&](auto c) { return is_missing(r, c); }))
      continue;
    const auto first = cell.begin() + static_cast<std::ptrdiff_t>(r * header.size());
    kept.cell.insert(kept.cell.end(), first, first + static_cast<std::ptrdiff_t>(header.size()));
    kept.line.push_back(line[r]);
  }
  require(kept.rows() > 0,
          "{}: data.missing = \"drop\": every record has a missing value; leave columns out with "
          "data.drop",
          file);
  kept.skipped = rows() - kept.rows();
  *this = std::move(kept);
}

namespace {

// Returns whether the first line of a file begins an object or a list of JSON.
bool is_json(std::string_view line) {
  const std::string_view text = trimmed(line);
  if (text.empty() || (text[0] != '{' && text[0] != '[')) return false;
  const std::string_view rest = trimmed(text.substr(1));
  return rest.empty() || rest[0] == '"' || rest[0] == '{' || rest[0] == '[';
}

CsvTable read_table(const std::string& file, char delimiter, char decimal) {
  DataStream stream(file);
  stream.refuse_others({}, "CSV");
  CsvTable table;
  table.file = file;
  table.decimal = decimal;
  Parser parser(table.file, delimiter);
  LineReader lines = stream.lines();
  auto take = [&](std::vector<Cells> rows) {
    for (auto& cells : rows) take_row(table, std::move(cells), lines.number());
  };
  while (lines.next()) {
    if (lines.number() == 1 && lines.line().starts_with("sep=")) continue;
    if (!parser.is_within_record() && trimmed(lines.line()).empty()) continue;
    std::string line(lines.line());
    if (lines.number() == 1 && is_json(line))
      throw UserError(fmt::format(
          "{}: JSON, not CSV; convert it, for example by pandas.read_json(file, lines=True)"
          ".to_csv(\"records.csv\", index=False), without lines=True if the file is one list",
          file));
    if (lines.is_ended()) line += '\n';
    take(parser.feed(line, lines.number()));
  }
  take(parser.finish(lines.number()));
  require(table.rows() > 0, "{}: no record under the header; fetch it again", file);
  check_unnamed(table);
  return table;
}

}  // namespace

CsvTable read_csv(const std::string& file, char delimiter, char decimal) {
  return reading(file, [&] { return read_table(file, delimiter, decimal); });
}

}  // namespace trilemma
