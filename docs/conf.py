"""How the documentation is built: `make docs`, or a test, which takes warnings for errors."""

from __future__ import annotations

project = "Deniable"
author = "The Deniable team"
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build", "**.ipynb_checkpoints"]
html_theme = "furo"
html_title = "Deniable"
html_show_sourcelink = False
html_last_updated_fmt = None
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
suppress_warnings = [
    "myst.xref_missing",  # links to files of the checkout, which tests/docs/test_site.py checks
    "ref.python",  # attributes of the same name in several classes
]
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {
    "members": True,
    "show-inheritance": True,
    "exclude-members": "set_fit_request, set_partial_fit_request, set_score_request",  # scikit-learn's own
}
napoleon_google_docstring = True
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 300
