"""Run the scheduled job, which trains models on new responses, and uses them if they are not worse."""
