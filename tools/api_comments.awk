# Makes the comments of a header Doxygen's own; docs/Doxyfile has it run on each.

# The words above #pragma once are the file's; lines keep their numbers.
/^#pragma once/ { print "/// @file"; next }

# Of copying and moving one line each; defaulted members and destructors are left out.
/operator=\(.*&&?.*(delete|noexcept);$/ || /= default;$/ || /^ *(virtual )?~.*[;}]$/ { print ""; next }
/\(const [A-Za-z]+&\) = delete;$/ { print $0 "  ///< Not copyable."; next }
/\([A-Za-z]+&&[^)]*\) noexcept;$/ { print $0 "  ///< Movable."; next }

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
