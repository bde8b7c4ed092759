"""The words of answers: how a value of a question reads to a person, in any language of a survey."""
