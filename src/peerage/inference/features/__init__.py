"""Parts of a layout that features of the model add: clamps, authors, drift."""
