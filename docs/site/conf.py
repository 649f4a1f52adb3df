# SPDX-License-Identifier: Apache-2.0
"""Sphinx's settings for the site, which tools/build_site makes from docs/ and the headers."""

import os

project = "Hoplite"
author = "the Hoplite maintainers"
project_copyright = "2026, the Hoplite maintainers"
version = release = os.environ["HOPLITE_SITE_VERSION"]
extensions = ["myst_parser"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4
# Without colours: what Pygments does not know as a session or as C (… for what is left out).
suppress_warnings = ["misc.highlighting_failure"]
html_theme = "furo"
html_title = f"Hoplite {version}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
if os.environ.get("HOPLITE_SITE_SWITCH"):  # between versions, above the search
    templates_path = ["templates"]
    html_sidebars = {"**": ["sidebar/brand.html", "versions.html", "sidebar/search.html",
                            "sidebar/scroll-start.html", "sidebar/navigation.html",
                            "sidebar/scroll-end.html"]}
