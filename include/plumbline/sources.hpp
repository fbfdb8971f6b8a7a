#pragma once
/// One line per source, record format and helper.

#include <plumbline/sources/elements.hpp>
#include <plumbline/sources/files.hpp>
#include <plumbline/sources/folder_name.hpp>
#include <plumbline/sources/from_range.hpp>
#include <plumbline/sources/generate.hpp>
#include <plumbline/sources/lines.hpp>
#include <plumbline/sources/range.hpp>
#include <plumbline/sources/read_file.hpp>
#include <plumbline/sources/tfrecords.hpp>
