"""The likelihood of a class behind disguised responses, and what is fitted by it: effects, boosted trees."""
