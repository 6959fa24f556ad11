# SPDX-License-Identifier: GPL-3.0-or-later
# The headers of a room that other files may include: all but the plug-ins' own.
function(house_headers root room result)
    file(GLOB_RECURSE headers RELATIVE "${root}" "${root}/${room}/*.h")
    list(FILTER headers EXCLUDE REGEX "^engine/(torch|tokenizer/sentencepiece)/")
    if(room STREQUAL "widgets")
        list(FILTER headers EXCLUDE REGEX "^widgets/plots/")
    endif()
    list(SORT headers)
    set(${result} "${headers}" PARENT_SCOPE)
endfunction()
