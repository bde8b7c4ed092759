"""The scheduled job: trains when enough responses are new, promotes what is not worse. Begin with `job`."""
