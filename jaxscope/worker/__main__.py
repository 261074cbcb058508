"""`python -m jaxscope.worker`: a worker on the descriptors named by its arguments."""

import sys

from jaxscope.worker.main import main

if __name__ == "__main__":
    main(sys.argv[1:])
