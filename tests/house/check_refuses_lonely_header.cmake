# SPDX-License-Identifier: GPL-3.0-or-later
# A header that needs another one before it must fail the way headers are compiled here, and a whole one must pass.
# Usage: cmake -DCOMPILER=<c++> -DWORK=<folder> -P check_refuses_lonely_header.cmake
cmake_minimum_required(VERSION 3.25)
file(WRITE "${WORK}/lonely.h" "#pragma once\ninline std::string name() { return {}; }\n")
file(WRITE "${WORK}/whole.h" "#pragma once\n#include <string>\ninline std::string name() { return {}; }\n")
file(WRITE "${WORK}/unguarded.h" "#include <string>\ninline std::string name() { return {}; }\n")
foreach(entry "lonely=fails" "whole=passes" "unguarded=fails")
    string(REPLACE "=" ";" entry "${entry}")
    list(GET entry 0 header)
    list(GET entry 1 expected)
    set(header_file "${header}.h")
    configure_file("${CMAKE_CURRENT_LIST_DIR}/header_alone.cpp.in" "${WORK}/${header}.cpp" @ONLY)
    execute_process(COMMAND "${COMPILER}" -std=c++20 -fsyntax-only "-I${WORK}" "${WORK}/${header}.cpp"
                    RESULT_VARIABLE code OUTPUT_QUIET ERROR_QUIET)
    if((code EQUAL 0 AND expected STREQUAL "fails") OR (NOT code EQUAL 0 AND expected STREQUAL "passes"))
        message(FATAL_ERROR "${header}.h ${expected} when compiled alone was expected; the compiler gave ${code}")
    endif()
endforeach()
