// The two functions of Caliper that the program calls, for tests without Caliper.
#pragma once

extern "C" {
void cali_begin_region(const char* name);
void cali_end_region(const char* name);
}
