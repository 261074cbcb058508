"""What fusion brings: each fusion opened, reasons why kernels are separate, kernels counted."""
