# find_package(meridian) gives, from where this file lies, so that the tree may be moved:
#   meridian::meridian   the library libmeridian (libmeridian.h); meridian::static the same as an archive
#   meridian::headers    what a plug-in includes: meridian.h, meridian.hpp
#   meridian::program    the referee, as a program: $<TARGET_FILE:meridian::program>
#   meridian_add_plugin(NAME SOURCE...)                           a shared library that `meridian judge` loads
#   meridian_add_test(NAME name PLUGIN target [ROW row] [ARGS ...])  a test of ctest: 77, nothing judged, is a skip
get_filename_component(meridian_root "${CMAKE_CURRENT_LIST_DIR}" ABSOLUTE)
while(NOT EXISTS "${meridian_root}/include/meridian.h")
    get_filename_component(meridian_up "${meridian_root}" DIRECTORY)
    if(meridian_up STREQUAL meridian_root)
        set(meridian_FOUND FALSE)
        set(meridian_NOT_FOUND_MESSAGE "no include/meridian.h above ${CMAKE_CURRENT_LIST_DIR}; install meridian again")
        return()
    endif()
    set(meridian_root "${meridian_up}")
endwhile()
get_filename_component(meridian_libraries "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)

if(NOT TARGET meridian::headers)
    add_library(meridian::headers INTERFACE IMPORTED)
    set_target_properties(meridian::headers PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${meridian_root}/include")
    add_library(meridian::meridian SHARED IMPORTED)
    set_target_properties(meridian::meridian PROPERTIES IMPORTED_LOCATION "${meridian_libraries}/libmeridian.so"
        IMPORTED_SONAME libmeridian.so.0 INTERFACE_INCLUDE_DIRECTORIES "${meridian_root}/include")
    add_library(meridian::static STATIC IMPORTED)
    set_target_properties(meridian::static PROPERTIES IMPORTED_LOCATION "${meridian_libraries}/libmeridian.a"
        INTERFACE_LINK_LIBRARIES m INTERFACE_INCLUDE_DIRECTORIES "${meridian_root}/include")
    # The program may be in a package of its own: without it everything but meridian_add_test works.
    find_program(meridian_EXECUTABLE meridian HINTS "${meridian_root}/bin")
    if(meridian_EXECUTABLE)
        add_executable(meridian::program IMPORTED)
        set_target_properties(meridian::program PROPERTIES IMPORTED_LOCATION "${meridian_EXECUTABLE}")
    endif()
endif()

function(meridian_add_plugin name)
    add_library(${name} MODULE ${ARGN})
    target_link_libraries(${name} PRIVATE meridian::headers)
    set_target_properties(${name} PROPERTIES PREFIX "")
    if(CMAKE_CXX_COMPILER_LOADED)
        target_compile_features(${name} PRIVATE cxx_std_17)
    endif()
endfunction()

function(meridian_add_test)
    cmake_parse_arguments(PARSE_ARGV 0 asked "" "NAME;PLUGIN;ROW" "ARGS")
    if(NOT asked_NAME OR NOT asked_PLUGIN OR asked_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "meridian_add_test(NAME name PLUGIN target [ROW row] [ARGS ...]); found: ${ARGV}")
    endif()
    if(NOT TARGET meridian::program)
        message(FATAL_ERROR "meridian_add_test: the program meridian is not installed, which judges")
    endif()
    if(asked_ROW)
        list(PREPEND asked_ARGS --row ${asked_ROW})
    endif()
    add_test(NAME ${asked_NAME} COMMAND meridian::program judge $<TARGET_FILE:${asked_PLUGIN}> ${asked_ARGS})
    set_tests_properties(${asked_NAME} PROPERTIES SKIP_RETURN_CODE 77)
endfunction()
