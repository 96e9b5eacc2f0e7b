"""The tests import their subjects from beside them."""
import os
import sys

sys.path.insert(0, os.path.dirname(__file__))
