#pragma once

/// Source of glue.py.
extern const char glue_source[];
