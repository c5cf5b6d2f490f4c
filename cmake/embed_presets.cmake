# Writes a C++ file that holds every preset as text, so that a program has its defaults wherever it
# lies. Run as: cmake -DFOLDER=configs -DOUT=presets.cc -P embed_presets.cmake
file(GLOB presets RELATIVE ${FOLDER} ${FOLDER}/*/*.toml)
list(SORT presets)
set(rows "")
foreach(preset IN LISTS presets)
  file(READ ${FOLDER}/${preset} text)
  string(REGEX REPLACE "\\.toml$" "" name ${preset})
  string(APPEND rows "    {\"${name}\", R\"toml(${text})toml\"},\n")
endforeach()
file(WRITE ${OUT}.new "// Made from the folder configs at build.
#include \"tandem/trainer/presets.h\"

namespace tandem {

std::vector<Preset> published_presets() {
  return {
${rows}  };
}

}  // namespace tandem
")
file(COPY_FILE ${OUT}.new ${OUT} ONLY_IF_DIFFERENT)
