"""Values of programs, where NaN and Inf begin, and what is likely to be a mistake."""
