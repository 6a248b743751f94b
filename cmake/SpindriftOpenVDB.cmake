# OpenVDB::openvdb, by the find module that comes with OpenVDB.

function(spindrift_find_openvdb)
  list(APPEND CMAKE_MODULE_PATH /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/cmake/OpenVDB)
  # That folder has its own module for TBB, which does not know the TBB that we found.
  set(CMAKE_FIND_PACKAGE_PREFER_CONFIG ON)
  # It reports each step, and a part of Imath that Debian packs apart and nobody here uses.
  set(CMAKE_MESSAGE_LOG_LEVEL WARNING)
  find_package(OpenVDB 10 REQUIRED)
endfunction()
