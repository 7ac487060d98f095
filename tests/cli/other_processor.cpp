// A program that needs instructions which no processor of today has must not come this far.
#include <cstdio>

int main() { std::puts("started"); }
