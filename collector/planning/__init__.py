"""The precision and privacy that a survey can expect before it is asked. Begin with `expectations`."""
