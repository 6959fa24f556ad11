# SPDX-License-Identifier: GPL-3.0-or-later
# The rules every target shares: language, warnings, sanitizers, ccache, output folders, and one include root a room.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET default)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# What one room finds, another may name.
set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)

# Programs and tests lie in bin/, shared libraries in lib/, plug-ins in lib/batchscope/: the same shape as installed.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
set(BATCHSCOPE_PLUGIN_OUTPUT "${CMAKE_BINARY_DIR}/lib/batchscope")
set(CMAKE_INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR};$ORIGIN;$ORIGIN/..")

# ccache, with paths seen relative to the source folder, so that presets share objects.
find_program(BATCHSCOPE_CCACHE ccache)
if(BATCHSCOPE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER
        "${CMAKE_COMMAND}" -E env "CCACHE_BASEDIR=${CMAKE_SOURCE_DIR}" CCACHE_NOHASHDIR=1 "${BATCHSCOPE_CCACHE}")
endif()
add_feature_info(ccache BATCHSCOPE_CCACHE "compiled objects are shared between presets")
add_feature_info(window BATCHSCOPE_GUI "the program batchscope (Qt 6)")
add_feature_info(torch BATCHSCOPE_TORCH "the libtorch plug-in: real models")

add_library(batchscope_rules INTERFACE)
# g++ 12 sees overlapping copies in std::string that are none (GCC bug 105651).
target_compile_options(batchscope_rules INTERFACE "$<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>")
target_compile_options(batchscope_rules INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor
    -Woverloaded-virtual "$<$<BOOL:${BATCHSCOPE_WERROR}>:-Werror>"
    "-ffile-prefix-map=${CMAKE_SOURCE_DIR}/=" "-ffile-prefix-map=${CMAKE_BINARY_DIR}/=build/")
if(BATCHSCOPE_SANITIZE)
    # What sanitizers insert keeps g++ from following an std::optional: it warns of values that are never read (its
    # manual says so of -fsanitize). The other presets keep the warning.
    target_compile_options(batchscope_rules INTERFACE "-fsanitize=${BATCHSCOPE_SANITIZE}" -fno-omit-frame-pointer
        "$<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>")
    target_link_options(batchscope_rules INTERFACE "-fsanitize=${BATCHSCOPE_SANITIZE}")
endif()

# batchscope_room(<target> <room>): the target's own include root holds this room's name and nothing else, so that it
# sees other rooms only through the targets it links ("include paths are the law", house.md).
function(batchscope_room target room)
    set(root "${CMAKE_BINARY_DIR}/include/${room}")
    file(MAKE_DIRECTORY "${root}")
    if(NOT EXISTS "${root}/${room}")
        file(CREATE_LINK "${CMAKE_SOURCE_DIR}/${room}" "${root}/${room}" SYMBOLIC)
    endif()
    target_include_directories(${target} PUBLIC "${root}")
    target_link_libraries(${target} PRIVATE batchscope_rules)
endfunction()
