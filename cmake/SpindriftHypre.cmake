# Spindrift::hypre: hypre with the MPI that it was built with. Debian packs no find module.
#
#   spindrift_find_hypre([REQUIRED])    sets SPINDRIFT_HAS_HYPRE

macro(spindrift_find_hypre)
  find_package(MPI QUIET COMPONENTS CXX)
  find_path(SPINDRIFT_HYPRE_INCLUDE HYPRE.h PATH_SUFFIXES hypre)
  find_library(SPINDRIFT_HYPRE_LIBRARY HYPRE)
  mark_as_advanced(SPINDRIFT_HYPRE_INCLUDE SPINDRIFT_HYPRE_LIBRARY)
  if(MPI_CXX_FOUND AND SPINDRIFT_HYPRE_INCLUDE AND SPINDRIFT_HYPRE_LIBRARY)
    set(SPINDRIFT_HAS_HYPRE ON)
    if(NOT TARGET Spindrift::hypre)
      add_library(Spindrift::hypre UNKNOWN IMPORTED)
      set_target_properties(Spindrift::hypre PROPERTIES
        IMPORTED_LOCATION ${SPINDRIFT_HYPRE_LIBRARY}
        INTERFACE_INCLUDE_DIRECTORIES ${SPINDRIFT_HYPRE_INCLUDE}
        INTERFACE_LINK_LIBRARIES MPI::MPI_CXX)
    endif()
  else()
    set(SPINDRIFT_HAS_HYPRE OFF)
    if("${ARGN}" STREQUAL "REQUIRED")
      message(FATAL_ERROR "hypre or MPI is missing: install libhypre-dev and mpi-default-dev, "
                          "or configure with -DSPINDRIFT_HYPRE=OFF")
    endif()
  endif()
endmacro()
