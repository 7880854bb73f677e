"""Updates given the reports before rounding: true grades, graders, halos, slopes, drift."""
