"""What a published tree model gives away about the people it was grown on: attacks, tried and counted."""
