"""What can be learned, as arrays."""
