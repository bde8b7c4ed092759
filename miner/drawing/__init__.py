"""Draw charts and trees as SVG and HTML."""
