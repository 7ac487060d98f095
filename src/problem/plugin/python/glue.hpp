#pragma once

/// Version of the program that this library was built with.
extern const char python_module_version[];
/// Source of glue.py.
extern const char glue_source[];
