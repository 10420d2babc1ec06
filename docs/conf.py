"""How Sphinx builds the site: `.ci/docs` calls it."""

import os
import sys
import warnings
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ["MPLBACKEND"] = "Agg"
DOCS = Path(__file__).resolve().parent
sys.path[:0] = [str(DOCS.parent), str(DOCS)]

import hankelmatch
import hankelmatch.plot
import numpydoc.xref
from docs_support import LinkCode, link_if_public, project_urls, write_drawing, write_reference

project = "hankelmatch"
author = "The hankelmatch developers"
project_copyright = author
release = version = hankelmatch.__version__
html_title = f"hankelmatch {release}"

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx.ext.viewcode",
    "matplotlib.sphinxext.plot_directive",
    "numpydoc",
    "myst_parser",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "gallery", "**/*.ipynb"]
templates_path = ["_templates"]
source_suffix = {".rst": "restructuredtext", ".md": "markdown"}
root_doc = "index"
language = "en"

# Single backquotes in docstrings link to what they name, if it is public.
default_role = "public"
nitpicky = True
nitpick_ignore_regex = [("py:.*", r"(numpy|scipy|networkx|matplotlib|collections|typing)\..*")]

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

autosummary_generate = True
autodoc_typehints = "none"  # the docstrings name the types
toc_object_entries_show_parents = "hide"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False  # the template of classes lists them
numpydoc_xref_param_type = True
numpydoc_xref_ignore = "all"  # links to the names below alone: other sites may be out of reach
numpydoc.xref.DEFAULT_LINKS.clear()
numpydoc_xref_aliases = {
    name: f"hankelmatch.{name}"
    for name in hankelmatch.__all__
    if isinstance(getattr(hankelmatch, name), type)
}

plot_html_show_source_link = False
plot_include_source = False
plot_formats = [("svg", 100)]
plot_html_show_formats = False

sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "auto_gallery",
    "filename_pattern": r"\.py$",
    "within_subsection_order": "FileNameSortKey",
    "remove_config_comments": True,
    "show_memory": False,
    "min_reported_time": 5,
    "doc_module": ("hankelmatch",),
    "reference_url": {"hankelmatch": None},
    "backreferences_dir": "reference/backreferences",
    "abort_on_example_error": True,
    "download_all_examples": True,
    "image_scrapers": ("docs_support.draw_figures",),
    "write_computation_times": False,
}
suppress_warnings = ["config.cache"]
warnings.filterwarnings("ignore", message="FigureCanvasAgg is non-interactive")

html_theme = "pydata_sphinx_theme"
html_static_path = ["_static"]
html_css_files = ["hankelmatch.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {"text": "hankelmatch"},
    "github_url": project_urls()["Source"],
    "header_links_before_dropdown": 4,
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": ["sphinx-version", "theme-version"],
}
html_sidebars = {"index": [], "install": [], "questions": []}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True


def setup(app):
    app.add_role("public", link_if_public)
    app.add_transform(LinkCode)
    write_reference()
    write_drawing()
