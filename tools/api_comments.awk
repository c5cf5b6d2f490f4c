# Turns a header's comments into Doxygen's form, line by line; docs/Doxyfile runs it on each file.

# In documents, a link becomes its words: Doxygen itself makes links of the names of headers.
FILENAME ~ /\.md$/ {
  gsub(/\]\([^)]*\)/, "")
  gsub(/\[/, "")
}
FILENAME !~ /\.h$/ { print; next }

# The comment above #pragma once is the file's.
/^#pragma once/ { print "/// @file"; next }

# Copy and move constructors get one line each; assignments, defaulted members and destructors are
# left out.
/operator=\(.*&&?.*(delete|noexcept);$/ || /= default;$/ || /^ *(virtual )?~.*[;}]$/ { print ""; next }
/\(const [A-Za-z0-9]+&\) = delete;$/ { print $0 "  ///< Not copyable."; next }
/\([A-Za-z0-9]+&&[^)]*\) noexcept;$/ { print $0 "  ///< Movable."; next }

# A comment beside a member, and its further lines, which begin in the same column.
/[^ ].*  \/\/ / && !/^ *\/\// && !/\/\/ namespace/ {
  column = index($0, "  // ") + 2
  print substr($0, 1, column - 1) "///< " substr($0, column + 3)
  next
}
/^ +\/\/ / && index($0, "//") == column { sub(/\/\//, "///<"); print; next }
{ column = 0 }

# A comment above a member; comments in functions stand further to the right.
/^( |  )?\/\/ / { sub(/\/\//, "///") }
{ print }
