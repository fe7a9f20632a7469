"""The Connect 4 part of Sai's report: tables 4 to 6, 9 and 10."""
