"""Learning on games too large to enumerate: values in a hash table of the states met."""
