"""The process that the package runs in: its threads, those of BLAS, its interpreter."""
