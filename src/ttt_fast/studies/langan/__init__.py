"""The study of Langan's program: emulated with its three defects, mended one at a time, and the exact values."""
