# What `cmake --install` puts where, in two components: `program`, and `development` for those who link
# the library. Wherever the prefix is moved to, programs find their models and CMake its files.

# ---- The program, and what comes with it
set(program_targets bough)
if(BOUGH_NN)
  get_property(stand_ins GLOBAL PROPERTY BOUGH_STAND_INS)
  install(TARGETS ${stand_ins} COMPONENT program DESTINATION ${CMAKE_INSTALL_LIBDIR}/bough/stand-ins)
  list(APPEND program_targets bough-nn)
  install(DIRECTORY models COMPONENT program DESTINATION ${CMAKE_INSTALL_DATADIR}/bough)
endif()
install(TARGETS ${program_targets} COMPONENT program DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY share/tagger COMPONENT program DESTINATION ${CMAKE_INSTALL_DATADIR}/bough)

set(completions ${PROJECT_BINARY_DIR}/completions)
install(FILES ${completions}/bash/bough COMPONENT program
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${completions}/fish/bough.fish COMPONENT program
        DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
# Debian's zsh looks into one folder for packages, under /usr, and into another for the machine's own.
install(CODE "set(zsh_folder site-functions)
if(CMAKE_INSTALL_PREFIX STREQUAL \"/usr\")
  set(zsh_folder vendor-completions)
endif()" COMPONENT program)
install(FILES ${completions}/zsh/_bough COMPONENT program
        DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/\${zsh_folder})

if(BOUGH_NN)
  # systemd wants the program's whole path, which is known when it is installed.
  install(CODE "set(programs \"${CMAKE_INSTALL_BINDIR}\")
cmake_path(ABSOLUTE_PATH programs BASE_DIRECTORY \"\${CMAKE_INSTALL_PREFIX}\")
file(READ \"${PROJECT_SOURCE_DIR}/etc/bough.service\" unit)
string(REPLACE /usr/local/bin/ \"\${programs}/\" unit \"\${unit}\")
file(WRITE \"${PROJECT_BINARY_DIR}/bough.service\" \"\${unit}\")" COMPONENT program)
  install(FILES ${PROJECT_BINARY_DIR}/bough.service COMPONENT program DESTINATION lib/systemd/system)
endif()

# ---- The library
install(TARGETS bough_core EXPORT bough-core-targets COMPONENT development
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
set_target_properties(bough_core PROPERTIES EXPORT_NAME core)
install(FILES src/bough/bough.h COMPONENT development DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/bough)
foreach(folder base text tree oracle data metrics analysis)
  file(GLOB headers CONFIGURE_DEPENDS src/bough/${folder}/*.h)
  install(FILES ${headers} COMPONENT development DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/bough/${folder})
endforeach()

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/bough)
set(BOUGH_COMPONENTS core)
if(BOUGH_NN)
  list(APPEND BOUGH_COMPONENTS nn)
  install(TARGETS bough_kernels bough_nn EXPORT bough-nn-targets COMPONENT development
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  set_target_properties(bough_kernels PROPERTIES EXPORT_NAME kernels)
  set_target_properties(bough_nn PROPERTIES EXPORT_NAME nn)
endif()
foreach(component ${BOUGH_COMPONENTS})
  install(EXPORT bough-${component}-targets NAMESPACE bough:: COMPONENT development
          DESTINATION ${package_folder})
endforeach()

include(CMakePackageConfigHelpers)
configure_package_config_file(${BOUGH_CMAKE}/bough-config.cmake.in bough-config.cmake
  INSTALL_DESTINATION ${package_folder} NO_SET_AND_CHECK_MACRO)
# By SemVer a version 0.x may break what 0.(x-1) promised.
set(compatibility SameMajorVersion)
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(compatibility SameMinorVersion)
endif()
write_basic_package_version_file(bough-config-version.cmake COMPATIBILITY ${compatibility})
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/bough-config.cmake
        ${CMAKE_CURRENT_BINARY_DIR}/bough-config-version.cmake ${BOUGH_CMAKE}/bough-plain-libraries.cmake
        COMPONENT development DESTINATION ${package_folder})

# pkg-config's files find the prefix from their own place, too. The libraries are static: whoever links
# them has to name what they need.
set(pkgconfig_folder ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH BOUGH_INCLUDE_FROM_PC ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_FULL_INCLUDEDIR})
if(BOUGH_NN)
  get_filename_component(torch_folder ${TORCH_LIBRARY} DIRECTORY)
  if(NOT torch_folder IN_LIST CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES)
    set(BOUGH_TORCH_FOLDER "-L${torch_folder} -Wl,-rpath,${torch_folder} ")
  endif()
endif()
foreach(component ${BOUGH_COMPONENTS})
  configure_file(${BOUGH_CMAKE}/bough-${component}.pc.in bough-${component}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/bough-${component}.pc COMPONENT development
          DESTINATION ${pkgconfig_folder})
endforeach()
