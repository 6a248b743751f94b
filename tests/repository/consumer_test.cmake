# Installs a build to a fresh prefix, moves that prefix, and builds and runs tests/consumer with it.
#
#   cmake -D build=... -D source=... -D generator=... -D compiler=... -P consumer_test.cmake

set(work ${build}/consumer_test)
file(REMOVE_RECURSE ${work})

function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    list(JOIN ARGV " " command)
    message(FATAL_ERROR "failed with ${result}: ${command}")
  endif()
endfunction()

run(${CMAKE_COMMAND} --install ${build} --prefix ${work}/installed_here)
# Packages are moved, into another root or by a user: nothing in them may name its first place.
file(RENAME ${work}/installed_here ${work}/prefix)

file(GLOB_RECURSE package_files ${work}/prefix/*.cmake)
if(NOT package_files)
  message(FATAL_ERROR "no CMake package was installed")
endif()
foreach(package_file IN LISTS package_files)
  file(READ ${package_file} text)
  foreach(path IN ITEMS ${source} ${build} ${work})
    string(FIND "${text}" "${path}" position)
    if(NOT position EQUAL -1)
      message(FATAL_ERROR "${package_file} names ${path}")
    endif()
  endforeach()
endforeach()

run(${CMAKE_COMMAND} -S ${source}/tests/consumer -B ${work}/build -G ${generator}
    -D CMAKE_CXX_COMPILER=${compiler} -D CMAKE_BUILD_TYPE=Release
    -D CMAKE_PREFIX_PATH=${work}/prefix)
run(${CMAKE_COMMAND} --build ${work}/build)
run(${work}/build/consumer_one_module)
run(${work}/build/consumer_all_modules)
if(NOT EXISTS ${work}/prefix/bin/spindrift)
  message(FATAL_ERROR "the command was not installed")
endif()
file(REMOVE_RECURSE ${work})
