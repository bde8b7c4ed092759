"""What precision and accuracy a design will have, before anybody is asked."""
