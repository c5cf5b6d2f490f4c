# tandem_own(TARGET): compiles one of our targets with our flags. Users of the target keep their own
# flags.
#
# No code reads errno after sqrt. Setting it would keep the optimizers' loops out of SIMD (six times
# slower).
function(tandem_own target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -fno-math-errno
    -ffp-contract=off
    $<$<BOOL:${TANDEM_WERROR}>:-Werror>)
  target_compile_definitions(${target} PRIVATE TANDEM_VERSION="${PROJECT_VERSION}")
  if(TANDEM_SANITIZE)
    # GCC 12 warns wrongly of uninitialised members of std::regex when accesses are instrumented.
    target_compile_options(${target} PRIVATE -fsanitize=${TANDEM_SANITIZE}
      -fno-sanitize-recover=all -fno-omit-frame-pointer -g1 -Wno-maybe-uninitialized)
    target_link_options(${target} PRIVATE -fsanitize=${TANDEM_SANITIZE})
  endif()
endfunction()
