"""What users and scripts may rely on, checked through the real command line."""
