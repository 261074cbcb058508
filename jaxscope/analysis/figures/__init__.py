"""What measurements look like: pictures, the tables that say the same, and files of both."""
