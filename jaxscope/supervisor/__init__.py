"""The process that starts, watches and kills workers; standard library only."""
