# SPDX-License-Identifier: GPL-3.0-or-later
# No program and no shared library of ours may bring torch, sentencepiece or protobuf into the process: only the
# plug-ins do, each its own (platform.md, trap 1).
# Usage: cmake -DFILES=<a;b> -DFORBIDDEN=<regex> [-DREQUIRED=<regex>] -P check_linked_libraries.cmake
cmake_minimum_required(VERSION 3.25)
find_program(LDD ldd REQUIRED)
find_program(NM nm REQUIRED)
foreach(file IN LISTS FILES)
    if(NOT EXISTS "${file}")
        message(FATAL_ERROR "${file} is absent: build it first")
    endif()
    execute_process(COMMAND "${LDD}" "${file}" OUTPUT_VARIABLE libraries COMMAND_ERROR_IS_FATAL ANY)
    execute_process(COMMAND "${NM}" -D -C --undefined-only "${file}" OUTPUT_VARIABLE symbols
                    COMMAND_ERROR_IS_FATAL ANY)
    string(REPLACE "\n" ";" lines "${libraries}\n${symbols}")
    foreach(line IN LISTS lines)
        string(TOLOWER "${line}" lower)
        if(lower MATCHES "${FORBIDDEN}")
            list(APPEND found "${file}: ${line}")
        endif()
    endforeach()
    if(REQUIRED AND NOT libraries MATCHES "${REQUIRED}")
        list(APPEND found "${file}: links no ${REQUIRED}, although it should: is this check looking at the right file?")
    endif()
endforeach()
if(found)
    list(JOIN found "\n" text)
    message(FATAL_ERROR "linked where it must not be:\n${text}")
endif()
