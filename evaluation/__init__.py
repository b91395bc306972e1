"""The judge: cases and recorded calls replayed through the reader and the layers, and benchmarks."""
