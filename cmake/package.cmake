# `cpack` (`make package`) makes two Debian packages of what install.cmake installs: bough, and
# libbough-dev for those who link the library.
set(BOUGH_MAINTAINER "The maintainers of bough <maintainers@bough.example>" CACHE STRING
    "name and address that a Debian package names its maintainer by")
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME bough)
set(CPACK_PACKAGE_CONTACT "${BOUGH_MAINTAINER}")
set(CPACK_STRIP_FILES ON)
# The prefix is what it will be, so that whoever writes it into a file writes the right one.
set(CPACK_SET_DESTDIR ON)
set(CPACK_INSTALL_PREFIX /usr)
set(CPACK_COMPONENTS_ALL program development)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
# Owned by root, and no more writable than usual, whoever builds it with whatever mask.
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
    WORLD_READ WORLD_EXECUTE)

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME bough)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION text)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "writes sentences as binary trees
bough writes sentences in the order it finds best: a word anywhere, then
words to its left and to its right. It learns such orders, fills gaps,
writes around words that must appear, puts words in order, translates,
and says how likely a sentence is. Models come with it; a server and a
page show trees as they grow.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libbough-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(dependencies libfmt-dev nlohmann-json3-dev libicu-dev zlib1g-dev libstemmer-dev)
if(BOUGH_NN)
  # LibTorch falls on a BLAS that is fifty times slower, where no other is there.
  set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "libopenblas0-openmp | libopenblas0-pthread")
  # What needs it is one component of two: find_package does without.
  set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_RECOMMENDS "libtorch-dev, libdnnl-dev, libgloo-dev, libopenblas0-openmp | libopenblas0-pthread")
endif()
list(JOIN dependencies ", " CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS)
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "sentences as binary trees - library to link
The static libraries of bough, their headers, and what CMake and pkg-config
need to find them: bough::core (text, trees, oracles, metrics) and bough::nn
(models, which need LibTorch).")

# Debian wants each package's licence and history in a folder of its name: the program's history, and the
# package's own, which has nothing to add.
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE ${PROJECT_BINARY_DIR}/changelog.Debian "bough (${PROJECT_VERSION}-1) unstable; urgency=medium

  * Release ${PROJECT_VERSION}: see changelog.gz.

 -- ${BOUGH_MAINTAINER}  ${date}
")
set(compressed)
foreach(text ${PROJECT_SOURCE_DIR}/CHANGELOG.md:changelog ${PROJECT_BINARY_DIR}/changelog.Debian:changelog.Debian
             ${PROJECT_SOURCE_DIR}/etc/bough.1:bough.1)
  string(REGEX MATCH "(.+):(.+)" text ${text})
  set(file ${PROJECT_BINARY_DIR}/${CMAKE_MATCH_2}.gz)
  add_custom_command(OUTPUT ${file} DEPENDS ${CMAKE_MATCH_1} COMMAND gzip -9nc ${CMAKE_MATCH_1} > ${file} VERBATIM)
  list(APPEND compressed ${file})
endforeach()
add_custom_target(bough_documents ALL DEPENDS ${compressed})
list(POP_BACK compressed manual)
install(FILES ${manual} COMPONENT program DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
foreach(package program:bough development:libbough-dev)
  string(REGEX MATCH "([a-z]+):(.+)" package ${package})
  install(FILES ${PROJECT_SOURCE_DIR}/etc/copyright ${compressed} COMPONENT ${CMAKE_MATCH_1}
          DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${CMAKE_MATCH_2})
endforeach()
include(CPack)
