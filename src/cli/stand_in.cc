// Nothing: what stands in for a library that is named and never called (CMakeLists.txt).
