# Libraries that CMake has no file for, or (oneDNN, Debian's) one that asks for OpenCL, which nothing
# here needs. Read when bough is built, and by whoever finds it installed.

# bough_plain_library(NAME [REQUIRED]): bough::NAME where there is a library of that name.
function(bough_plain_library name)
  string(TOUPPER ${name} upper)
  find_library(BOUGH_${upper}_LIBRARY ${name} ${ARGN})
  mark_as_advanced(BOUGH_${upper}_LIBRARY)
  if(BOUGH_${upper}_LIBRARY AND NOT TARGET bough::${name})
    add_library(bough::${name} UNKNOWN IMPORTED GLOBAL)
    set_target_properties(bough::${name} PROPERTIES IMPORTED_LOCATION ${BOUGH_${upper}_LIBRARY})
  endif()
endfunction()
