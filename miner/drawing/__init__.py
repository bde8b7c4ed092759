"""Charts and trees as SVG and HTML."""
