target_link_libraries(cluster_tests PRIVATE tandem_cluster)

# Reads the checkpoints of chaos.py.
add_executable(read_shards ${unless_sanitized} cluster/read_shards.cc)
tandem_own(read_shards)
tandem_test_options(read_shards)
target_link_libraries(read_shards PRIVATE tandem_trainer)

# Trainings on a Ray cluster, where the Python package is built. They start many processes.
if(TARGET tandem AND TARGET tandem_python AND NOT TANDEM_SANITIZE)
  foreach(test host driver training hosts load deploy)
    add_test(NAME cluster.${test}
      COMMAND ${TANDEM_TEST_PYTHON} ${CMAKE_CURRENT_LIST_DIR}/cluster_${test}_test.py -v)
    set_tests_properties(cluster.${test} PROPERTIES SKIP_RETURN_CODE 77
      ENVIRONMENT "TANDEM=$<TARGET_FILE:tandem>;PYTHONDONTWRITEBYTECODE=1")
  endforeach()
  set_tests_properties(cluster.training cluster.hosts PROPERTIES PROCESSORS 2)
endif()
