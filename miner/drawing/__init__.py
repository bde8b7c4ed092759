"""The drawing of charts and trees as SVG and HTML."""
