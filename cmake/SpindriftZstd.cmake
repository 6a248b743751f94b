# Spindrift::zstd: Debian packs no find module.

macro(spindrift_find_zstd)
  find_path(SPINDRIFT_ZSTD_INCLUDE zstd.h)
  find_library(SPINDRIFT_ZSTD_LIBRARY zstd)
  mark_as_advanced(SPINDRIFT_ZSTD_INCLUDE SPINDRIFT_ZSTD_LIBRARY)
  if(NOT SPINDRIFT_ZSTD_INCLUDE OR NOT SPINDRIFT_ZSTD_LIBRARY)
    message(FATAL_ERROR "zstd is missing: install libzstd-dev")
  endif()
  if(NOT TARGET Spindrift::zstd)
    add_library(Spindrift::zstd UNKNOWN IMPORTED)
    set_target_properties(Spindrift::zstd PROPERTIES
      IMPORTED_LOCATION ${SPINDRIFT_ZSTD_LIBRARY}
      INTERFACE_INCLUDE_DIRECTORIES ${SPINDRIFT_ZSTD_INCLUDE})
  endif()
endmacro()
