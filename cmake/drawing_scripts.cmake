# The scripts of tools that draw pictures for the program, and the modules that they import.
file(GLOB drawing_scripts CONFIGURE_DEPENDS tools/plot*.py tools/compare.py
  tools/games_to_compare.py tools/normalised_scores.py tools/run_files.py)
