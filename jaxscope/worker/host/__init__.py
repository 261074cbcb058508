"""The process as host of user code: files, calls, arguments, jobs."""
