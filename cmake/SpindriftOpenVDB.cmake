# OpenVDB::openvdb, and the Blosc::blosc that packs its files, by find modules that come with OpenVDB.

function(spindrift_find_openvdb)
  list(APPEND CMAKE_MODULE_PATH /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/cmake/OpenVDB)
  # It reports each step, and a part of Imath that Debian packs apart and nobody here uses.
  set(CMAKE_MESSAGE_LOG_LEVEL WARNING)
  find_package(OpenVDB 10 REQUIRED)
  find_package(Blosc REQUIRED)
endfunction()
