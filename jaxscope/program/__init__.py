"""What is true of a captured program: pure functions of `jaxscope.model`, without drawing."""
