"""The growth of boosted trees by the likelihood of disguised responses."""
