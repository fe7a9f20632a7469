"""The engine of the studies: what is printed, what is measured, how it is judged, and how the pages are written."""
