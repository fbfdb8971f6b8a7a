#pragma once
/// Batches as a table in CSV (RFC 4180), and back.
///   std::ofstream("batches.csv") << pl::write_csv(log);
///   const auto r = pl::report(pl::load_batch_csv("batches.csv"));
///
/// The first line names the columns, then there is a line for each batch: epoch, index and worker; begun, ready, asked,
/// had, consumed, released and arrived, in ns of one clock; early (0 or 1), size and pass, as in batch_record;
/// preparation, wait and delay in seconds; dropped, as in batch_log, the same in every line. Elements and operators are
/// not in it.

#include <plumbline/core/compiled.hpp>
#include <plumbline/model/batch_log.hpp>

#include <string>
#include <string_view>

namespace plumbline {

/// The batches in order, by epoch, pass and index. Cells with a comma, a quote or a line end are quoted.
std::string write_csv(const batch_log& of);
/// The batches of such a table, of plumbline or another program. Columns may be in any order. index, begun, ready,
/// asked, had and consumed are needed; of the others those that are missing have the value that means "not known".
/// Preparation, wait and delay follow from the times, so these and columns with other names are passed over. `name` is
/// that of the text, for messages. Throws std::invalid_argument with this name and the line for a cell that is not a
/// number that fits, a line with too few or too many cells, quotes that do not end, and a column that is missing or
/// there twice.
batch_log read_batch_csv(std::string_view text, const std::string& name = "the text");
/// The same from a file. Throws std::invalid_argument also if it cannot be read, with the reason.
batch_log load_batch_csv(const std::string& path);

}  // namespace plumbline

#ifndef PLUMBLINE_COMPILED
#include <plumbline/report/batch_csv_inl.hpp>
#endif
