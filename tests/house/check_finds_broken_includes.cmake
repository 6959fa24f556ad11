# SPDX-License-Identifier: GPL-3.0-or-later
# The include check must find exactly what broken_tree/expected.txt lists, and fail.
# Usage: cmake -DWORK=<folder> -P check_finds_broken_includes.cmake
cmake_minimum_required(VERSION 3.25)
set(tree "${CMAKE_CURRENT_LIST_DIR}/broken_tree")
set(report "${WORK}/broken_includes.txt")
execute_process(COMMAND "${CMAKE_COMMAND}" "-DROOT=${tree}" "-DREPORT=${report}" -P
                        "${CMAKE_CURRENT_LIST_DIR}/check_includes.cmake"
                RESULT_VARIABLE code OUTPUT_QUIET ERROR_QUIET)
if(code EQUAL 0)
    message(FATAL_ERROR "the include check passed a tree that breaks its rules")
endif()
file(READ "${report}" found)
file(READ "${tree}/expected.txt" expected)
if(NOT found STREQUAL expected)
    message(FATAL_ERROR "the include check of ${tree} found:\n${found}\nexpected:\n${expected}")
endif()
execute_process(COMMAND "${CMAKE_COMMAND}" "-DROOT=${WORK}/absent" -P "${CMAKE_CURRENT_LIST_DIR}/check_includes.cmake"
                RESULT_VARIABLE code OUTPUT_QUIET ERROR_QUIET)
if(code EQUAL 0)
    message(FATAL_ERROR "the include check passed a tree without a file")
endif()
