"""The engine of the studies: printed results, measurements, verdicts, and the generation of pages."""
