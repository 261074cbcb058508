"""Memory of compiled programs: live ranges, donation, residuals, constants."""
