# Writes a C++ file that holds the Python code of workers as texts, so that an installed library has
# it. Run as: cmake -DFOLDER=tandem_worker -DNAMES=boot,faults -DOUT=python_sources.cc -P ...
string(REPLACE "," ";" names ${NAMES})
set(rows "")
foreach(name IN LISTS names)
  file(READ ${FOLDER}/${name}.py text)
  string(APPEND rows "      {\"${name}\", R\"python(${text})python\"},\n")
endforeach()
file(WRITE ${OUT}.new "// Made from src/tandem/env/gym/tandem_worker at build.
#include \"tandem/env/gym/python_sources.h\"

namespace tandem {

std::vector<PythonSource> python_sources() {
  return {
${rows}  };
}

}  // namespace tandem
")
file(COPY_FILE ${OUT}.new ${OUT} ONLY_IF_DIFFERENT)
