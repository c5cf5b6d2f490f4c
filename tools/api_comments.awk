# Makes the comments of a header Doxygen's own, line by line; docs/Doxyfile has it run on each file.

# Of documents, links give way to their words: Doxygen makes links of the names of headers itself.
FILENAME ~ /\.md$/ {
  gsub(/\]\([^)]*\)/, "")
  gsub(/\[/, "")
}
FILENAME !~ /\.h$/ { print; next }

# The words above #pragma once are the file's.
/^#pragma once/ { print "/// @file"; next }

# Of copying and moving one line each; defaulted members and destructors are left out.
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

# A comment above a member; those in functions stand further to the right.
/^( |  )?\/\/ / { sub(/\/\//, "///") }
{ print }
