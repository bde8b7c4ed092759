"""What can be learnt without knowing anyone."""
