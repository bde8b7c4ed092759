"""What is learnt from disguised responses, by the protocol of the papers."""
