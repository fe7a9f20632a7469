"""The study of Langan's program: emulated with its three defects, mended one at a time, beside the exact values."""
