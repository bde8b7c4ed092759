"""The dossier of a survey: what an ethics board, a data protection officer and a reviewer ask, from the design."""
