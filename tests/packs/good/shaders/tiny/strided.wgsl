// Stands for a kernel.
