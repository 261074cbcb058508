"""What fusing the program brings: each fusion opened, neighbours told apart, kernels counted."""
