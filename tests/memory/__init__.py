"""Memory of compiled programs: plan, live ranges, donation, residuals; the roofline."""
